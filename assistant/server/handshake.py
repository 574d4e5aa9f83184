"""Answers a hello: chooses the conversation, brings the client up to date, and sends the first frames."""

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from assistant.conversation.customer import Customer
from assistant.errors import IdentityError
from assistant.ports import Clock
from assistant.server.auth import Introduction, UserRefused, Visit
from assistant.server.frames.client_frames import MOST_FILES, Hello
from assistant.server.frames.frame import JsonFrame
from assistant.server.projector import Projector, snapshot
from assistant.server.server_context import ServerContext
from assistant.sessions.session import Session


async def admit(hello: Hello, context: ServerContext) -> Visit:
    """The visit that this hello begins or continues. Raises ``IdentityError``.

    An existing conversation opens only with its own token. A customer whom the site identifies continues their
    own conversation, never one from before they were identified.
    """
    if hello.user is not None:
        return await _introduced(hello.user, hello, context)
    if hello.token is None:
        if hello.conversation_id is not None:
            raise IdentityError(f"conversation {hello.conversation_id!r} opens only with its token")
        customer = await context.identity.identify(None, context.locale_of(hello.locale))
        return Visit(customer=customer, conversation=context.ids.new())
    earlier = context.tokens.read(hello.token)
    if hello.conversation_id not in {None, earlier.conversation}:
        raise IdentityError(f"the token is not for conversation {hello.conversation_id!r}")
    customer = await context.identity.identify(hello.token, context.locale_of(earlier.locale or hello.locale))
    return replace(earlier, customer=customer)


async def redeem_site_token(user: str, context: ServerContext) -> Introduction:
    """Verify the site's token and use it up. Returns the customer. Raises ``UserRefused``."""
    if context.site is None:
        raise UserRefused(
            "user_unavailable",
            "this server does not know your site: its operator must set ASSISTANT_SITE_SECRET",
        )
    return await context.site.redeem(user)


async def _introduced(user: str, hello: Hello, context: ServerContext) -> Visit:
    introduction = await redeem_site_token(user, context)
    customer = replace(introduction.customer, locale=context.locale_of(introduction.locale or hello.locale))
    conversation = _own_conversation(customer, hello, context) or context.ids.new()
    return Visit(
        customer=customer,
        conversation=conversation,
        locale=introduction.locale,
        credential=introduction.credential,
    )


def _own_conversation(customer: Customer, hello: Hello, context: ServerContext) -> str | None:
    """The conversation that the hello's token opens, if it is this customer's conversation."""
    if hello.token is None:
        return None
    try:
        earlier = context.tokens.read(hello.token)
    except IdentityError:
        return None  # the site's identification has priority
    said_as = earlier.customer
    same = (said_as.tenant, said_as.id, said_as.level) == (customer.tenant, customer.id, customer.level)
    return earlier.conversation if same and hello.conversation_id in {None, earlier.conversation} else None


Resumed: TypeAlias = Literal["new", "replay", "snapshot"]


def resume_mode(hello: Hello, session: Session, longest: int) -> Resumed:
    """Whether to replay the missed frames, which must be known and few, or to send a snapshot.

    Args:
        hello: the client's position.
        session: the conversation.
        longest: the longest gap that is replayed, in entries.
    """
    newest = len(session.entries)
    same_numbers = hello.epoch == session.epoch and 0 < hello.last_seq <= newest
    if same_numbers and newest - hello.last_seq <= longest:
        return "replay"
    return "snapshot" if newest else "new"


@dataclass(frozen=True, slots=True, kw_only=True)
class Greeting:
    """The first frames, and a projector that has processed the first ``position`` entries."""

    frames: tuple[JsonFrame, ...]
    projector: Projector
    position: int


def hears_notices(hello: Hello, context: ServerContext) -> bool:
    """Whether this client asked for notices and may receive them."""
    return context.notices_allowed and hello.capabilities.notices


def welcome(hello: Hello, visit: Visit, session: Session, context: ServerContext) -> Greeting:
    """Greet a client and find its position. Reads the existing entries once; the frame sender reads later
    ones.
    """
    resumed = resume_mode(hello, session, context.limits.replay)
    developer = context.developer_allowed and hello.capabilities.developer
    address_of = context.attachments.address_of(visit.key) if context.attachments is not None else None
    projector = Projector(session.doing, developer=developer, address_of=address_of)
    entries = session.entries[: hello.last_seq] if resumed == "replay" else session.entries[:]
    token, expires_at = context.tokens.issue(visit)
    greeting: JsonFrame = {
        "type": "welcome",
        "conversation_id": visit.conversation,
        "token": token,
        "expires_at": expires_at,
        "customer": _visitor(visit.customer),
        "epoch": session.epoch,
        "seq": len(session.entries),
        "resumed": resumed,
        "developer": developer,
        "notices": hears_notices(hello, context),
        "max_text": context.limits.text_chars,
        **_credential(session, visit.customer, context.clock),
        **_uploads(context),
        **_voice(context),
        "assistant": context.about(visit.customer.locale).wire(),
    }
    if resumed == "snapshot":
        frames = (greeting, snapshot(entries, projector))
    else:
        for logged in entries:
            projector.project(logged)
        frames = (greeting,)
    return Greeting(frames=frames, projector=projector, position=len(entries))


def credential_standing(session: Session, customer: Customer, clock: Clock) -> JsonFrame | None:
    """Whether tools need a signed-in customer's credential, and for how many seconds one is valid; None: no
    tool needs one.
    """
    if customer.level != "signed_in" or not session.wants_credential:
        return None
    held = session.credential
    left_ms = held.expires_ms - clock.now_ms() if held is not None else 0
    return {"expires_in_s": max(0, left_ms // 1000)}


def _credential(session: Session, customer: Customer, clock: Clock) -> JsonFrame:
    standing = credential_standing(session, customer, clock)
    return {"credential": standing} if standing is not None else {}


def _uploads(context: ServerContext) -> JsonFrame:
    if context.uploads is None:
        return {}
    reader = context.uploads.reader
    terms: JsonFrame = {
        "max_bytes": reader.most_bytes,
        "max_files": MOST_FILES,
        "endings": list(reader.endings),
    }
    return {"uploads": terms}


def _voice(context: ServerContext) -> JsonFrame:
    if context.voice is None:
        return {}
    return {"voice": {"ready": context.voice.problem is None, "problem": context.voice.problem}}


def _visitor(customer: Customer) -> JsonFrame:
    return {"id": customer.id, "level": customer.level, "name": customer.name}
