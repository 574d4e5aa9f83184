"""A conversation that another server writes: this server reads it from the log, and passes clients' commands on.

So clients on any server see the same conversation, also in the middle of a sentence.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from typing import Any, Literal, TypeAlias, cast

from assistant.conversation.codec import entry_from_json, entry_to_json, kind_of
from assistant.conversation.customer import Customer, CustomerCredential
from assistant.conversation.documents import Attached
from assistant.conversation.entries import (
    ApprovalDecided,
    CallEnded,
    Entry,
    Logged,
    LongCallAccepted,
    LongCallEntry,
    LongCallProgressed,
    Rating,
    ReviewDecided,
)
from assistant.conversation.values import JsonObject
from assistant.errors import Fenced, LogError
from assistant.sessions.session import Button, Session, Taken

Send: TypeAlias = Callable[[JsonObject], Awaitable[bool]]
"""Passes a command on to the server that writes the conversation; False if no live server does."""

RECORDED_S = 20.0
"""Seconds that the other server may take to record the outcome of a long call."""

_LOOK_S = 0.1


class FollowedSession(Session):
    """Reads like any session. Writes become commands, which the other server performs in order.

    It ends (``failed``) when no server writes the conversation any more: open it again, and this server writes
    it.

    Args:
        send: passes a command on.
        tell_typing: tells the other server that the customer is typing; the signal may be lost.
        options: of a :class:`Session`.
    """

    def __init__(self, *, send: Send, tell_typing: Callable[[], None], **options: Any) -> None:
        self._watching: Callable[[Sequence[Logged]], None] | None = None
        super().__init__(**options)
        self._send, self._tell_typing = send, tell_typing

    def receive(self, entries: Sequence[Logged]) -> None:
        """Apply entries that the other server has appended, in order; known entries are skipped."""
        new = [logged for logged in entries if logged.seq > self.state.seq]
        if new and new[0].seq != self.state.seq + 1:  # missing entries would never be shown
            self.stop_recording(Fenced(f"entries of conversation {self.key.conversation} were missed"))
            return
        for logged in new:
            self.state.apply(logged)
        if new:
            self._publish(new)

    def watch(self, seen: Callable[[Sequence[Logged]], None]) -> None:
        """Call ``seen`` with each batch of new entries. Unlike :meth:`listen`, it does not count as a connected
        client.
        """
        self._watching = seen

    def _publish(self, batch: Sequence[Logged]) -> None:
        super()._publish(batch)
        if self._watching is not None:
            self._watching(batch)

    async def say(
        self,
        *,
        client_message_id: str,
        text: str,
        locale: str,
        button: Button | None = None,
        attachments: tuple[Attached, ...] = (),
        spoken: bool = False,
    ) -> Taken:
        """Pass a customer's message on. Its entry arrives from the log when the message is accepted."""
        if client_message_id in self.state.client_ids:
            return "known"
        # Only if it is needed: an older release does not know this option.
        about = {"question": self.question.confirmation_id} if button and self.question is not None else {}
        await self._pass_on(
            "say",
            client_message_id=client_message_id,
            text=text,
            locale=locale,
            button=button,
            attachments=[asdict(one) for one in attachments],
            spoken=spoken,
            **about,
        )
        return "accepted"

    async def welcome(self, customer: Customer | None, credential: CustomerCredential | None = None) -> None:
        """Set the customer that was verified here; the other server receives the customer, and the news of a
        credential.
        """
        if credential is not None:
            await self.take_credential(credential)
        if customer is not None:
            self.customer = customer
            if self.customer.level != self.state.level:
                await self._pass_on(
                    "welcome", level=customer.level, name=customer.name, locale=customer.locale
                )

    async def take_credential(self, credential: CustomerCredential) -> None:
        """Store the credential, from where the other server reads it: a command never contains it."""
        await super().take_credential(credential)
        await self._pass_on("take_stored_credential")

    def resume(self) -> None:
        """The other server continues unfinished work."""

    def _summarise(self) -> None:
        """Does nothing: the other server makes the summaries. An entry of our own would use one of its numbers."""

    async def record(self, entry: Entry, turn_id: str = "", *, durable: bool = False) -> None:  # noqa: ARG002
        """Always raises ``Fenced``: only the server that writes the conversation records entries."""
        raise Fenced(f"conversation {self.key.conversation} is written by another server")

    async def stop(self, turn_id: str | None = None) -> None:
        """Ask for the running turn to be stopped; returns immediately."""
        await self._pass_on("stop", turn_id=turn_id)

    async def heard(self, message_id: str, up_to: int) -> None:
        """Pass on how much of a message was heard."""
        await self._pass_on("heard", message_id=message_id, up_to=up_to)

    async def rate(self, message_id: str, rating: Rating | None, text: str = "") -> bool:
        """Pass on a rating; False if the assistant has not said this message."""
        message = self.state.message(message_id)
        if message is None or message.kind is None:
            return False
        await self._pass_on("rate", message_id=message_id, rating=rating, text=text)
        return True

    def report_delivery(self, message_id: str, how: Literal["sent", "seen"], up_to: int) -> None:
        """Does nothing: delivery reports may be lost, and are not worth a command each."""

    def typing(self) -> None:
        """Tell the other server; the signal may be lost, because the customer continues to type."""
        self._tell_typing()

    def came(self, last_seq: int) -> None:
        """Does nothing, like :meth:`report_delivery`."""

    def left(self, last_seq: int) -> None:
        """Does nothing, like :meth:`report_delivery`."""

    async def pass_on_handoff(self, action: str, options: JsonObject) -> None:
        """Pass an agent's action on. Raises ``Fenced`` like the other commands."""
        await self._pass_on("handoff", action=action, options=options)

    async def record_long_call(self, turn_id: str, entry: LongCallEntry) -> None:
        """Pass another process's report of a long call on. With an outcome, wait until it is in the log.

        Raises ``LogError`` if the outcome is not logged: report it again.
        """
        if isinstance(entry, CallEnded) and entry.outcome.call.id in self.state.turn(turn_id).outcomes:
            return
        command = long_call_command(turn_id, entry)
        await self._pass_on("record_long_call", **{name: command[name] for name in command if name != "do"})
        if not isinstance(entry, CallEnded):
            return
        self.expect_client(RECORDED_S)  # it must not be closed as unused meanwhile
        clock = self.config.deps.clock
        until = clock.monotonic() + RECORDED_S
        while entry.outcome.call.id not in self.state.turn(turn_id).outcomes:
            if self.failed or clock.monotonic() >= until:
                raise LogError(
                    f"conversation {self.key.conversation}: an outcome was passed on, and not recorded"
                )
            await clock.sleep(_LOOK_S)

    async def decide_approval(self, turn_id: str, decided: ApprovalDecided) -> bool:
        """Pass a colleague's decision on, and wait until a decision is in the log; False if it is another one.

        Raises ``LogError`` if none is logged in time: try again, which is safe.
        """
        if not self.awaits_approval(turn_id, decided.call_id):
            return False
        await self._pass_on("decide_approval", turn_id=turn_id, entry=entry_to_json(decided))
        await self._until_decided(lambda: self.awaits_approval(turn_id, decided.call_id))
        return self.state.turn(turn_id).approvals[decided.call_id].decided == decided

    async def decide_review(self, turn_id: str, decided: ReviewDecided) -> bool:
        """Pass a colleague's decision about a reply on; see :meth:`decide_approval`."""
        if not self.awaits_review(turn_id):
            return False
        await self._pass_on("decide_review", turn_id=turn_id, entry=entry_to_json(decided))
        await self._until_decided(lambda: self.awaits_review(turn_id))
        review = self.state.turn(turn_id).review
        return review is not None and review.decided == decided

    async def _until_decided(self, waits: Callable[[], bool]) -> None:
        clock = self.config.deps.clock
        until = clock.monotonic() + RECORDED_S
        while waits():
            if self.failed or clock.monotonic() >= until:
                raise LogError(
                    f"conversation {self.key.conversation}: a decision was passed on, and not recorded"
                )
            await clock.sleep(_LOOK_S)

    async def report_clients(self, for_s: float) -> None:
        """Tell the other server that clients are connected here. The signal may be lost."""
        with suppress(LogError):
            await self._pass_on("has_clients_elsewhere", for_s=for_s)

    async def _pass_on(self, command: str, **options: object) -> None:
        """Send a command to the server that writes the conversation.

        If no live server writes it, this session ends, and ``Fenced`` is raised.
        """
        if not await self._send(cast("JsonObject", {"do": command, **options})):
            self.stop_recording(Fenced(f"conversation {self.key.conversation} is free: open it again"))
            raise Fenced(f"conversation {self.key.conversation} is free: open it again")


