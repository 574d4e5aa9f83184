"""The console's live line: one websocket of a page, on which it follows what it shows.

The page sends ``hello``, then ``follow`` for each topic. ``following`` is the answer: it says whether the news
that the page has missed come next, or whether it must read everything again. The rules are those of the
customers' socket: each piece of news has a number, and a page that comes back says the newest that it has.

The session's cookie signs the page in, and only a page of the console's own origin may connect. The session and the
person's roles are looked at again and again: a page loses its line when the session ends.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Annotated, Literal, TypeAlias

import structlog
from fastapi import WebSocket
from fastapi.responses import PlainTextResponse
from pydantic import Field, TypeAdapter, ValidationError

from assistant.conversation.customer import ConversationKey
from assistant.errors import LogError
from assistant.server.console.access import COOKIE, ConsoleRefused
from assistant.server.console.console_context import Console
from assistant.server.console.live_topics import Follower, TopicUnknown, TypedTopic
from assistant.server.frames import close_codes
from assistant.server.frames.client_frames import ClientFrame, Seq, complaint
from assistant.server.frames.close_codes import Close
from assistant.server.frames.frame import JsonFrame
from assistant.server.limits import TokenBuckets
from assistant.server.proxies import client_address
from assistant.server.staff_websocket import WaitingFrames, serve_staff
from assistant.server.websocket import refusal
from assistant.staff.audit import AuditRecord
from assistant.staff.staff import SignedIn

PATH = "/console/live"
SUBPROTOCOL = "meanwhile.console.v1"

MOST_FOLLOWED = 20
FRAMES_PER_MINUTE = 600
HELLO_S = 10.0
LOOK_AGAIN_S = 15.0
"""After this time the session and the roles are looked at again."""

SIGNED_OUT = Close(4401, "you are not signed in, or your session has ended")

log = structlog.get_logger(__name__)


class LiveHello(ClientFrame):
    """The first frame."""

    type: Literal["hello"]


class Follow(ClientFrame):
    """Follows a topic; the same again begins it anew."""

    type: Literal["follow"]
    topic: Annotated[str, Field(min_length=1, max_length=64)]
    id: Annotated[str, Field(max_length=128)] = Field(default="", description="what of the topic")
    epoch: Annotated[str, Field(max_length=128)] = Field(default="", description="the numbering it knows")
    seq: Seq = Field(default=0, description="the newest news that the page has")


class Unfollow(ClientFrame):
    """Ends it."""

    type: Literal["unfollow"]
    topic: Annotated[str, Field(min_length=1, max_length=64)]
    id: Annotated[str, Field(max_length=128)] = ""


class LiveTyping(ClientFrame):
    """The person is typing in something that the page follows. There is no answer, and it may be lost."""

    type: Literal["typing"]
    topic: Annotated[str, Field(min_length=1, max_length=64)]
    id: Annotated[str, Field(max_length=128)] = ""


class LivePing(ClientFrame):
    """Checks the line."""

    type: Literal["ping"]


_AnyFrame: TypeAlias = LiveHello | Follow | Unfollow | LiveTyping | LivePing
_FRAMES: TypeAdapter[_AnyFrame] = TypeAdapter(Annotated[_AnyFrame, Field(discriminator="type")])


async def serve_console_page(websocket: WebSocket, console: Console, frames: TokenBuckets) -> None:
    """Serve one page until either side closes. No input raises an error out of this function."""
    # No page of another site may use the cookie, and programs without an origin have no business here.
    refused = refusal(websocket, SUBPROTOCOL, ())
    if "origin" not in websocket.headers:
        refused = PlainTextResponse("Only pages of the console may connect.\n", status_code=403)
    if refused is not None:
        await websocket.send_denial_response(refused)
        return
    await serve_staff(websocket, SUBPROTOCOL, _Line(websocket, console, frames).serve)


class _Line:
    """One page's connection."""

    def __init__(self, websocket: WebSocket, console: Console, frames: TokenBuckets) -> None:
        self._websocket, self._console, self._frames = websocket, console, frames
        self._token = websocket.cookies.get(COOKIE, "")
        self._waiting = WaitingFrames(websocket)
        self._followed: dict[tuple[str, str], Callable[[], None]] = {}

    async def serve(self) -> Close:
        """Everything after the handshake; returns the reason to close. Raises ``WebSocketDisconnect``."""
        # Looked up before anything is read: who is not signed in gets nothing.
        if await self._person(used=True) is None:
            return SIGNED_OUT
        try:
            async with self._console.clock.timeout(HELLO_S):
                hello = await self._frame()
        except TimeoutError:
            return close_codes.HELLO_LATE
        if not isinstance(hello, LiveHello):
            return close_codes.NO_HELLO
        await self._note_presence()
        self._waiting.add({"type": "welcome"})
        try:
            return await self._waiting.send_while(self._receive(), self._look_again())
        finally:
            for stop in self._followed.values():
                stop()

    async def _person(self, *, used: bool = False) -> SignedIn | None:
        return await self._console.staff.signed_in(self._token, used=used) if self._token else None

    async def _look_again(self) -> Close:
        """Returns when the session has ended."""
        ever = asyncio.Event()
        while True:
            with suppress(TimeoutError):
                async with self._console.clock.timeout(LOOK_AGAIN_S):
                    await ever.wait()
            who = await self._person()
            if who is None:
                return SIGNED_OUT
            await self._note_presence()
            for topic, object_id in list(self._followed):
                if self._console.topics[topic].permission not in who.account.may:
                    self._unfollow(topic, object_id)
                    self._refuse(topic, object_id, "not_allowed", "your roles do not include this any more")

    async def _note_presence(self) -> None:
        """Note that the person is there; conversations may be assigned to them then."""
        inbox, who = self._console.inbox, await self._person()
        if inbox is None or who is None:
            return
        try:
            for session in await inbox.come_for(who.account):
                await self._record(who, "conversation.assign_automatically", "conversation", session.key)
        except (LogError, ConsoleRefused) as error:
            # It is tried again a moment later; the page need not lose its line.
            log.warning("a person's presence was not noted, or nothing was assigned", why=str(error))

    async def _record(self, who: SignedIn, action: str, kind: str, key: ConversationKey) -> None:
        await self._console.audit.add_record(
            AuditRecord(
                tenant=self._console.staff.tenant,
                at_ms=self._console.clock.now_ms(),
                account=who.account.id,
                login=who.account.login,
                action=action,
                kind=kind,
                object=key.conversation,
                customer=key.customer,
                address=client_address(self._websocket) or "",
                outcome="ok",
            )
        )

    async def _receive(self) -> Close:
        while self._frames.allow(client_address(self._websocket) or "here"):
            match await self._frame():
                case LiveHello():
                    self._refuse("", "", "bad_frame", "hello comes once, as the first frame")
                case LivePing():
                    self._waiting.add({"type": "pong"})
                case Follow() as follow:
                    if (who := await self._person(used=True)) is None:
                        return SIGNED_OUT
                    await self._follow(follow, who)
                case Unfollow(topic=topic, id=object_id):
                    self._unfollow(topic, object_id)
                case LiveTyping(topic=topic, id=object_id):
                    await self._note_typing(topic, object_id)
                case str() as problem:
                    self._refuse("", "", "bad_frame", problem)
        return close_codes.TOO_MANY

    async def _follow(self, follow: Follow, who: SignedIn) -> None:
        topic, named = self._console.topics.get(follow.topic), (follow.topic, follow.id)
        self._unfollow(*named)
        if topic is None:
            known = ", ".join(self._console.topics) or "none"
            self._refuse(*named, "unknown", f"there is no topic {follow.topic!r}; known: {known}")
            return
        if topic.permission not in who.account.may:
            self._refuse(*named, "not_allowed", f"your roles do not include {topic.permission}")
            return
        if len(self._followed) >= MOST_FOLLOWED:
            self._refuse(*named, "too_many", f"a page follows at most {MOST_FOLLOWED} things")
            return

        def send(frame: JsonFrame) -> None:
            self._waiting.add({**frame, "topic": follow.topic, "id": follow.id})

        async def record(customer: str) -> None:
            key = ConversationKey(
                tenant=self._console.staff.tenant, customer=customer, conversation=follow.id
            )
            await self._record(who, f"{follow.topic}.read", follow.topic, key)

        follower = Follower(
            account=who.account,
            object_id=follow.id,
            epoch=follow.epoch,
            seq=follow.seq,
            send=send,
            record=record,
        )
        try:
            self._followed[named] = await topic.follow(follower)
        except TopicUnknown:
            self._refuse(*named, "unknown", "this is not there any more")
        except LogError as error:
            log.warning("a page could not follow", topic=follow.topic, why=str(error))
            self._refuse(*named, "busy", str(error))

    async def _note_typing(self, topic: str, object_id: str) -> None:
        known = self._console.topics.get(topic)
        if (topic, object_id) not in self._followed or not isinstance(known, TypedTopic):
            return
        if (who := await self._person(used=True)) is not None:
            known.note_typing(who.account, object_id)

    def _unfollow(self, topic: str, object_id: str) -> None:
        if (stop := self._followed.pop((topic, object_id), None)) is not None:
            stop()

    def _refuse(self, topic: str, object_id: str, code: str, message: str) -> None:
        self._waiting.add(
            {"type": "refused", "topic": topic, "id": object_id, "code": code, "message": message}
        )

    async def _frame(self) -> _AnyFrame | str:
        """The next frame, or its problem. Raises ``WebSocketDisconnect``."""
        raw = await self._websocket.receive_text()
        try:
            return _FRAMES.validate_json(raw)
        except ValidationError as error:
            return complaint(error)
