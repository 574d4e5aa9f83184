"""Answers a hello: what the client is told first, and from where its live frames go on."""

from dataclasses import dataclass

from assistant.conversation.customer import Customer
from assistant.ports import Clock
from assistant.server.client_frames import MOST_FILES, Hello
from assistant.server.door import Door
from assistant.server.live import Session
from assistant.server.project import Projector
from assistant.server.resume import resume
from assistant.server.snapshot import snapshot
from assistant.server.tokens import Visit
from assistant.server.wire import Wire


@dataclass(frozen=True, slots=True, kw_only=True)
class Greeting:
    """The first frames, and a projector that has been fed the first ``position`` entries."""

    frames: tuple[Wire, ...]
    projector: Projector
    position: int


def hears_notices(hello: Hello, door: Door) -> bool:
    """Whether this client asked for notices and may hear them."""
    return door.notices_allowed and hello.capabilities.notices


def welcome(hello: Hello, visit: Visit, session: Session, door: Door) -> Greeting:
    """Greet a client, and find where it goes on. Reads the entries once; later ones are the outbox's."""
    resumed = resume(hello, session, door.limits.replay)
    developer = door.developer_allowed and hello.capabilities.developer
    address_of = door.attachments.address_of(visit.key) if door.attachments is not None else None
    projector = Projector(session.doing, developer=developer, address_of=address_of)
    entries = session.entries[: hello.last_seq] if resumed == "replay" else session.entries[:]
    token, expires_at = door.tokens.issue(visit)
    greeting: Wire = {
        "type": "welcome",
        "conversation_id": visit.conversation,
        "token": token,
        "expires_at": expires_at,
        "customer": _visitor(visit.customer),
        "epoch": session.epoch,
        "seq": len(session.entries),
        "resumed": resumed,
        "developer": developer,
        "notices": hears_notices(hello, door),
        "max_text": door.limits.text_chars,
        **_credential(session, visit.customer, door.clock),
        **_uploads(door),
        **_voice(door),
        "assistant": door.about(visit.customer.locale).wire(),
    }
    if resumed == "snapshot":
        frames = (greeting, snapshot(entries, projector))
    else:
        for logged in entries:
            projector.project(logged)
        frames = (greeting,)
    return Greeting(frames=frames, projector=projector, position=len(entries))


def credential_standing(session: Session, customer: Customer, clock: Clock) -> Wire | None:
    """Whether tools want a signed-in customer's credential, and for how many seconds there is one; None: no."""
    if customer.level != "signed_in" or not session.wants_credential:
        return None
    held = session.credential
    left_ms = held.expires_ms - clock.now_ms() if held is not None else 0
    return {"expires_in_s": max(0, left_ms // 1000)}


def _credential(session: Session, customer: Customer, clock: Clock) -> Wire:
    standing = credential_standing(session, customer, clock)
    return {"credential": standing} if standing is not None else {}


def _uploads(door: Door) -> Wire:
    if door.uploads is None:
        return {}
    intake = door.uploads.intake
    terms: Wire = {"max_bytes": intake.most_bytes, "max_files": MOST_FILES, "endings": list(intake.endings)}
    return {"uploads": terms}


def _voice(door: Door) -> Wire:
    if door.voice is None:
        return {}
    return {"voice": {"ready": door.voice.problem is None, "problem": door.voice.problem}}


def _visitor(customer: Customer) -> Wire:
    return {"id": customer.id, "level": customer.level, "name": customer.name}
