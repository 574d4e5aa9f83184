"""Answers a hello: what the client is told first, and from where its live frames go on."""

from dataclasses import dataclass

from assistant.server.client_frames import Hello
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


def welcome(hello: Hello, visit: Visit, session: Session, door: Door) -> Greeting:
    """Greet a client, and find where it goes on. Reads the entries once; later ones are the outbox's."""
    resumed = resume(hello, session, door.limits.replay)
    developer = door.developer_allowed and hello.capabilities.developer
    projector = Projector(door.hints, developer=developer)
    entries = session.entries[: hello.last_seq] if resumed == "replay" else session.entries[:]
    token, expires_at = door.tokens.issue(visit)
    greeting: Wire = {
        "type": "welcome",
        "conversation_id": visit.conversation,
        "token": token,
        "expires_at": expires_at,
        "epoch": session.epoch,
        "seq": len(session.entries),
        "resumed": resumed,
        "developer": developer,
        "max_text": door.limits.text_chars,
        "assistant": door.about.wire(),
    }
    if resumed == "snapshot":
        frames = (greeting, snapshot(entries, projector))
    else:
        for logged in entries:
            projector.project(logged)
        frames = (greeting,)
    return Greeting(frames=frames, projector=projector, position=len(entries))
