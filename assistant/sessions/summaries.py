"""Summarises old turns and large results of a conversation in the background, after a turn has ended."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

import structlog

from assistant.conversation.chunks import StreamEnded
from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import CallRef, Snapshot, Summary
from assistant.conversation.model_views import is_final
from assistant.conversation.outcomes import CallSucceeded
from assistant.conversation.state import ConversationState
from assistant.conversation.turn_state import TurnState
from assistant.conversation.views import TurnView
from assistant.errors import LogError, ModelError, PromptError
from assistant.memory.budget import Budget
from assistant.memory.summaries import (
    NO_LIMIT,
    SummaryModel,
    extract_summary,
    in_background,
    limit_within,
    summarise_conversation,
    summarise_result,
)
from assistant.memory.summary_facts import dialogue_lines
from assistant.memory.token_sizes import CachedTokenSizes, SizeLimit, text_tokens
from assistant.prompts.instructions import Decider
from assistant.sessions.fair_steps import run_fairly
from assistant.sessions.recorder import Recorder
from assistant.telemetry.context import begin_work
from assistant.tools.registry import Tools
from assistant.turn.context import TurnDependencies, this_minute
from assistant.turn.undelivered import undelivered_results
from assistant.turn.view_builder import ViewBuilder

if TYPE_CHECKING:
    from assistant.telemetry.observer import TenantTelemetry

HIGH, LOW = 0.7, 0.25
"""Fractions of the tokens for a conversation: above the first, the oldest turns are summarised until the rest
is below the second. So summaries are rare, and between them the beginning of requests does not change, which
providers cache. The summary itself needs space between the two values: they must be far apart.
"""

ViewsOf: TypeAlias = Callable[[Sequence[TurnState]], Sequence[TurnView]]
"""A function from turns to their views, in order."""

VERBATIM = 4
"""The number of newest turns that are never summarised, at any size."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LargeResult:
    """A result with only the rule's short form so far."""

    turn: TurnState
    outcome: CallSucceeded
    snapshot: Snapshot


@dataclass(frozen=True, slots=True, kw_only=True)
class OldTurns:
    """The oldest turns without a summary, as the decision model sees them, and their size."""

    turns: tuple[TurnState, ...]
    views: Sequence[TurnView]
    tokens: int


def old_turns(
    state: ConversationState, views: ViewsOf, limit: int, sizes: CachedTokenSizes, tools: Tools
) -> OldTurns | None:
    """The turns to summarise now; None if there is enough space, or if no turn may be summarised.

    Turns with running calls, with undelivered results, or with an open question stay verbatim, and so do all
    later turns.

    Args:
        state: the conversation.
        views: returns its turns as the decision model receives them.
        limit: the tokens of one request for these turns and for the summary of earlier turns.
        sizes: counts the tokens.
        tools: decide which results the customer has not received.
    """
    ended = [turn for turn in _verbatim(state) if turn.how is not None]
    tokens = {turn.id: sizes.turn(view) for turn, view in zip(ended, views(ended), strict=True)}
    left = sum(tokens.values())
    if left + (sizes.text(state.summary.text) if state.summary is not None else 0) <= limit * HIGH:
        return None
    taken: list[TurnState] = []
    for turn in _settled(ended[:-VERBATIM], state, tools):
        if left <= limit * LOW:
            break
        taken.append(turn)
        left -= tokens[turn.id]
    if not taken:
        return None
    sum_ = sum(tokens[turn.id] for turn in taken)
    return OldTurns(turns=tuple(taken), views=views(taken), tokens=sum_)


def large_results(state: ConversationState) -> Iterator[LargeResult]:
    """The results that were shortened by cutting, newest first: a model could summarise them better."""
    for turn in reversed(_verbatim(state)):
        for snapshot in turn.snapshots.values() if turn.how is not None else ():
            outcome = turn.outcomes.get(snapshot.call_id)
            if isinstance(outcome, CallSucceeded) and _is_cut(snapshot, outcome):
                yield LargeResult(turn=turn, outcome=outcome, snapshot=snapshot)


def _is_cut(snapshot: Snapshot, outcome: CallSucceeded) -> bool:
    """Whether the rule left out a part of the value; if the value is complete, only pictures and files are
    missing.
    """
    by_rule = snapshot.made_by == "rule" and not snapshot.complete
    return by_rule and snapshot.result_summary != outcome.value


def _verbatim(state: ConversationState) -> Sequence[TurnState]:
    """The turns that are not summarised."""
    if state.summary is None:
        return state.turns
    return state.turns[state.turns.index(state.turn(state.summary.last_turn_id)) + 1 :]


