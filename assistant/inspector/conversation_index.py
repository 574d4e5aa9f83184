"""The index of conversations: what a list of them shows, and how they are searched.

The log stays the only source. A row belongs to a conversation of the log, and is deleted with it. Stores in
``assistant.store`` implement the port.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias, get_args

from assistant.conversation.customer import ConversationKey

ListedOutcome: TypeAlias = Literal[
    "running", "answered", "confirmed", "unresolved", "abandoned", "handed_over", "ticket"
]
LISTED_OUTCOMES: tuple[ListedOutcome, ...] = get_args(ListedOutcome)

FINAL: frozenset[ListedOutcome] = frozenset({"handed_over", "ticket"})
"""Outcomes that hold before the conversation has been idle."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedConversation:
    """The row of a conversation.

    Args:
        key: the conversation.
        seq: the number of the last entry that was read.
        erasures: the erasures of the log when it was read. If there is another one, the row is not stored.
        form: how the row was made. A row of another form is made again.
        opened_ms: Unix time of its first entry.
        last_ms: Unix time of its last activity.
        busy: the assistant, or an agent, still has to answer.
        outcome: how it ended, as if it had been idle for long enough.
        cost_usd: the cost of its model requests; None if it is not known.
        marks: what it can be selected by exactly, such as ``tool:get_invoices:failed`` or ``rating:up``.
        words: the words that were said in it.
        who: the words of the customer's ids and name.
        about: what a list shows of it.
    """

    key: ConversationKey
    seq: int
    erasures: int
    form: str
    opened_ms: int
    last_ms: int
    busy: bool
    outcome: ListedOutcome
    cost_usd: float | None
    marks: tuple[str, ...]
    words: str
    who: str
    about: Mapping[str, object] = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """What is searched; by default all conversations.

    Args:
        words: beginnings of words that must all be said in it.
        who: beginnings of words of the customer's ids and name.
        marks: all of these must fit.
        outcome: how it ended.
        idle_before_ms: a conversation with a later activity still runs.
        since_ms: its last activity is not earlier.
        until_ms: it began earlier.
        cost_from: the least cost, in US dollars.
        cost_to: the highest cost.
    """

    words: tuple[str, ...] = ()
    who: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()
    outcome: ListedOutcome | None = None
    idle_before_ms: int = 0
    since_ms: int | None = None
    until_ms: int | None = None
    cost_from: float | None = None
    cost_to: float | None = None


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """The place of a conversation in the list: the list goes on after it, to older ones."""

    last_ms: int
    conversation: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundConversation:
    """A conversation that fits. ``outcome`` is "running" as long as it has not been idle."""

    key: ConversationKey
    opened_ms: int
    last_ms: int
    outcome: ListedOutcome
    cost_usd: float | None
    about: Mapping[str, object]


class ConversationIndex(Protocol):
    """Lists and finds the conversations of a tenant. Methods raise ``LogError``."""

    async def locate(self, tenant: str, conversation: str) -> ConversationKey | None:
        """Returns the key of a conversation of the log, whether or not it is in the index, or None."""
        ...

    async def find(
        self, tenant: str, search: Search, *, after: Position | None = None, limit: int = 50
    ) -> list[FoundConversation]:
        """Returns the conversations that fit, the one with the newest activity first."""
        ...

    async def outdated(self, tenant: str, form: str, limit: int) -> list[ConversationKey]:
        """Returns conversations without a row, with a row of another form, or with entries after their row."""
        ...

    async def put(self, rows: Sequence[IndexedConversation]) -> None:
        """Store rows in place of earlier ones, except those of conversations that were erased meanwhile."""
        ...
