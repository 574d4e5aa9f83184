"""A conversation on the phone: it also says what only callers are told."""

from collections.abc import Callable, Sequence
from typing import Literal

from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import (
    ClientDisconnected,
    ConfirmationAnswered,
    ConfirmationAsked,
    CustomerMessage,
    DeliveryReceipt,
    Logged,
    MessageClosed,
    MessageOpened,
    MessageText,
)
from assistant.sessions.listeners import Listeners
from assistant.sessions.session import Session

_OURS = "phone-"


class PhoneSession:
    """A session, as a line asks for one, with words that stand in no log among its entries.

    It begins where the caller was last: what was said since then, while nobody was on the line, is said as soon as
    :meth:`begin` is called.

    Args:
        session: the conversation.
        keys: what follows each question that wants yes or no; "" for nothing.
    """

    def __init__(self, session: Session, keys: str) -> None:
        self._session, self._keys = session, keys
        self.entries: list[Logged] = list(session.entries[: _last_sign(session.entries)])
        self._listeners = Listeners[Sequence[Logged]]()
        self._unlogged = 0
        self._awaited: dict[str, tuple[int, Callable[[], None]]] = {}

    @property
    def key(self) -> ConversationKey:
        """Whose conversation it is."""
        return self._session.key

    @property
    def question(self) -> ConfirmationAsked | None:
        """The read-back that waits for an answer, if there is one."""
        for logged in reversed(self._session.entries):
            match logged.entry:
                case ConfirmationAnswered():
                    return None
                case ConfirmationAsked() as asked:
                    return asked
                case _:
                    pass
        return None

    def begin(self) -> Callable[[], None]:
        """Follow the session, from what was missed on; gives back what stops it."""
        missed = self._session.entries[len(self.entries) :]
        stop = self._session.listen(self._hear)
        if missed:
            self._hear(missed)
        return stop

    def listen(self, listener: Callable[[Sequence[Logged]], None]) -> Callable[[], None]:
        """Hand ``listener`` every batch of entries from now on; an empty one: nothing can be recorded any more."""
        return self._listeners.add(listener)

    def add(self, text: str, heard: Callable[[], None] = lambda: None) -> None:
        """Say something that is no part of the conversation; ``heard``: it was, to its end."""
        message = self._message(text, "", self.entries[-1] if self.entries else None)
        self._awaited[f"{_OURS}{self._unlogged}"] = len(text), heard
        self._tell(message)

    def typing(self) -> None:
        """The caller is speaking."""
        self._session.typing()

    async def say(
        self,
        *,
        client_message_id: str,
        text: str,
        locale: str,
        button: Literal["yes", "no"] | None = None,
        spoken: bool = False,
    ) -> Literal["accepted", "known", "busy"]:
        """Take the caller's message."""
        return await self._session.say(
            client_message_id=client_message_id, text=text, locale=locale, button=button, spoken=spoken
        )

    async def stop(self, turn_id: str | None = None) -> None:
        """Stop what is being said."""
        await self._session.stop(turn_id)

    async def heard(self, message_id: str, up_to: int) -> None:
        """So much of a message was heard; of what stands in no log nothing is noted."""
        if not is_unlogged(message_id):
            await self._session.heard(message_id, up_to)
        elif message_id in self._awaited and up_to >= self._awaited[message_id][0]:
            _, heard = self._awaited.pop(message_id)
            heard()

    def _hear(self, batch: Sequence[Logged]) -> None:
        if not batch:
            self._listeners.tell(batch)
            return
        told: list[Logged] = []
        for logged in batch:
            told.append(logged)
            if isinstance(logged.entry, ConfirmationAsked) and self._keys:
                told += self._message(self._keys, logged.turn_id, logged)
        self._tell(told)

    def _message(self, text: str, turn_id: str, after: Logged | None) -> list[Logged]:
        self._unlogged += 1
        message_id = f"{_OURS}{self._unlogged}"
        entries = (
            MessageOpened(message_id=message_id, round=1, model_written=True),
            MessageText(message_id=message_id, text=text),
            MessageClosed(message_id=message_id, kind="response"),
        )
        seq, at_ms = (after.seq, after.at_ms) if after is not None else (0, 0)
        return [Logged(seq, at_ms, turn_id, entry) for entry in entries]

    def _tell(self, batch: Sequence[Logged]) -> None:
        self.entries.extend(batch)
        self._listeners.tell(batch)


def is_unlogged(message_id: str) -> bool:
    """Whether a message stands in no log."""
    return message_id.startswith(_OURS)


def _last_sign(entries: Sequence[Logged]) -> int:
    """How many entries there are up to the last one that the caller gave a sign of themselves by."""
    for logged in reversed(entries):
        match logged.entry:
            case CustomerMessage() | ClientDisconnected() | DeliveryReceipt(how="heard"):
                return logged.seq
            case _:
                pass
    return 0
