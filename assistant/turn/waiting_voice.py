"""The waiting voice: says that the work takes time, when neither a model nor a tool has said anything for long.

``WaitTracker`` finds in the turn's entries what the customer waits for, and since when. The text is never the
same twice in a turn, and differs from the turn before.
"""

import asyncio
from collections.abc import Sequence
from math import inf
from types import TracebackType

import structlog

from assistant.conversation.calls import Call
from assistant.conversation.entries import (
    CallEnded,
    CallsDelayed,
    CallsPending,
    CallStarted,
    DecisionClosed,
    Entry,
    LongCallStarted,
    MessageClosed,
    MessageOpened,
    MessageText,
    ModelAsked,
    ModelChunks,
)
from assistant.conversation.outcomes import CallEmpty, CallSucceeded
from assistant.conversation.tool_spec import Hint
from assistant.conversation.turn_state import AssistantMessage, TurnState
from assistant.errors import LogError
from assistant.prompts.utterances import OneMoment, StillWaiting
from assistant.turn.context import LastHeard, Limits, Record, RunningTurn, TurnDependencies


def next_waiting_id(turn: TurnState) -> str:
    """The id of the waiting voice's next message: ``t3/w1``, and so on."""
    return f"{turn.id}/w{sum(map(is_waiting_message, turn.messages)) + 1}"


def is_waiting_message(message: AssistantMessage) -> bool:
    """Whether the message came from the waiting voice, or is a notice; it announces nothing and answers nothing."""
    return message.is_notice or message.id.rpartition("/")[2].startswith("w")


TYPING_S = 5.0
"""Seconds for which a typing signal keeps the voice silent; clients repeat the signal while the customer types."""


class WaitTracker:
    """Knows when the customer has waited long enough. Times are seconds of the clock's ``monotonic()``.

    If a model is asked, the wait is for the model; otherwise it is for the running calls. After each message
    about the same wait, the next interval is twice as long.

    Args:
        state: the turn.
        limits: how long the customer waits for a silent model and for running calls.
        last_heard: signs of activity that are not in the log.
        now: when this run of the turn begins.
    """

    def __init__(self, state: TurnState, limits: Limits, last_heard: LastHeard, now: float) -> None:
        self._state, self._limits, self._last_heard = state, limits, last_heard
        self._asked_at: float | None = None
        self._said_at = now
        self._times = 0
        # The customer does not wait for a message that they did not ask for.
        self._over = state.unasked or any(message.kind == "response" for message in state.messages)
        # Calls that an earlier run of this turn began and that still run.
        self._started = {
            call.id: now for call in state.running if not state.is_pending(call) and call.id not in state.long
        }

    @property
    def for_calls(self) -> tuple[str, ...]:
        """The ids of the calls that are waited for; empty while the wait is for a model."""
        return () if self._asked_at is not None else tuple(self._started)

    def note(self, entry: Entry, now: float) -> None:
        """Handle an entry that was recorded."""
        match entry:
            case MessageText():
                self._said_at = now
            case MessageClosed():
                self._said_at, self._times = now, 0
                self._over = self._over or entry.kind == "response"
            case ModelAsked():
                self._asked_at, self._times = now, 0
            case ModelChunks():
                self._asked_at = None
            case DecisionClosed():
                self._times = 0
            case CallStarted():
                self._started[entry.call_id] = now
            case CallEnded():
                self._started.pop(entry.outcome.call.id, None)
            case LongCallStarted():
                self._started.pop(entry.call_id, None)
            case CallsPending():
                for call_id in entry.call_ids:
                    self._started.pop(call_id, None)
            case _:
                pass

    def told(self, now: float) -> None:
        """Restart the wait, because the customer was told that the work takes time, or because there is nothing
        more to say.
        """
        self._said_at = now
        self._times += 1

    def over(self) -> float | None:
        """When the customer will have waited long enough; None if nothing is waited for.

        Also None while a message streams, which must not be interrupted, and after the answer.
        """
        # In a shadow launch the customer waits for a person.
        if self._over or self._state.open_message is not None or self._state.supervision == "shadow":
            return None
        if self._asked_at is not None:
            since, patience_s = max(self._asked_at, self._last_heard.model), self._limits.silence_s
        elif self._started:
            since, patience_s = min(self._started.values()), self._limits.calls_s
        else:
            return None
        due = max(since, self._said_at) + patience_s * 2**self._times
        return max(due, self._last_heard.typing + TYPING_S)


_MOST_WORDINGS = 12
_MOST_NAMED = 3


def waiting_text(turn: RunningTurn, call_ids: Sequence[str], deps: TurnDependencies) -> str:
    """The text to say while these calls run; without calls, while a slow model has sent no text yet.

    "" if all texts were used.
    """
    said = [message.text for message in turn.state.messages]
    before = {message.text for message in turn.earlier[-1].messages} if turn.earlier else set[str]()
    # A text also counts as said inside a longer sentence, in which the voice named a finished lookup first.
    fresh = [text for text in _wordings(turn, call_ids, deps) if not any(text in other for other in said)]
    return next((text for text in fresh if text not in before), fresh[0] if fresh else "")


