"""A conversation that another server writes: it is read here from the log, and what clients do is passed on.

Clients on any server so see the same conversation, in the middle of a sentence too.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from typing import Any, Literal, TypeAlias, cast

from assistant.conversation.codec import entry_from_json, entry_to_json, kind_of
from assistant.conversation.customer import Customer, CustomerCredential
from assistant.conversation.documents import Attached
from assistant.conversation.entries import (
    CallEnded,
    Entry,
    Logged,
    LongCallAccepted,
    LongCallEntry,
    LongCallProgressed,
    Rating,
)
from assistant.conversation.values import JsonObject
from assistant.errors import Fenced, LogError
from assistant.sessions.session import Button, Session, Taken

Send: TypeAlias = Callable[[JsonObject], Awaitable[bool]]
"""Passes a command on to the server that writes the conversation; False if no live server does."""

RECORDED_S = 20.0
"""So long the other server may take to record the outcome of a long call."""

_LOOK_S = 0.1


class FollowedSession(Session):
    """Reads like any session. Writes become commands, which the other server carries out in order.

    It is over (``failed``) when no server writes the conversation any more: open it again, and this server does.

    Args:
        send: passes a command on.
        tell_typing: tells the other server that the customer is typing; it may be lost.
        options: of a :class:`Session`.
    """

    def __init__(self, *, send: Send, tell_typing: Callable[[], None], **options: Any) -> None:
        self._watching: Callable[[Sequence[Logged]], None] | None = None
        super().__init__(**options)
        self._send, self._tell_typing = send, tell_typing

    def receive(self, entries: Sequence[Logged]) -> None:
        """Take over entries that the other server has appended, in order; those that are known already are
        left out.
        """
        new = [logged for logged in entries if logged.seq > self.state.seq]
        if new and new[0].seq != self.state.seq + 1:  # what is missing would never be shown
            self.stop_recording(Fenced(f"entries of conversation {self.key.conversation} were missed"))
            return
        for logged in new:
            self.state.apply(logged)
        if new:
            self._publish(new)

    def watch(self, seen: Callable[[Sequence[Logged]], None]) -> None:
        """Call ``seen`` with each batch of new entries. Unlike :meth:`listen` it is no client's connection."""
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
        """Pass a customer's message on. Its entry comes back from the log when it is accepted."""
        if client_message_id in self.state.client_ids:
            return "known"
        # Only where it is needed: an older release knows no such option.
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
        """Set the customer that was verified here; the other server learns of it and of a credential."""
        if credential is not None:
            await self.take_credential(credential)
        if customer is not None:
            self.customer = customer
            if self.customer.level != self.state.level:
                await self._pass_on(
                    "welcome", level=customer.level, name=customer.name, locale=customer.locale
                )

    async def take_credential(self, credential: CustomerCredential) -> None:
        """Store the credential, from where the other server takes it: it never stands in a command."""
        await super().take_credential(credential)
        await self._pass_on("take_stored_credential")

    def resume(self) -> None:
        """The other server continues unfinished work."""

    def _summarise(self) -> None:
        """The other server makes the summaries: an entry of our own would take a number of its."""

    async def record(self, entry: Entry, turn_id: str = "", *, durable: bool = False) -> None:  # noqa: ARG002
        """Only the server that writes the conversation can do this. Raises ``Fenced``."""
        raise Fenced(f"conversation {self.key.conversation} is written by another server")

    async def stop(self, turn_id: str | None = None) -> None:
        """Ask for the running turn to be stopped; returns at once."""
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
        """Delivery is not recorded from here: it may be lost, and it is not worth a command each."""

    def typing(self) -> None:
        """Tell the other server; a lost one is no loss, because the customer goes on typing."""
        self._tell_typing()

    def came(self, last_seq: int) -> None:
        """As with deliveries."""

    def left(self, last_seq: int) -> None:
        """As with deliveries."""

    async def pass_on_handoff(self, action: str, options: Mapping[str, str]) -> None:
        """Pass on what an agent does. Raises ``Fenced`` as all else here."""
        await self._pass_on("handoff", action=action, options=options)

    async def record_long_call(self, turn_id: str, entry: LongCallEntry) -> None:
        """Pass on what another process reports of a long call. With an outcome, wait until it is in the log.

        Raises ``LogError`` if it does not come: report it again.
        """
        if isinstance(entry, CallEnded) and entry.outcome.call.id in self.state.turn(turn_id).outcomes:
            return
        command = long_call_command(turn_id, entry)
        await self._pass_on("record_long_call", **{name: command[name] for name in command if name != "do"})
        if not isinstance(entry, CallEnded):
            return
        clock = self.config.parts.clock
        until = clock.monotonic() + RECORDED_S
        while entry.outcome.call.id not in self.state.turn(turn_id).outcomes:
            if self.failed or clock.monotonic() >= until:
                raise LogError(
                    f"conversation {self.key.conversation}: an outcome was passed on, and not recorded"
                )
            await clock.sleep(_LOOK_S)

    async def report_clients(self, for_s: float) -> None:
        """Tell the other server that clients are connected here. It may be lost."""
        with suppress(LogError):
            await self._pass_on("has_clients_elsewhere", for_s=for_s)

    async def _pass_on(self, command: str, **options: object) -> None:
        """Raises ``Fenced`` when no server writes the conversation: this session is over then."""
        if not await self._send(cast("JsonObject", {"do": command, **options})):
            self.stop_recording(Fenced(f"conversation {self.key.conversation} is free: open it again"))
            raise Fenced(f"conversation {self.key.conversation} is free: open it again")


def long_call_command(turn_id: str, entry: LongCallEntry) -> JsonObject:
    """What asks another server to record this."""
    return {
        "do": "record_long_call",
        "turn_id": turn_id,
        "kind": kind_of(entry),
        "entry": entry_to_json(entry),
    }


async def carry_out(command: Mapping[str, Any], session: Session) -> bool:
    """Do what a client on another server asked for. False if it has to wait, because the queue is full."""
    options = {name: value for name, value in command.items() if name != "do"}
    match command["do"]:
        case "say":
            attachments = tuple(Attached(**one) for one in options.pop("attachments"))
            question = options.pop("question", None)  # an older release does not say
            if question is not None and (
                session.question is None or session.question.confirmation_id != question
            ):
                return True  # closed meanwhile: the button was not pressed for the one that is open now
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
        case "handoff":
            if session.takeover is not None:
                await session.takeover.carry_out(**options)
        case _:
            pass  # of a newer release: its sender sees that nothing came of it
    return True
