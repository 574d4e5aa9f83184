"""Conversations for the checks: a hand-written log at given times, and its frames."""

from datetime import datetime
from typing import Literal, Self, TypeAlias

from assistant.conversation.calls import Call, call_id
from assistant.conversation.entries import (
    CallEnded,
    CallRequested,
    CallStarted,
    ConfirmationAsked,
    CustomerMessage,
    Entry,
    GuardrailName,
    Logged,
    MessageClosed,
    MessageOpened,
    MessageText,
    SentenceSuppressed,
    TurnEnded,
    TurnStarted,
)
from assistant.conversation.outcomes import (
    CallCancelled,
    CallDenied,
    CallEmpty,
    CallFailed,
    CallSucceeded,
    CallTimedOut,
    CallUnknown,
    Outcome,
)
from assistant.conversation.tool_spec import Hint, ToolSpec
from assistant.conversation.values import Effect, HowTurnEnded, Json, JsonObject, MessageKind
from assistant.prompts.book import shipped_book
from assistant.replay.cassette import Cassette, Event, HeardFrame, Turn
from assistant.replay.checks.check import check
from assistant.replay.checks.transcript import CheckFailure
from assistant.replay.expectations import Expectations
from assistant.replay.played import Played, ReceivedFrame
from assistant.server.projector import Projector

BEGAN_MS = 1_795_420_800_000
NOW = datetime.fromisoformat("2026-11-23T09:00:00+01:00")

Told: TypeAlias = tuple[int, str]
"""Some words, and when they were shown."""


def _spec(name: str, doing: str, will: str, de: tuple[str, str], effect: Effect = "read") -> ToolSpec:
    hints = {"en": Hint(doing=doing, will=will), "de": Hint(doing=de[0], will=de[1])}
    return ToolSpec(name=name, description=will, parameters={}, hints=hints, effect=effect)


SPECS = (
    _spec(
        "list_upcoming_appointments",
        "looking up your appointments",
        "look up your appointments",
        ("Ihre Termine heraussuchen", "suche Ihre Termine heraus"),
    ),
    _spec(
        "get_open_invoices",
        "checking your billing",
        "check your billing",
        ("Ihre Rechnungen prüfen", "prüfe Ihre Rechnungen"),
    ),
    _spec(
        "get_order_status",
        "checking your order",
        "check your order",
        ("Ihre Bestellung prüfen", "prüfe Ihre Bestellung"),
    ),
    _spec(
        "cancel_appointment",
        "cancelling your appointment",
        "cancel your appointment",
        ("Ihren Termin absagen", "sage Ihren Termin ab"),
        "write",
    ),
)


