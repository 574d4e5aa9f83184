"""Makes a report: reads the conversations that have changed, keeps the facts of the others, and adds all up.

Facts are kept without any text. The words of unanswered requests are read again from the log, masked, and only then
grouped by meaning. Of a conversation that was deleted only the number of its visits on each day is left.
"""

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo
from typing import Protocol

from pydantic import TypeAdapter

from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import Identified, Logged
from assistant.errors import LogError
from assistant.ports import Embedder
from assistant.reports.facts import Visit, visits_of
from assistant.reports.groups import Request, grouped
from assistant.reports.summary import JudgedVisit, Report, by_day, day_of, figures, judge

_VERSION = 1
"""Raise it when facts are computed in another way: then all conversations are read again."""

_STORED_AT_ONCE = 200
_MOST_REQUESTS = 3000
"""Of more unanswered requests, the newest are grouped: embedding takes about 10 ms each."""

_SETTLED_MS = 5000
"""A conversation whose last entry is as new as this is read again the next time."""

_VISITS: TypeAdapter[tuple[Visit, ...]] = TypeAdapter(tuple[Visit, ...])


class ListedConversation(Protocol):
    """A conversation, and the time of its last entry."""

    @property
    def key(self) -> ConversationKey:
        """The key of the conversation."""
        ...

    @property
    def last_ms(self) -> int:
        """The Unix time of the last entry, in ms."""
        ...