def _settled(turns: Sequence[TurnState], state: ConversationState, tools: Tools) -> Iterator[TurnState]:
    """The turns before the first one that still waits for something."""
    owed = {one.turn.id for one in undelivered_results(state, tools)}
    for turn in turns:
        asks = state.question is not None and turn.asked == state.question
        if asks or turn.id in owed or not is_final(turn):
            return
        yield turn


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryResult:
    """An entry of this turn ("" for none), and a log message for operators without the conversation's words.

    ``ended`` says what the model's reply took; None if a rule made the summary.
    """

    turn_id: str
    entry: Summary | Snapshot
    facts: Mapping[str, object]
    ended: StreamEnded | None = None


async def summary_of(
    old: OldTurns, before: Summary | None, limit: SizeLimit, model: SummaryModel | None, conversation: str
) -> SummaryResult:
    """The summary of these turns and of all turns before them.

    Args:
        old: the turns.
        before: the previous summary, if there is one.
        limit: the size of the new summary.
        model: writes it; None: a rule makes it.
        conversation: its id.

    Raises:
        ModelError, PromptError: the model failed; never without a model.
    """
    last = old.turns[-1]
    locale, previous = last.message.locale, before.text if before is not None else ""
    said = dialogue_lines(old.views)
    ended: StreamEnded | None = None
    if model is None:
        text = await in_background(extract_summary, previous, said, limit, locale)
    else:
        written = await summarise_conversation(
            previous, said, by=model, limit=limit, locale=locale, conversation=conversation
        )
        text, ended = written.text, written.ended
    made_by = "rule" if model is None else "model"
    facts = {"made_by": made_by, "turns": len(old.turns), "up_to": last.id, "tokens_before": old.tokens}
    return SummaryResult(
        turn_id="",
        entry=Summary(last_turn_id=last.id, text=text, made_by=made_by),
        facts={**facts, "tokens_after": limit.count(text), **_used(ended)},
        ended=ended,
    )


async def snapshot_of(large: LargeResult, model: SummaryModel, conversation: str) -> SummaryResult:
    """The model's short form of a large result. It replaces the rule's.

    Raises:
        ModelError, PromptError: the model failed.
    """
    turn = large.turn
    written = await summarise_result(
        large.outcome,
        "" if turn.unasked else turn.message.text,
        by=model,
        locale=turn.message.locale,
        conversation=conversation,
    )
    entry = replace(large.snapshot, result_summary=written.text, complete=False, made_by="model")
    facts = {"turn": turn.id, "call": entry.call_id, "tool": entry.tool_name}
    return SummaryResult(
        turn_id=turn.id, entry=entry, facts={**facts, **_used(written.ended)}, ended=written.ended
    )


def _used(ended: StreamEnded | None) -> Mapping[str, object]:
    """The usage of the request, if its provider reports it."""
    if ended is None:
        return {}
    cost = None if ended.cost_usd is None else round(ended.cost_usd, 6)
    took = {
        "model": ended.model,
        "input_tokens": ended.input_tokens,
        "output_tokens": ended.output_tokens,
        "cost_usd": cost,
    }
    return {name: value for name, value in took.items() if value is not None}


_SHARE = 0.2
"""The fraction of the tokens for a conversation that a summary may use."""

_TURNS = ("", "")
"""Placeholder for the turns to be summarised, in which results are named by their calls."""


@dataclass(frozen=True, slots=True)
class SummaryTask:
    """One text to shorten: ``of`` names its kind."""

    of: str
    ref: CallRef
    make: Callable[[], Awaitable[SummaryResult]]


def next_summary_task(
    key: ConversationKey,
    state: ConversationState,
    views: ViewsOf,
    deps: TurnDependencies,
    given_up: Callable[[CallRef], bool] = lambda _: False,
) -> SummaryTask | None:
    """The next task; None if there is none. Turns come first, because their results then need no short form.

    Args:
        key: the conversation's key.
        state: the conversation.
        views: returns its turns as the decision model receives them.
        deps: have the models' budgets, and the summary model.
        given_up: tasks at which the model failed repeatedly; a rule does them.
    """
    model, budget = _model(deps), _smallest_budget(deps)
    if budget is not None:
        limit = SizeLimit(
            most=_room_for_turns(deps, budget), count=partial(text_tokens, counter=budget.counter)
        )
        old = old_turns(state, views, limit.most, budget.sizes, deps.tools)
        if old is not None:
            by = None if given_up(_TURNS) else model
            share = limit.share(_SHARE)
            make = partial(summary_of, old, state.summary, share, by, key.conversation)
            return SummaryTask("conversation", _TURNS, make)
    if model is None:
        return None
    for large in large_results(state):
        ref = (large.turn.id, large.snapshot.call_id)
        if not given_up(ref):
            return SummaryTask("result", ref, partial(snapshot_of, large, model, key.conversation))
    return None


