"""Applies the rules of the live turn to the past. In this package, only this module calls them.

Each rule gets a turn as it was at that moment of the log, with today's tools, prompts and limits. The live
code itself runs, up to the first entry that shows its decision. Nothing is recorded, no tool runs and no
model is asked.
"""

from collections.abc import Iterable, Sequence
from contextlib import AbstractAsyncContextManager
from copy import copy
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo

from assistant.conversation.calls import NOT_JSON, Call, call_id, round_of
from assistant.conversation.chunks import CallNamed, TextDelta
from assistant.conversation.customer import ConversationKey, Customer
from assistant.conversation.entries import (
    CallEnded,
    CallsDelayed,
    CallsPending,
    CallStarted,
    ConfirmationAnswered,
    Entry,
    Logged,
    ResultsDelivered,
    SentenceSuppressed,
)
from assistant.conversation.outcomes import CallUnknown, Outcome
from assistant.conversation.state import ConversationState
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.turn_state import TurnState
from assistant.errors import AssistantError
from assistant.ports import Clock
from assistant.tools.tool import PreparedCall
from assistant.turn.ask_model import Reply
from assistant.turn.confirmation import consider_answer
from assistant.turn.confirmation_rules import must_be_confirmed
from assistant.turn.context import Record, RunningTurn, TurnDependencies
from assistant.turn.decide import reason_to_ask_again
from assistant.turn.decision_stream import DecisionStreamHandler
from assistant.turn.undelivered import heard_before, results_to_deliver
from assistant.turn.view_builder import ViewBuilder


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """A turn at one moment of the log. ``state`` is the conversation up to that moment."""

    key: ConversationKey
    state: ConversationState
    turn: TurnState
    at_ms: int

    @property
    def customer(self) -> Customer:
        """The customer, as they were identified at that moment."""
        vouched = Customer(tenant=self.key.tenant, id=self.key.customer, level=self.state.level)
        return self.state.customer(vouched)


@dataclass(frozen=True, slots=True, kw_only=True)
class SpokenReply:
    """One reply of a model, in its original pieces.

    ``before`` are the turn's entries before the request, ``meanwhile`` those during the reply. ``pieces``
    have Unix times in ms. ``is_complete`` is True if it reached its end without a readable call. ``withheld``
    are the sentences that were suppressed in it.
    """

    round: int
    by_decider: bool
    asked_ms: int
    pieces: Sequence[tuple[int, TextDelta | CallNamed]]
    is_complete: bool
    before: Sequence[Entry] = ()
    meanwhile: Sequence[Logged] = ()
    withheld: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class _Played:
    """The sentences that are suppressed in a reply, whether the turn asks again, and those of the new reply."""

    withheld: Sequence[SentenceSuppressed]
    asks_again: bool
    then: Sequence[SentenceSuppressed]


@dataclass(frozen=True, slots=True)
class _Best:
    """The suppressed sentences in several replies, and the number of pieces that differ from the log."""

    differs: int
    withheld: Sequence[SentenceSuppressed]

    def with_(self, rest: "_Best") -> "_Best":
        return _Best(self.differs + rest.differs, (*self.withheld, *rest.withheld))