class Conversations(Protocol):
    """The conversations of the log, to read them."""

    async def listed(self) -> Sequence[ListedConversation]:
        """Returns all conversations."""
        ...

    async def read(self, key: ConversationKey, after: int = 0) -> list[Logged]:
        """Returns the entries of one conversation. Raises ``LogError``."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFacts:
    """The facts of a conversation whose last entry was made at ``last_ms``. ``days`` counts its visits by
    day.
    """

    last_ms: int
    facts: bytes
    days: Mapping[str, int]


class FactsStore(Protocol):
    """Keeps facts between reports. Methods raise ``LogError``."""

    async def load(self, tenant: str, form: str) -> dict[ConversationKey, StoredFacts]:
        """Returns the facts of a tenant's conversations that were stored in the form ``form``."""
        ...

    async def keep(self, form: str, facts: Mapping[ConversationKey, StoredFacts]) -> None:
        """Store facts, in place of earlier ones."""
        ...

    async def forget(self, keys: Sequence[ConversationKey]) -> None:
        """Delete the facts of conversations that were deleted, and count their visits by day."""
        ...

    async def deleted(self, tenant: str) -> dict[str, int]:
        """Returns how many visits the conversations had that are deleted, for each day."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """A period in Unix ms, and the time zone that decides when a day begins. ``until_ms`` itself is not in
    the period.
    """

    since_ms: float
    until_ms: float
    zone: tzinfo

    def contains(self, at_ms: int) -> bool:
        """Whether this time is in the period."""
        return self.since_ms <= at_ms < self.until_ms


@dataclass(slots=True, kw_only=True)
class ReportMaker:
    """Makes reports of one company.

    Args:
        conversations: the log.
        store: keeps facts between reports.
        embedder: makes the model that groups requests; called only if there are any.
        idle_ms: a visit ends when there was no activity for this time.
        kept_ms: conversations are deleted after this time; None: never.
        sample: count the example conversations, too.
        progress: called with the numbers of conversations to read, and of those that were just read.
    """

    tenant: str
    conversations: Conversations
    store: FactsStore
    embedder: Callable[[], Awaitable[Embedder]]
    idle_ms: int
    kept_ms: int | None = None
    sample: bool = False
    progress: Callable[[int, int], None] = lambda _all, _read: None
    unreadable: int = 0

    async def report(self, period: Period, now_ms: int) -> Report:
        """Returns the report of a period. Raises ``LogError`` and ``EmbeddingError``."""
        judged = await self.judged(period.zone, now_ms)
        deleted = await self.store.deleted(self.tenant)
        chosen = [one for one in judged if period.contains(one.visit.began_ms)]
        gone = {
            day: number
            for day, number in deleted.items()
            if _day(period.since_ms, period.zone, "") <= day <= _day(period.until_ms - 1, period.zone, "9")
        }
        unanswered, reasons = await self._requests(chosen)
        newest, model = unanswered[-_MOST_REQUESTS:], None
        if newest or reasons:
            model = await self.embedder()
        return Report(
            tenant=self.tenant,
            since_ms=round(max(period.since_ms, 0)),
            until_ms=round(min(period.until_ms, now_ms)),
            made_ms=now_ms,
            kept_since_ms=None if self.kept_ms is None else now_ms - self.kept_ms,
            total=figures(chosen, sum(gone.values())),
            days=by_day(chosen, gone, period.zone),
            unanswered=await grouped(newest, model) if model is not None else (),
            handoff_reasons=await grouped(reasons, model) if model is not None else (),
            ungrouped=len(unanswered) - len(newest),
            unreadable=self.unreadable,
        )

    async def judged(self, zone: tzinfo, now_ms: int) -> list[JudgedVisit]:
        """Returns all visits in the log, each with its outcome. Raises ``LogError``."""
        form = f"{_VERSION}/{self.idle_ms}/{zone}"
        stored = await self.store.load(self.tenant, form)
        listed = {
            one.key: one.last_ms
            for one in await self.conversations.listed()
            if one.key.tenant == self.tenant and (self.sample or not one.key.is_sample)
        }
        await self.store.forget([key for key in stored if key not in listed])
        visits = dict[ConversationKey, Sequence[Visit]]()
        changed = list[ConversationKey]()
        for key, last_ms in listed.items():
            if key in stored and stored[key].last_ms == last_ms:
                visits[key] = _VISITS.validate_json(stored[key].facts)
            else:
                changed.append(key)
        for first in range(0, len(changed), _STORED_AT_ONCE):
            some = changed[first : first + _STORED_AT_ONCE]
            read = {key: each for key in some if (each := await self._visits(key)) is not None}
            visits |= read
            # Facts of examples are not kept: those of deleted conversations are counted.
            kept = {
                key: each
                for key, each in read.items()
                if listed[key] < now_ms - _SETTLED_MS and not key.is_sample
            }
            await self.store.keep(form, {key: _stored(listed[key], each, zone) for key, each in kept.items()})
            self.progress(len(changed), len(some))
        return judge(visits, now_ms, self.idle_ms)

    async def _visits(self, key: ConversationKey) -> tuple[Visit, ...] | None:
        try:
            return visits_of(await self.conversations.read(key), key.customer, self.idle_ms)
        except LogError:
            self.unreadable += 1
            return None

    async def _requests(self, judged: Sequence[JudgedVisit]) -> tuple[list[Request], list[Request]]:
        """Returns the unanswered requests, and the reasons of handoffs, with their words."""
        wanted = {  # the oldest first
            (one.key, one.visit.first_seq): None
            for one in judged
            if one.visit.handoff is not None or any(turn.unanswered for turn in one.visit.turns)
        }
        unanswered, reasons = list[Request](), list[Request]()
        for key in dict.fromkeys(key for key, _ in wanted):
            try:
                entries = await self.conversations.read(key)
            except LogError:
                continue
            who = _Asker(key.conversation, names_in(entries))
            for visit in visits_of(entries, key.customer, self.idle_ms):
                if (key, visit.first_seq) not in wanted:
                    continue
                for turn in visit.turns:
                    if turn.unanswered and turn.text.strip():
                        unanswered.append(who.request(turn.text, turn.unanswered))
                if (handoff := visit.handoff) is not None and handoff.why.strip():
                    state = "accepted" if handoff.accepted else handoff.state
                    reasons.append(who.request(handoff.why, state))
        return unanswered, reasons


@dataclass(frozen=True, slots=True)
class _Asker:
    conversation: str
    names: tuple[str, ...]

    def request(self, text: str, reason: str) -> Request:
        return Request(text=text, reason=reason, conversation=self.conversation, names=self.names)


def names_in(entries: Sequence[Logged]) -> tuple[str, ...]:
    """Returns the customer's names, as they identified themselves."""
    found = (one.entry.name for one in entries if isinstance(one.entry, Identified) and one.entry.name)
    return tuple(dict.fromkeys(part for name in found for part in (name, *name.split()) if len(part) > 2))


def _stored(last_ms: int, visits: Sequence[Visit], zone: tzinfo) -> StoredFacts:
    """Returns facts without any text."""
    bare = tuple(
        replace(
            visit,
            turns=tuple(replace(turn, text="", answer="") for turn in visit.turns),
            handoff=replace(visit.handoff, why="") if visit.handoff is not None else None,
            rated_text="",
        )
        for visit in visits
    )
    days = Counter(day_of(visit.began_ms, zone) for visit in visits)
    return StoredFacts(last_ms=last_ms, facts=_VISITS.dump_json(bare), days=days)


def _day(at_ms: float, zone: tzinfo, beyond: str) -> str:
    """Returns the day of a time, or ``beyond`` for a time that no calendar has."""
    return day_of(int(at_ms), zone) if 0 <= at_ms < 2**52 else beyond