def _model(deps: TurnDependencies) -> SummaryModel | None:
    role = deps.summariser
    if role is None:
        return None
    limit = NO_LIMIT if role.budget is None else limit_within(role.budget)
    return SummaryModel(model=role.model, options=role.options, book=deps.book, limit=limit)


def _smallest_budget(deps: TurnDependencies) -> Budget | None:
    """The smallest budget of the models, because a summary must fit into every model's view."""
    budgets = [role.budget for role in deps.models.values() if role.budget is not None]
    return min(budgets, key=lambda budget: budget.tokens, default=None)


def _room_for_turns(deps: TurnDependencies, budget: Budget) -> int:
    """The tokens of a request that remain after instructions and tools."""
    system, _ = deps.book.parted(Decider(now=this_minute(deps.clock)))
    return max(budget.tokens - budget.sizes.frame(system, "", deps.tools.specs), budget.tokens // 5)


log = structlog.get_logger(__name__)

PAUSES_S = (2.0, 15.0)
"""Seconds before each retry of a task; after the last, a rule does the task."""

MAX_CONCURRENT = 2
"""Summaries made at the same time in one process: customers' turns come first."""


class BackgroundSummaries:
    """Makes one conversation's summaries, one after the other, while no customer waits.

    Args:
        deps: returns the current dependencies of turns, with the decision model's budget and the summary
            model.
        places: limits concurrent requests to the model; shared by all conversations of a process.
        views: the cache of views that turns also use, so that each ended turn is built and counted once.
        telemetry: counts the model's replies; None: nothing is counted.
    """

    def __init__(
        self,
        *,
        key: ConversationKey,
        state: ConversationState,
        recorder: Recorder,
        deps: Callable[[], TurnDependencies],
        places: asyncio.Semaphore,
        views: ViewBuilder,
        telemetry: "TenantTelemetry | None" = None,
    ) -> None:
        self._key, self._state, self._recorder, self._telemetry = key, state, recorder, telemetry
        self._deps, self._places, self._views = deps, places, views
        self._failures: Counter[CallRef] = Counter()
        self._task: asyncio.Task[None] | None = None
        self._closed = False

    @property
    def idle(self) -> bool:
        """Whether it has nothing to do."""
        return self._task is None

    def start(self) -> None:
        """Start work if there is any. Does nothing if it is already running."""
        if self._task is None and not self._closed:
            self._task = asyncio.create_task(run_fairly(self._key.tenant, self._work))

    async def done(self) -> None:
        """Wait until all work is done."""
        while (work := self._task) is not None:
            await asyncio.wait({work})

    async def close(self) -> None:
        """Stop; the next process that opens the conversation continues."""
        self._closed = True
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    async def _work(self) -> None:
        begin_work(self._key.tenant, self._key.conversation)
        try:
            while (job := self._due()) is not None:
                await self._do(job)
        except LogError as error:
            log.error("summary not recorded", conversation=self._key.conversation, error=str(error))
        except Exception:
            # A bug in background work must not affect the conversation.
            log.exception("summary failed", conversation=self._key.conversation)
        finally:
            self._task = None

    def _due(self) -> SummaryTask | None:
        return next_summary_task(self._key, self._state, self._views.ended, self._deps(), self._given_up)

    def _given_up(self, ref: CallRef) -> bool:
        """Whether a rule has to do: the model failed again and again, or a budget is spent."""
        spending = self._deps().spending
        return self._failures[ref] > len(PAUSES_S) or (
            spending is not None and spending.is_spent(self._key, self._state)
        )

    async def _do(self, job: SummaryTask) -> None:
        clock = self._deps().clock
        began = clock.monotonic()
        told = log.bind(conversation=self._key.conversation)
        try:
            async with self._places:
                made = await job.make()
        except (ModelError, PromptError) as error:
            self._failures[job.ref] += 1
            tries = self._failures[job.ref]
            told.warning("summary failed", of=job.of, tries=tries, error=str(error))
            if not self._given_up(job.ref):
                await clock.sleep(PAUSES_S[tries - 1])
            return
        self._failures.pop(job.ref, None)
        role = self._deps().summariser
        if self._telemetry is not None and made.ended is not None and role is not None:
            took_s = clock.monotonic() - began
            self._telemetry.summary_written(made.ended, role.model.name, took_s)
        # The next entry may come in days, and no other append writes this one to the disk.
        await self._recorder.record(made.turn_id, made.entry, durable=True)
        told.info(f"{job.of} summarised", ms=round((clock.monotonic() - began) * 1000), **made.facts)
        spending = self._deps().spending
        if spending is not None and made.ended is not None:
            await spending.count_summary(self._key, made.ended)