def long_call_command(turn_id: str, entry: LongCallEntry) -> JsonObject:
    """The command that asks another server to record this report."""
    return {
        "do": "record_long_call",
        "turn_id": turn_id,
        "kind": kind_of(entry),
        "entry": entry_to_json(entry),
    }


async def execute_command(command: Mapping[str, Any], session: Session) -> bool:
    """Perform the command of a client on another server. False if it has to wait, because the queue is full."""
    options = {name: value for name, value in command.items() if name != "do"}
    match command["do"]:
        case "say":
            attachments = tuple(Attached(**one) for one in options.pop("attachments"))
            question = options.pop("question", None)  # an older release does not send it
            if question is not None and (
                session.question is None or session.question.confirmation_id != question
            ):
                return True  # the question has closed: the button was not pressed for the question that is open now
            return await session.say(**options, attachments=attachments) != "busy"
        case "welcome":
            known = Customer(tenant=session.key.tenant, id=session.key.customer, **options)
            await session.welcome(known)
        case "take_stored_credential":
            await session.take_stored_credential()
        case "has_clients_elsewhere":
            session.has_clients_elsewhere(**options)
        case "stop":
            await session.stop(**options)
        case "heard":
            await session.heard(**options)
        case "rate":
            await session.rate(**options)
        case "record_long_call":
            entry = entry_from_json(options["kind"], options["entry"])
            if isinstance(entry, CallEnded | LongCallAccepted | LongCallProgressed):
                await session.record_long_call(options["turn_id"], entry)
        case "decide_approval":
            decided = entry_from_json("approval_decided", options["entry"])
            if isinstance(decided, ApprovalDecided):
                await session.decide_approval(options["turn_id"], decided)
        case "decide_review":
            reviewed = entry_from_json("review_decided", options["entry"])
            if isinstance(reviewed, ReviewDecided):
                await session.decide_review(options["turn_id"], reviewed)
        case "handoff":
            if session.takeover is not None:
                await session.takeover.perform_action(**options)
        case _:
            pass  # a newer release's command: its sender sees that it had no effect
    return True