def _wordings(turn: RunningTurn, call_ids: Sequence[str], deps: TurnDependencies) -> list[str]:
    """The configured wordings, in their order of preference, each once."""
    running = [call for call in turn.state.calls if call.id in call_ids]
    locale = deps.book.spoken(StillWaiting.template, turn.locale)
    pending = _hints(running, locale, deps)
    named = pending if len(pending) <= _MOST_NAMED else pending[: _MOST_NAMED - 1]
    done = tuple(hint for hint in _done(turn, locale, deps) if hint not in pending)
    more = len(pending) - len(named)
    words = [
        StillWaiting(number=number, done=done, pending=tuple(named), more=more)
        if pending
        else OneMoment(number=number)
        for number in range(1, _MOST_WORDINGS + 1)
    ]
    return list(dict.fromkeys(deps.book.render(each, turn.locale) for each in words))


def _done(turn: RunningTurn, locale: str, deps: TurnDependencies) -> list[Hint]:
    """Finished lookups that the voice has not named yet; at most two, without their results.

    A finished side effect would be announced as done, and a failed one as tried: both are the narrator's task.
    """
    through = [
        outcome.call for outcome in turn.state.results if isinstance(outcome, CallSucceeded | CallEmpty)
    ]
    reads = [
        call
        for call in through
        if call.tool in deps.tools and deps.tools.get(call.tool).spec.effect == "read"
    ]
    named = " ".join(message.text for message in turn.state.messages if is_waiting_message(message))
    fresh = [
        hint for hint in _hints(reads, locale, deps) if hint.doing not in named and hint.will not in named
    ]
    return fresh[:2]


def _hints(calls: Sequence[Call], locale: str, deps: TurnDependencies) -> list[Hint]:
    """The hints of these calls in this language, each once."""
    specs = [deps.tools.get(call.tool).spec for call in calls if call.tool in deps.tools]
    found = (spec.own_hint(locale) for spec in specs if spec.acknowledge != "never")
    return list(dict.fromkeys(hint for hint in found if hint is not None and hint.doing))


log = structlog.get_logger(__name__)

_NEARLY_S = 0.001
"""Seconds. A timer may fire slightly early; that makes no difference."""

_SHORTEST_S = 0.1
"""Seconds. Checking more often has no use."""


class WaitingVoice:
    """Speaks during its block when the customer has waited long enough; one timer for the whole turn.

    Entering it returns the turn's ``record``, through which the voice sees all entries. An error in it costs
    the customer only these messages.
    """

    def __init__(self, turn: RunningTurn, deps: TurnDependencies, record: Record) -> None:
        self._turn, self._deps, self._record = turn, deps, record
        self._monotonic = deps.clock.monotonic
        self._wait = WaitTracker(turn.state, deps.limits, turn.last_heard, self._monotonic())
        self._watching: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Record:
        """Start the timer; complete a message that a crash has left unfinished."""
        await self._complete()
        self._watching = asyncio.create_task(self._watch())
        return self._listen

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop the timer."""
        if self._watching is not None:
            self._watching.cancel()
            await asyncio.wait({self._watching})
            self._watching = None  # it keeps its error, and with that this object and the turn

    async def _listen(self, entry: Entry, *, durable: bool = False) -> None:
        self._wait.note(entry, self._monotonic())
        await self._record(entry, durable=durable)

    async def _watch(self) -> None:
        limits = self._deps.limits
        # A wait that begins in the meantime takes at least this long until a message may follow.
        look_again_s = max(_SHORTEST_S, min(limits.silence_s, limits.calls_s))
        try:
            while True:
                over = self._wait.over()
                left_s = inf if over is None else over - self._monotonic()
                if left_s > _NEARLY_S:
                    await self._deps.clock.sleep(min(left_s, look_again_s))
                else:
                    await self._speak()
        except LogError:
            pass  # pass: the turn meets the same failure, and ends
        except Exception:
            # These messages are optional: an error in them must not cost the answer.
            log.exception("waiting voice failed", conversation=self._turn.key.conversation)

    async def _speak(self) -> None:
        calls = self._wait.for_calls
        text = self._words(calls)
        self._wait.told(self._monotonic())
        if not text:
            return
        state = self._turn.state
        # The wait belongs to the calls whose results the model is asked to tell, also while that model is
        # silent.
        round_ = max((each.number for each in state.rounds if each.calls), default=1)
        message_id = next_waiting_id(state)
        await self._record(MessageOpened(message_id=message_id, round=round_))
        await self._record(MessageText(message_id=message_id, text=text))
        await self._record(MessageClosed(message_id=message_id, kind="status"))
        if calls:
            await self._record(CallsDelayed(call_ids=calls))

    async def _complete(self) -> None:
        cut = self._turn.state.open_message
        if cut is None or cut.is_notice or not is_waiting_message(cut):
            return
        if not cut.text and (text := self._words(self._wait.for_calls)):
            await self._record(MessageText(message_id=cut.id, text=text))
        await self._record(MessageClosed(message_id=cut.id, kind="status"))

    def _words(self, calls: tuple[str, ...]) -> str:
        forbidden = self._deps.book.voice.guard()
        return forbidden.push(waiting_text(self._turn, calls, self._deps)) + forbidden.close()