class Rules:
    """Today's rules. ``deps`` may have no models, because none is asked."""

    def __init__(self, deps: TurnDependencies) -> None:
        self._clock = _PastClock(deps.clock)
        self._deps = replace(deps, clock=self._clock)

    def spec(self, tool: str) -> ToolSpec | None:
        """Returns the tool's current declaration, or None if it no longer exists."""
        return self._deps.tools.get(tool).spec if tool in self._deps.tools else None

    async def read_answer(self, moment: Moment) -> ConfirmationAnswered | None:
        """Returns today's reading of the message as an answer to the open question, or None if the message is
        no answer.
        """
        try:
            await consider_answer(self._running(moment), self._deps, _stop_at_answer)
        except _Read as read:
            return read.answer
        return None

    def must_be_asked(self, call: Call, moment: Moment) -> bool | None:
        """Returns whether the customer must be asked before this call, or None if the call's tool refuses the
        arguments.
        """
        tool = self._deps.tools.get(call.tool)
        try:
            ready = PreparedCall(call=call, tool=tool, arguments=tool.validate(call.arguments))
        except Exception:
            # Tools run their own code to check arguments.
            return None
        return must_be_confirmed(ready, self._running(moment), round_of(call.id), self._deps)

    async def left_out(
        self, replies: Iterable[SpokenReply], moment: Moment, told: ResultsDelivered | None = None
    ) -> list[SentenceSuppressed]:
        """Returns the sentences that the guardrails suppress in the replies of one round.

        There are several replies if the live turn asked again, or if the turn was interrupted and restarted.
        The live turn asks again only after a complete reply that requires it. A turn may also have been
        interrupted there without an entry that says so. Then the replies are read in the way that best
        matches the recorded sentences.

        Args:
            replies: the replies of one round, in order.
            moment: the turn at the end of the log. For a reply, only earlier entries count.
            told: the results of earlier turns that the round reports, if any.
        """
        heard = [reply for reply in replies if reply.pieces]
        best = [_Best(0, ()), _Best(0, ())]
        # From the last reply to the first: the best reading of the replies from each position on.
        for place in reversed(range(len(heard))):
            reply = heard[place]
            alone = await self._play(reply, None, moment, told)
            one = _Best(_differs(alone.withheld, reply), alone.withheld).with_(best[0])
            if alone.asks_again and place + 1 < len(heard):
                again = heard[place + 1]
                both = await self._play(reply, again, moment, told)
                difference = _differs(both.withheld, reply) + _differs(both.then, again)
                two = _Best(difference, (*both.withheld, *both.then)).with_(best[1])
                one = min(two, one, key=lambda each: each.differs)
            best = [one, best[0]]
        return list(best[0].withheld)

    async def _play(
        self, reply: SpokenReply, then: SpokenReply | None, moment: Moment, told: ResultsDelivered | None
    ) -> _Played:
        """Pass a reply through the guardrails, and the next one if the turn asked again."""
        turn = _copy_of(moment.turn, reply.before)
        state = _with_turn(moment.state, turn)
        running = self._running(replace(moment, state=state, turn=turn, at_ms=reply.asked_ms))
        is_first = not reply.by_decider or turn.unanswered_words(reply.round) is None
        withheld: list[SentenceSuppressed] = []
        hearing = self._hearing(reply, running, _noting(withheld, turn), is_first, told)
        await _hear(reply, hearing, turn)
        await hearing.heard_out()
        unusable = self._cannot_be_followed(reply, running)
        asks_again = is_first and reply.is_complete and (unusable or bool(await hearing.refused()))
        number = len(withheld)
        if then is not None:
            self._clock.at_ms = then.asked_ms
            hearing.ask_again() if unusable else hearing.go_on()
            await _hear(then, hearing, turn)
            await hearing.heard_out()
        return _Played(withheld[:number], asks_again, withheld[number:])

    def _cannot_be_followed(self, reply: SpokenReply, turn: RunningTurn) -> bool:
        """Whether the live turn asks the decider again because the reply cannot be used."""
        if not reply.by_decider:
            return False
        text = "".join(piece.text for _, piece in reply.pieces if isinstance(piece, TextDelta))
        unreadable = [
            Call(id=call_id(reply.round, number), tool=piece.name, arguments={NOT_JSON: ""})
            for number, (_, piece) in enumerate(reply.pieces)
            if isinstance(piece, CallNamed)
        ]
        spoken = Reply(text=text, unreadable=tuple(unreadable), error=None)
        return reason_to_ask_again(turn, spoken, self._deps) != ""

    def _hearing(
        self,
        reply: SpokenReply,
        running: RunningTurn,
        record: Record,
        asks_again: bool,
        told: ResultsDelivered | None,
    ) -> DecisionStreamHandler:
        turn, deps = running.state, self._deps
        if reply.by_decider:
            return DecisionStreamHandler(running, reply.round, deps, record, asks_again=asks_again)
        may_call = reply.round < deps.limits.rounds and not turn.waiting_calls and told is None
        heard: tuple[str, ...] = ()
        if told is not None:
            turn.told = told
            heard = heard_before(results_to_deliver(running, deps), running)
        return DecisionStreamHandler(
            running, reply.round, deps, record, may_call=may_call, asks_again=asks_again, heard_before=heard
        )

    def _running(self, moment: Moment) -> RunningTurn:
        self._clock.at_ms = moment.at_ms
        return RunningTurn(
            key=moment.key,
            vouched=moment.customer,
            state=moment.turn,
            conversation=moment.state,
            views=ViewBuilder(moment.key.conversation),
            tasks=_NoTasks(),
            deadline=0.0,
        )