class Acted:
    """A conversation as it was held; times are in ms after its beginning, those of one kind in their order."""

    def __init__(self) -> None:
        self._entries: list[tuple[int, str, Entry]] = []
        self._turn = 0
        self._messages = 0
        self._calls: dict[tuple[int, int], int] = {}

    def customer(
        self,
        text: str,
        at_ms: int = 0,
        *,
        locale: str = "en",
        button: Literal["yes", "no"] | None = None,
        started_ms: int | None = None,
    ) -> Self:
        """The customer says something, and a turn begins for it."""
        self._turn += 1
        id_ = f"u{self._turn}"
        said = CustomerMessage(
            message_id=id_, client_message_id=f"m{self._turn}", text=text, locale=locale, button=button
        )
        self._entries.append((at_ms, "", said))
        return self.logs(
            started_ms if started_ms is not None else at_ms,
            TurnStarted(turn_id=f"t{self._turn}", message_id=id_, cause="message", bundle="b"),
        )

    def says(
        self,
        *told: Told,
        kind: MessageKind | None = "response",
        round_: int = 1,
        interrupted: bool = False,
        own_words: bool = True,
    ) -> Self:
        """The assistant says something, piece by piece; of no ``kind`` while it is not complete."""
        self._messages += 1
        id_ = f"m{self._messages}"
        self.logs(told[0][0], MessageOpened(message_id=id_, round=round_, model_written=own_words))
        for at_ms, text in told:
            if text:
                self.logs(at_ms, MessageText(message_id=id_, text=text))
        if kind is not None:
            self.logs(told[-1][0], MessageClosed(message_id=id_, kind=kind, interrupted=interrupted))
        return self

    def acknowledges(self, *told: Told) -> Self:
        """The assistant says what it is going to do."""
        return self.says(*told, kind="acknowledgement", own_words=False)

    def calls(
        self,
        tool: str,
        ran: tuple[int, int] | tuple[int, None] | None = (0, 0),
        outcome: Outcome | None = None,
        *,
        gives: Json = "found",
        arguments: JsonObject | None = None,
        round_: int = 1,
    ) -> Self:
        """A call that ran from one time to another, and ended so; the outcome's own call does not matter."""
        number = self._calls[self._turn, round_] = self._calls.get((self._turn, round_), 0) + 1
        call = Call(id=call_id(round_, number), tool=tool, arguments=arguments or {})
        began = ran[0] if ran is not None else 0
        self.logs(began, CallRequested(call=call))
        if ran is not None:
            self.logs(began, CallStarted(call_id=call.id, tool=tool, idempotency_key=f"k{call.id}"))
        ended = ran[1] if ran is not None else began
        if ended is not None:
            its = _of(call, outcome) if outcome is not None else CallSucceeded(call=call, value=gives)
            self.logs(ended, CallEnded(outcome=its, duration_ms=ended - began))
        return self

    def asks(self, at_ms: int, read_back: str, *calls: Call) -> Self:
        """The assistant asks whether these calls may run."""
        return self.says((at_ms, read_back)).logs(
            at_ms,
            ConfirmationAsked(
                confirmation_id=f"t{self._turn}/q", calls=calls, read_back=read_back, expires_at_ms=BEGAN_MS
            ),
        )

    def withholds(self, at_ms: int, guard: GuardrailName, text: str) -> Self:
        """A guard keeps a sentence back."""
        return self.logs(at_ms, SentenceSuppressed(round=1, guardrail=guard, text=text))

    def ends(self, at_ms: int, how: HowTurnEnded = "answered") -> Self:
        """The turn is over."""
        return self.logs(at_ms, TurnEnded(turn_id=f"t{self._turn}", how=how))

    def logs(self, at_ms: int, entry: Entry) -> Self:
        """Any entry of the current turn."""
        self._entries.append((at_ms, f"t{self._turn}", entry))
        return self

    @property
    def entries(self) -> tuple[Logged, ...]:
        """The log: by time, what came at one time in the order in which it was written down."""
        by_time = sorted(self._entries, key=lambda entry: entry[0])
        return tuple(
            Logged(seq, BEGAN_MS + at_ms, turn_id, entry)
            for seq, (at_ms, turn_id, entry) in enumerate(by_time, start=1)
        )

    def played(self, *unscripted: str) -> Played:
        """What a client heard of it."""
        projector = Projector(_doing)
        projected = [(logged.at_ms - BEGAN_MS, projector.project(logged)) for logged in self.entries]
        frames = tuple(ReceivedFrame(at_ms, frame) for at_ms, frame in projected if frame is not None)
        return Played(BEGAN_MS, frames, self.entries, unscripted)


def _doing(tool: str, locale: str) -> str:
    return next((spec.hints["en"].doing for spec in SPECS if spec.name == tool), "")


def _of(call: Call, outcome: Outcome) -> Outcome:
    match outcome:
        case CallFailed(say=say, for_model=for_model):
            return CallFailed(call=call, say=say, for_model=for_model)
        case CallDenied(say=say):
            return CallDenied(call=call, say=say, for_model="")
        case CallTimedOut(after_s=after_s):
            return CallTimedOut(call=call, after_s=after_s)
        case CallCancelled(why=why):
            return CallCancelled(call=call, why=why)
        case CallUnknown():
            return CallUnknown(call=call)
        case CallEmpty():
            return CallEmpty(call=call)
        case _:
            raise AssertionError(outcome)


_ANY = Call(id="c1.1", tool="any")
TIMED_OUT = CallTimedOut(call=_ANY, after_s=10)
CANCELLED = CallCancelled(call=_ANY, why="stopped")
UNKNOWN = CallUnknown(call=_ANY)
EMPTY = CallEmpty(call=_ANY)


def failed(say: str = "that did not work", *, for_model: str = "") -> Outcome:
    """A call that could not."""
    return CallFailed(call=_ANY, say=say, for_model=for_model)


def denied(say: str = "") -> Outcome:
    """A call that may not."""
    return CallDenied(call=_ANY, say=say, for_model="")


def cassette(
    *expect: Expectations,
    whole: Expectations | None = None,
    frames: tuple[HeardFrame, ...] = (),
    happens: tuple[Event, ...] = (),
) -> Cassette:
    """A file with these expectations, turn by turn; ``happens`` in the first."""
    turns = [Turn(customer="-", expect=one) for one in expect or (Expectations(),)]
    turns[0] = turns[0].model_copy(update={"meanwhile": happens})
    return Cassette(
        about="A test.", now=NOW, turns=tuple(turns), expect=whole or Expectations(), frames=frames
    )


def failures(acted: Acted, *expect: Expectations, whole: Expectations | None = None) -> list[CheckFailure]:
    """What is reported in this conversation."""
    rest = [Expectations()] * (len(acted.played().state.turns) - len(expect))
    return check(cassette(*expect, *rest, whole=whole), acted.played(), shipped_book(), SPECS)


def told(found: list[CheckFailure]) -> list[tuple[str, str, str, int | None]]:
    """Check failures in a short form: check, expected, found, when."""
    return [(one.check, one.expected, one.found, one.at_ms) for one in found]
