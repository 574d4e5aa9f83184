"""Makes the rows of the index from the log, and keeps the index up to date while conversations go on."""

import asyncio
from collections.abc import Mapping, Sequence

import structlog

from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import (
    AgentMessage,
    CustomerMessage,
    Identified,
    Logged,
    MessageText,
    Rated,
    SentenceSuppressed,
    TurnStarted,
)
from assistant.errors import LogError
from assistant.inspector.conversation_index import ConversationIndex, IndexedConversation, ListedOutcome
from assistant.inspector.timeline import timelines_of, total_cost
from assistant.inspector.words import all_words
from assistant.ports import Clock
from assistant.reports.facts import Visit, visits_of
from assistant.reports.summary import VisitOutcome, outcome_of
from assistant.storage_ports import Log

log: structlog.stdlib.BoundLogger = structlog.get_logger(__name__)

_VERSION = 1
"""Raise it when rows are made in another way: then all are made again."""

EVERY_S = 2.0
_LARGEST_SHARE = 0.02
"""The part of the time that looking for outdated rows may take: if it takes longer, it is done more rarely."""

_BATCH = 20
_LONGEST_TEXT = 300

_OUTCOMES: Mapping[VisitOutcome, ListedOutcome] = {
    "confirmed": "confirmed",
    "unresolved": "unresolved",
    "abandoned": "abandoned",
    "handed_over": "handed_over",
    "ticket": "ticket",
}
"""Any other outcome of a visit depends on what comes later, and counts as answered."""


def form_of(idle_ms: int) -> str:
    """Returns the form of rows that are made now."""
    return f"{_VERSION}/{idle_ms}"


def indexed(
    key: ConversationKey, entries: Sequence[Logged], *, erasures: int, idle_ms: int
) -> IndexedConversation:
    """Returns the row of a conversation. ``entries`` is its log, with at least one entry. No side effects."""
    visits = visits_of(entries, key.customer, idle_ms)
    last = visits[-1] if visits else None
    turns = [turn for visit in visits for turn in visit.turns]
    said = [one.entry for one in entries if isinstance(one.entry, CustomerMessage)]
    names = [
        one.entry.name for one in entries if isinstance(one.entry, Identified) and one.entry.name is not None
    ]
    customer = last.customer if last is not None else key.customer
    locale = said[-1].locale if said else ""
    rating = next((visit.rating for visit in reversed(visits) if visit.rating is not None), None)
    handoff = next((visit.handoff for visit in reversed(visits) if visit.handoff is not None), None)
    tools = [(call.tool, call.outcome or "running") for turn in turns for call in turn.calls]
    failed = sorted({tool for tool, outcome in tools if outcome in _FAILURES})
    outcome = _outcome(last)
    marks = {
        f"outcome:{outcome}",
        f"customer:{key.customer}",
        f"customer:{customer}",
        *(f"tool:{tool}" for tool, _ in tools),
        *(f"tool:{tool}:{outcome}" for tool, outcome in tools),
        *(f"call:{outcome}" for _, outcome in tools),
        *([f"rating:{rating}"] if rating is not None else []),
        *(f"language:{one}" for message in said for one in (message.locale, message.locale.split("-")[0])),
        *(f"version:{bundle}" for bundle in _bundles(entries)),
        *(["held"] if any(isinstance(one.entry, SentenceSuppressed) for one in entries) else []),
    }
    return IndexedConversation(
        key=key,
        seq=entries[-1].seq,
        erasures=erasures,
        form=form_of(idle_ms),
        opened_ms=entries[0].at_ms,
        last_ms=last.last_ms if last is not None else entries[-1].at_ms,
        busy=last is not None and last.busy,
        outcome=outcome,
        cost_usd=total_cost(one.usage.cost_usd for one in timelines_of(entries).values()),
        marks=tuple(sorted(marks)),
        words=all_words([key.conversation, customer, *names, *_texts(entries)]),
        who=all_words([key.customer, customer, *names]),
        about={
            "customer": customer,
            "name": names[-1] if names else None,
            "level": last.level if last is not None else "anonymous",
            "locale": locale,
            "turns": len(turns),
            "request": " ".join((said[0].text if said else "").split())[:_LONGEST_TEXT],
            "rating": rating,
            "failed": failed,
            "handoff": handoff.state if handoff is not None else None,
        },
    )


_FAILURES = frozenset({"failed", "timed_out", "unknown"})


def _outcome(visit: Visit | None) -> ListedOutcome:
    if visit is None:
        return "abandoned"
    found = outcome_of(visit, over=True, returned=False, now_ms=visit.last_ms)
    return _OUTCOMES.get(found, "answered")


def _bundles(entries: Sequence[Logged]) -> list[str]:
    return [one.entry.bundle for one in entries if isinstance(one.entry, TurnStarted)]


def _texts(entries: Sequence[Logged]) -> list[str]:
    """Returns what was said: the pieces of a message are joined, because a word may be in two of them."""
    messages: dict[str, str] = {}
    for number, logged in enumerate(entries):
        match logged.entry:
            case CustomerMessage(text=text, attachments=files):
                messages[f"{number}"] = " ".join((text, *(file.name for file in files)))
            case AgentMessage(text=text, name=name):
                messages[f"{number}"] = f"{name} {text}"
            case MessageText(message_id=message_id, text=text):
                messages[message_id] = messages.get(message_id, "") + text
            case Rated(text=text):
                messages[f"{number}"] = text
            case _:
                pass
    return list(messages.values())


class ConversationIndexer:
    """Keeps the index of a tenant up to date. Several servers may do it at the same time.

    Args:
        tenant: whose conversations.
        conversations: the log.
        index: the index.
        clock: waits between rounds.
        idle_ms: a conversation has ended when there was no activity for this time.
    """

    def __init__(
        self, tenant: str, conversations: Log, index: ConversationIndex, clock: Clock, idle_ms: int
    ) -> None:
        self._tenant, self._log, self._index = tenant, conversations, index
        self._clock, self._idle_ms = clock, idle_ms
        self._unreadable: dict[ConversationKey, str] = {}

    async def run(self) -> None:
        """Look for outdated rows again and again; never returns."""
        told = ""
        while True:
            began_s = self._clock.monotonic()
            try:
                await self.catch_up()
                told = ""
            except LogError as error:
                if str(error) != told:
                    log.warning("conversations are not indexed now", why=str(error))
                told = str(error)
            took_s = self._clock.monotonic() - began_s
            await self._clock.sleep(max(EVERY_S, took_s / _LARGEST_SHARE))

    async def catch_up(self) -> None:
        """Make all outdated rows, in batches. Raises ``LogError`` if the index cannot be used."""
        while True:
            limit = _BATCH + len(self._unreadable)
            outdated = await self._index.outdated(self._tenant, form_of(self._idle_ms), limit)
            rows = list[IndexedConversation]()
            for key in outdated:
                if (row := await self._row(key)) is not None:
                    rows.append(row)
            await self._index.put(rows)
            if len(outdated) < limit or not rows:
                return

    async def _row(self, key: ConversationKey) -> IndexedConversation | None:
        try:
            numbering = await self._log.numbering(key)
            entries = await self._log.read(key)
        except LogError as error:
            if self._unreadable.get(key) != str(error):
                log.warning("conversation not indexed", conversation=key.conversation, why=str(error))
            self._unreadable[key] = str(error)
            return None
        self._unreadable.pop(key, None)
        if not entries:
            return None
        # A long conversation takes a while; other conversations go on meanwhile.
        return await asyncio.to_thread(
            indexed, key, entries, erasures=numbering.erasures, idle_ms=self._idle_ms
        )