def _differs(withheld: Sequence[SentenceSuppressed], reply: SpokenReply) -> int:
    """Returns the number of pieces of text in which this differs from the sentences that were suppressed in
    the log.
    """
    return len({one.text.strip() for one in withheld} ^ {text.strip() for text in reply.withheld})


def _noting(withheld: list[SentenceSuppressed], turn: TurnState) -> Record:
    """Returns a record function that only collects suppressed sentences and updates the turn."""

    async def record(entry: Entry, *, durable: bool = False) -> None:  # noqa: ARG001 - nothing is written
        if isinstance(entry, SentenceSuppressed):
            withheld.append(entry)
        turn.apply(entry)

    return record


async def _hear(reply: SpokenReply, hearing: DecisionStreamHandler, turn: TurnState) -> None:
    """Pass a reply through the guardrails. Calls that ended during it end at the same position."""
    meanwhile = [one for one in reply.meanwhile if _is_news(one.entry, reply.round)]
    number = len(turn.round(reply.round).calls)
    for at_ms, piece in reply.pieces:
        while meanwhile and meanwhile[0].at_ms <= at_ms:
            turn.apply(meanwhile.pop(0).entry)
        if isinstance(piece, TextDelta):
            await hearing.text(piece.text)
        else:
            number += 1
            await hearing.named(call_id(reply.round, number), piece.name)


def _is_news(entry: Entry, round_: int) -> bool:
    """Whether an entry is about the progress of calls that this reply did not make."""
    match entry:
        case CallEnded(outcome=outcome):
            return round_of(outcome.call.id) != round_
        case CallStarted(call_id=id_):
            return round_of(id_) != round_
        case CallsPending() | CallsDelayed():
            return True
        case _:
            return False


def _copy_of(turn: TurnState, entries: Sequence[Entry]) -> TurnState:
    """Returns the turn after these of its entries."""
    earlier = TurnState(turn.turn, turn.message, turn.began, turn.before)
    for entry in entries:
        earlier.apply(entry)
    earlier.came = dict(turn.came)
    return earlier


def _with_turn(state: ConversationState, turn: TurnState) -> ConversationState:
    """Returns the conversation with this turn in place of the turn with the same id."""
    other = copy(state)
    other.turns = [turn if one.id == turn.id else one for one in state.turns]
    return other


class _Read(Exception):
    """Raised when the answer has been read, because nothing after that is needed."""

    def __init__(self, answer: ConfirmationAnswered) -> None:
        self.answer = answer
        super().__init__(answer.answer)


async def _stop_at_answer(entry: Entry, *, durable: bool = False) -> None:  # noqa: ARG001 - nothing is written
    if isinstance(entry, ConfirmationAnswered):
        raise _Read(entry)
    raise AssistantError(f"something is done before the answer is read: {type(entry).__name__}")


class _PastClock:
    """A clock that shows the moment of the log. Nothing can wait with it."""

    def __init__(self, today: Clock) -> None:
        self._today = today
        self._zone: tzinfo | None = today.now().tzinfo
        self.at_ms = 0

    def now(self) -> datetime:
        return datetime.fromtimestamp(self.at_ms / 1000, UTC).astimezone(self._zone)

    def now_ms(self) -> int:
        return self.at_ms

    def monotonic(self) -> float:
        return self.at_ms / 1000

    async def sleep(self, seconds: float) -> None:
        await self._today.sleep(seconds)

    def timeout(self, seconds: float | None) -> AbstractAsyncContextManager[object]:
        return self._today.timeout(seconds)


class _NoTasks:
    """Runs no calls."""

    async def start(self, ready: PreparedCall, turn: RunningTurn, record: Record) -> None:  # noqa: ARG002
        raise AssistantError(f"recall runs no tools, and {ready.call.tool!r} was to run")

    async def reconciled_outcome(self, ready: PreparedCall, turn: RunningTurn) -> Outcome:  # noqa: ARG002
        return CallUnknown(call=ready.call)

    def running(self, turn_id: str, call_id: str) -> bool:  # noqa: ARG002
        return False

    async def ended(self, turn_id: str, calls: Sequence[Call], until: float | None = None) -> None:
        """Returns immediately, because nothing runs."""
