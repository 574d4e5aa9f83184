"""One call, for both ways of speech: the conversation as the caller hears it, keys (DTMF), transfer, end."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias, assert_never

import structlog

from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import (
    ClientDisconnected,
    ConfirmationAnswered,
    ConfirmationAsked,
    CustomerMessage,
    DeliveryReceipt,
    Handoff,
    Logged,
    MessageClosed,
    MessageOpened,
    MessageText,
    TurnEnded,
    TurnStarted,
)
from assistant.ports import Clock
from assistant.prompts.utterances import PhoneTold
from assistant.server.phone.phone_context import PhoneContext, Timer
from assistant.sessions.listeners import Listeners
from assistant.sessions.session import Session
from assistant.voice.dictation import ExpectedInput

_OURS = "phone-"


class PhoneSession:
    """A session for a voice connection, with extra spoken texts that are not in the log.

    It begins where the caller was last. What was said while the caller was not connected is said after
    :meth:`begin`. The voice connection itself continues an answer that was cut off.

    Args:
        session: the conversation.
        keys: the text after each yes-or-no question; "" for none.
    """

    def __init__(self, session: Session, keys: str) -> None:
        self._session, self._keys = session, keys
        self.entries: list[Logged] = list(session.entries[: _last_sign(session.entries)])
        self._listeners = Listeners[Sequence[Logged]]()
        self._unlogged = 0
        self._awaited: dict[str, tuple[int, Callable[[], None]]] = {}

    @property
    def key(self) -> ConversationKey:
        """The key of the conversation."""
        return self._session.key

    @property
    def question(self) -> ConfirmationAsked | None:
        """The open read-back, if there is one."""
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
        """Follow the session, beginning with the missed messages; returns a function that stops it."""
        missed = self._session.entries[len(self.entries) :]
        stop = self._session.listen(self._hear)
        if missed:
            self._hear(missed)
        return stop

    def listen(self, listener: Callable[[Sequence[Logged]], None]) -> Callable[[], None]:
        """Call ``listener`` with each batch of entries from now on. An empty batch means that nothing can be
        recorded any more.
        """
        return self._listeners.add(listener)

    def add(self, text: str, heard: Callable[[], None] = lambda: None) -> None:
        """Say a text outside the conversation; ``heard`` is called when the caller has heard all of it."""
        message = self._message(text, "", self.entries[-1] if self.entries else None)
        self._awaited[f"{_OURS}{self._unlogged}"] = len(text), heard
        self._tell(message)

    def typing(self) -> None:
        """Report that the caller is speaking."""
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
        """Handle the caller's message."""
        return await self._session.say(
            client_message_id=client_message_id, text=text, locale=locale, button=button, spoken=spoken
        )

    async def stop(self, turn_id: str | None = None) -> None:
        """Stop speaking."""
        await self._session.stop(turn_id)

    async def heard(self, message_id: str, up_to: int) -> None:
        """Record how much of a message was heard. Texts outside the log are ignored."""
        if not is_unlogged(message_id):
            await self._session.heard(message_id, up_to)
        elif message_id in self._awaited and up_to >= self._awaited[message_id][0]:
            _, heard = self._awaited.pop(message_id)
            heard()

    def _hear(self, batch: Sequence[Logged]) -> None:
        if not batch:
            self._listeners.notify(batch)
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
        self._listeners.notify(batch)


def is_unlogged(message_id: str) -> bool:
    """Whether a message is not in the log."""
    return message_id.startswith(_OURS)


def _last_sign(entries: Sequence[Logged]) -> int:
    """The number of entries up to the last one that shows the caller's presence."""
    for logged in reversed(entries):
        match logged.entry:
            case CustomerMessage() | ClientDisconnected() | DeliveryReceipt(how="heard"):
                return logged.seq
            case _:
                pass
    return 0


PAUSE_S = 2.0
"""After this many seconds without a key, a number is complete."""

_LONG = 4
"""This many digits are a number even if the assistant asked for none."""


@dataclass(frozen=True, slots=True)
class Answered:
    """The key answers the open question."""

    answer: Literal["yes", "no"]


@dataclass(frozen=True, slots=True)
class WantsPerson:
    """The key asks for an agent."""


@dataclass(frozen=True, slots=True)
class Keyed:
    """A number was entered completely."""

    digits: str


Pressed: TypeAlias = Answered | WantsPerson | Keyed

_ANSWERS: dict[str, Literal["yes", "no"]] = {"1": "yes", "2": "no"}


class DtmfReader:
    """Reads one caller's keys. Times are seconds of a monotonic clock.

    As the first key, 1 and 2 answer an open question, and 0 asks for an agent. Other digits form a number,
    which # or a pause ends; * deletes it. Short numbers count only if a number was asked for.
    """

    def __init__(self) -> None:
        self._digits = ""
        self._last_s = 0.0
        self._wanted = False

    def press(self, key: str, now_s: float, *, asked: bool, wanted: bool) -> Pressed | None:
        """Handle a key; returns its meaning when it is complete.

        ``asked``: a yes-or-no question is open. ``wanted``: a number was asked for.
        """
        if not self._digits and not wanted:
            if asked and key in _ANSWERS:
                return Answered(_ANSWERS[key])
            if key == "0":
                return WantsPerson()
        if key == "#":
            return self._complete()
        if key == "*":
            self._digits = ""
        elif key.isdigit():
            self._digits += key
            self._last_s, self._wanted = now_s, wanted
        return None

    @property
    def due_s(self) -> float | None:
        """When the entered number will be complete; None if there is none."""
        return self._last_s + PAUSE_S if self._digits else None

    def passes(self, now_s: float) -> Keyed | None:
        """Handle the passing of time; returns the number that is complete now."""
        due_s = self.due_s
        # A timer for this moment may fire slightly early.
        return self._complete() if due_s is not None and now_s >= due_s - 0.01 else None

    def _complete(self) -> Keyed | None:
        digits, self._digits = self._digits, ""
        return Keyed(digits) if digits and (self._wanted or len(digits) >= _LONG) else None


