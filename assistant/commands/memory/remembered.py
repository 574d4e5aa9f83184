"""What is remembered of a conversation: looked up beside a server that may be running."""

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeAlias

from assistant.app import known_to_tools
from assistant.assembly.context_inspector import NextSummary, next_summary, onlooking
from assistant.commands.documents.open import opened
from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import Logged, Snapshot, Summary
from assistant.conversation.state import ConversationState
from assistant.errors import AssistantError, DeclarationError
from assistant.memory.budget import Budget
from assistant.memory.library import State
from assistant.ports import Clock
from assistant.sessions.config_version import bundle_of
from assistant.sessions.context_report import Given, budget_of, given, running_or_next, snapshots_of
from assistant.settings import Settings
from assistant.store.bundles import KeptBundle
from assistant.store.log_reader import LogReader
from assistant.turn.parts import Parts

_Documents: TypeAlias = tuple[Mapping[State, int], str]
"""How many there are by how far they have come; and why nobody knows, if nobody does."""

_NONE: _Documents = {}, ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Summariser:
    """The summary model, and what it is to be asked next; None: there is nothing to be summarised now."""

    model: str
    budget: Budget
    next: NextSummary | None

    @property
    def used(self) -> int:
        """The tokens of what it is to be asked next."""
        if self.next is None:
            return 0
        view, sizes = self.next.request.view, self.budget.sizes
        return sizes.frame(view.system, view.late, ()) + sum(map(sizes.turn, view.turns))


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """All of it.

    ``given`` is the decision model's and the narrator's. ``summariser`` is None where rules alone write summaries.
    ``snapshots`` are by turn. ``documents`` says how many are kept of this customer, and how many wait; ``problem``
    why nobody knows.
    """

    key: ConversationKey
    turns: int
    running: bool
    bundle: str
    given: tuple[Given, ...]
    summariser: Summariser | None
    summary: Summary | None
    snapshots: tuple[tuple[str, Snapshot], ...]
    documents: Mapping[State, int]
    problem: str = ""


async def remembered(settings: Settings, clock: Clock, key: ConversationKey) -> Remembered:
    """Look it up; nothing is asked of any model, and nothing changed.

    Raises ``AssistantError`` when the log or the folders cannot be read, or a setting is wrong.
    """
    with LogReader(settings.data_dir / "log.db") as log:
        entries = log.read(key)
        bundle = bundle_of(entries) or ""
        kept = log.bundle(bundle)
        has_documents = log.keeps_documents
    with known_to_tools(settings):
        parts = _parts(settings, clock, kept)
    state = ConversationState(entries)
    documents, problem = await _documents(settings, clock, key) if has_documents else _NONE
    turn = running_or_next(key, entries, parts)
    return Remembered(
        key=key,
        turns=len(state.turns),
        running=state.unfinished is not None,
        bundle=bundle,
        given=(given("decider", turn, parts), given("narrator", turn, parts)),
        summariser=await _summariser(key, entries, parts),
        summary=state.summary,
        snapshots=tuple(
            (each.id, snapshot)
            for each in state.turns
            for snapshot in snapshots_of(each, key.conversation).values()
        ),
        documents=documents,
        problem=problem,
    )


def _parts(settings: Settings, clock: Clock, kept: KeptBundle | None) -> Parts:
    """On the prompts that the conversation is on; on today's where this release cannot use those, as the server."""
    if kept is not None:
        with suppress(DeclarationError):
            return onlooking(settings, clock, kept)
    return onlooking(settings, clock, None)


async def _summariser(key: ConversationKey, entries: Sequence[Logged], parts: Parts) -> Summariser | None:
    if parts.summariser is None:
        return None
    return Summariser(
        model=parts.summariser.model.name,
        budget=budget_of("summariser", parts),
        next=await next_summary(key, entries, parts),
    )


async def _documents(settings: Settings, clock: Clock, key: ConversationKey) -> _Documents:
    """Those of this customer alone."""
    try:
        async with opened(settings, clock) as at:
            listed = await at.library.documents(key.tenant, key.customer)
    except AssistantError as error:
        return {}, str(error)
    return Counter(one.state for one in listed), ""
