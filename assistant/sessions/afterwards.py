"""What a session does when a turn is over: it puts what has become long into fewer words. Nobody waits for it."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

import structlog

from assistant.conversation.decider_view import decider_turn
from assistant.conversation.entries import CallRef
from assistant.conversation.people import ConversationKey
from assistant.conversation.remembered_views import RememberedViews
from assistant.conversation.state import ConversationState
from assistant.errors import LogError, ModelError, PromptError
from assistant.memory.budget.budget import Budget
from assistant.memory.budget.sizes import text_tokens
from assistant.memory.summaries.room import Room
from assistant.memory.summaries.summary_model import NO_BUDGET, SummaryModel, room_within
from assistant.prompts.instructions import Decider
from assistant.sessions.left_to_summarise import large_results, old_turns
from assistant.sessions.recorder import Recorder
from assistant.sessions.summarise import Made, snapshot_of, summary_of
from assistant.turn.harmless import harmless_turn
from assistant.turn.parts import Parts

log = structlog.get_logger(__name__)

PAUSES_S = (2.0, 15.0)
"""How long it is waited before the same is tried again; then a rule's work has to do."""

AT_ONCE = 2
"""So many summaries are made at a time in one process: customers' models come first."""

_SHARE = 0.2
"""The part of the room for a conversation that a summary may take."""

_TURNS = ("", "")
"""Stands for the turns to be summed up, where results are named by their calls."""


@dataclass(frozen=True, slots=True)
class _Job:
    """Something to be put into fewer words: ``of`` says what, in a word."""

    of: str
    ref: CallRef
    make: Callable[[], Awaitable[Made]]


class Afterwards:
    """One conversation's summaries, made one after the other while nothing waits for them.

    Args:
        parts: with the decision model's budget and the summary model; asked for anew each time.
        places: held while a model is asked; shared by all conversations of a process.
    """

    def __init__(
        self,
        *,
        key: ConversationKey,
        state: ConversationState,
        recorder: Recorder,
        parts: Callable[[], Parts],
        places: asyncio.Semaphore,
    ) -> None:
        self._key, self._state, self._recorder = key, state, recorder
        self._parts, self._places = parts, places
        self._views = RememberedViews(lambda turn: harmless_turn(decider_turn(turn, key.conversation)))
        self._failures: Counter[CallRef] = Counter()
        self._task: asyncio.Task[None] | None = None
        self._closed = False

    @property
    def idle(self) -> bool:
        """Whether it has nothing to do."""
        return self._task is None

    def start(self) -> None:
        """Look whether something is left to do, and do it; nothing happens when it is at it already."""
        if self._task is None and not self._closed:
            self._task = asyncio.create_task(self._work())

    async def done(self) -> None:
        """Wait until nothing is left to do."""
        while (work := self._task) is not None:
            await asyncio.wait({work})

    async def close(self) -> None:
        """Leave what is not done to whoever opens the conversation next."""
        self._closed = True
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    async def _work(self) -> None:
        try:
            while (job := self._due()) is not None:
                await self._do(job)
        except LogError as error:
            log.error("summary not recorded", conversation=self._key.conversation, error=str(error))
        except Exception:
            # A mistake of ours in what nobody waits for must not reach anybody who does.
            log.exception("summary failed", conversation=self._key.conversation)
        finally:
            self._task = None

    def _due(self) -> _Job | None:
        """What is to be done next: the turns first, whose results need no words of their own any more."""
        parts, state, conversation = self._parts(), self._state, self._key.conversation
        model, budget = _model(parts), _smallest_budget(parts)
        if budget is not None:
            room = Room(
                most=_room_for_turns(parts, budget), count=partial(text_tokens, counter=budget.counter)
            )
            old = old_turns(state, self._views, room.most, budget.sizes, parts.tools)
            if old is not None:
                by = None if self._given_up(_TURNS) else model
                make = partial(summary_of, old, state.summary, room.share(_SHARE), by, conversation)
                return _Job("conversation", _TURNS, make)
        if model is None:
            return None
        for large in large_results(state):
            ref = (large.turn.id, large.snapshot.call_id)
            if not self._given_up(ref):
                return _Job("result", ref, partial(snapshot_of, large, model, conversation))
        return None

    def _given_up(self, ref: CallRef) -> bool:
        return self._failures[ref] > len(PAUSES_S)

    async def _do(self, job: _Job) -> None:
        clock = self._parts().clock
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
        await self._recorder.record(made.turn_id, made.entry)
        told.info(f"{job.of} summarised", ms=round((clock.monotonic() - began) * 1000), **made.facts)


def _model(parts: Parts) -> SummaryModel | None:
    role = parts.summariser
    if role is None:
        return None
    room = NO_BUDGET if role.budget is None else room_within(role.budget)
    return SummaryModel(model=role.model, options=role.options, book=parts.book, room=room)


def _smallest_budget(parts: Parts) -> Budget | None:
    """What stands in a summary must have room in every model's view."""
    budgets = [role.budget for role in parts.models.values() if role.budget is not None]
    return min(budgets, key=lambda budget: budget.tokens, default=None)


def _room_for_turns(parts: Parts, budget: Budget) -> int:
    """The tokens that a request has left beside instructions and tools."""
    system, _ = parts.book.parted(Decider(today=parts.clock.now().date()))
    return max(budget.tokens - budget.sizes.frame(system, "", parts.tools.offered), budget.tokens // 5)