PATIENCE_S = 12.0
"""After this many seconds a caller is transferred even if it is unknown whether they heard the last words."""


class CallTransfer:
    """Waits for a request for an agent and for the end of the assistant's message about it, then transfers the
    call.

    Args:
        words: the text that is said last.
        now: transfers the call.
    """

    def __init__(self, conversation: PhoneSession, words: str, now: Callable[[], None], clock: Clock) -> None:
        self._conversation, self._words, self._now, self._clock = conversation, words, now, clock
        self._wanted = self._announced = False
        self._running: str | None = None
        self._late = Timer(clock, self._is_late)

    def handle_entries(self, batch: Sequence[Logged]) -> None:
        """Handle the next entries. Call it after the voice connection has handled them."""
        for logged in batch:
            match logged.entry:
                case Handoff(state=state):
                    self._wanted = state == "queued"
                case TurnStarted(turn_id=turn_id):
                    self._running = turn_id
                case TurnEnded():
                    self._running = None
                case _:
                    pass
        if self._wanted and not self._announced and self._running is None:
            self._announced = True
            self._late.at(self._clock.monotonic() + PATIENCE_S)
            self._conversation.add(self._words, self._heard)

    async def close(self) -> None:
        """End: the caller has hung up."""
        await self._late.close()

    async def _is_late(self) -> None:
        self._heard()

    def _heard(self) -> None:
        self._late.at(None)
        if self._wanted:
            self._wanted = False
            self._now()


log = structlog.get_logger(__name__)


class CallVoice(Protocol):
    """The speech part of a call: hears and speaks."""

    @property
    def asked(self) -> bool:
        """Whether a yes-or-no question is open."""
        ...

    @property
    def expecting(self) -> ExpectedInput:
        """The kind of input that the assistant has just asked for."""
        ...

    async def said(self, text: str) -> None:
        """Handle the caller's text, spoken or entered. Raises ``LogError``."""
        ...

    async def press(self, answer: Literal["yes", "no"]) -> None:
        """Handle a key that answers the open question. Raises ``LogError``."""
        ...


class Call:
    """The parts of a call other than speech: keys, transfer, idle time, end.

    Args:
        leave: ends our part of the call; Twilio passes its argument to the route that it asks next.
    """

    def __init__(
        self,
        call_sid: str,
        conversation: PhoneSession,
        phone: PhoneContext,
        clock: Clock,
        *,
        locale: str,
        leave: Callable[[str], None],
    ) -> None:
        self._sid, self._conversation, self._phone, self._clock = call_sid, conversation, phone, clock
        self._locale, self._leave = locale, leave
        words = phone.book().render(PhoneTold(what="transfer"), locale)
        self._transfer = CallTransfer(conversation, words, self._pass_on, clock)
        self._dtmf = DtmfReader()
        self._pause, self._idle = Timer(clock, self._paused), Timer(clock, self._fell_silent)
        self._line: CallVoice | None = None
        self._stop: list[Callable[[], None]] = []

    def start(self, line: CallVoice) -> None:
        """Begin with this voice, which has started."""
        self._line = line
        if self._phone.transfer is not None:
            self._stop.append(self._conversation.listen(self._transfer.handle_entries))
        self._stop += [self._conversation.listen(self._take), self._conversation.begin()]
        self.alive()

    async def close(self) -> None:
        """End: the caller has hung up."""
        for stop in self._stop:
            stop()
        for each in (self._pause, self._idle, self._transfer):
            await each.close()

    def alive(self) -> None:
        """Restart the idle time, because someone speaks."""
        self._idle.at(self._clock.monotonic() + self._phone.limits.idle_s)

    async def key(self, digit: str) -> None:
        """Handle a pressed key. Raises ``LogError``."""
        line = self._line
        if line is None:
            return
        self.alive()
        wanted = line.expecting == "digits"
        pressed = self._dtmf.press(digit, self._clock.monotonic(), asked=line.asked, wanted=wanted)
        await self._follow(pressed, line)
        self._pause.at(self._dtmf.due_s)

    async def _paused(self) -> None:
        if self._line is not None:
            await self._follow(self._dtmf.passes(self._clock.monotonic()), self._line)

    async def _follow(self, pressed: Pressed | None, line: CallVoice) -> None:
        match pressed:
            case Answered(answer=answer):
                await line.press(answer)
            case Keyed(digits=digits):
                await line.said(digits)
            case WantsPerson():
                await line.said(self._asks_for_a_person())
            case None:
                pass
            case _:
                assert_never(pressed)

    def _asks_for_a_person(self) -> str:
        """Messages of customers who want an agent."""
        return self._phone.book().words(self._locale).handoff.examples[0]

    def _take(self, batch: Sequence[Logged]) -> None:
        if batch:
            self.alive()
        else:
            # Nothing can be recorded any more: the connection is cut, and the call continues with the log's
            # entries.
            self._leave(json.dumps({"reason": "broken"}))

    def _pass_on(self) -> None:
        log.info("a call is passed on", call=self._sid)
        self._leave(json.dumps({"reason": "transfer"}))

    async def _fell_silent(self) -> None:
        log.info("a call is ended: no one speaks", call=self._sid)
        try:
            await self._phone.calls.mark_ended(self._sid)
        finally:
            self._leave(json.dumps({"reason": "idle"}))
