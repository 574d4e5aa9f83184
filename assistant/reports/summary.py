"""Adds up visits: how they ended, ratings, tools, latency and cost, in total and for each day. No side
effects.

docs/reference/reports.md defines each figure for readers. A page or a command shows these data, and computes none.
"""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from typing import Literal, TypeAlias, get_args

from assistant.conversation.customer import ConversationKey
from assistant.conversation.outcomes import OutcomeName
from assistant.reports.facts import TurnFacts, Visit

RETURN_DAYS = 7
_RETURN_MS = RETURN_DAYS * 86_400_000

VisitOutcome: TypeAlias = Literal[
    "confirmed",
    "not_contradicted",
    "waiting",
    "returned",
    "unresolved",
    "abandoned",
    "handed_over",
    "ticket",
    "running",
]
VISIT_OUTCOMES: tuple[VisitOutcome, ...] = get_args(VisitOutcome)

_FAILURES: tuple[OutcomeName, ...] = ("failed", "timed_out", "unknown")


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedVisit:
    """A visit and its outcome. ``returned`` is True if the customer began another visit within 7 days."""

    key: ConversationKey
    visit: Visit
    outcome: VisitOutcome
    returned: bool


def judge(visits: Mapping[ConversationKey, Sequence[Visit]], now_ms: int, idle_ms: int) -> list[JudgedVisit]:
    """Returns each visit with its outcome, oldest first."""
    begun = defaultdict[tuple[str, str], list[int]](list)
    for key, each in visits.items():
        for visit in each:
            begun[key.tenant, visit.customer].append(visit.began_ms)
    for times in begun.values():
        times.sort()
    judged = list[JudgedVisit]()
    for key, each in visits.items():
        for visit in each:
            times = begun[key.tenant, visit.customer]
            place = bisect_right(times, visit.last_ms)
            returned = place < len(times) and times[place] <= visit.last_ms + _RETURN_MS
            over = visit is not each[-1] or visit.is_over(idle_ms, now_ms)
            outcome = outcome_of(visit, over=over, returned=returned, now_ms=now_ms)
            judged.append(JudgedVisit(key=key, visit=visit, outcome=outcome, returned=returned))
    return sorted(judged, key=lambda one: (one.visit.began_ms, one.key.conversation))


def outcome_of(visit: Visit, *, over: bool, returned: bool, now_ms: int) -> VisitOutcome:
    """Returns the first outcome that applies to a visit; see docs/reference/reports.md."""
    handoff = visit.handoff
    last = next((turn for turn in reversed(visit.turns) if turn.cause in ("message", "confirmation")), None)
    if handoff is not None and handoff.accepted:
        return "handed_over"
    if handoff is not None and handoff.state in ("unavailable", "ticket"):
        return "ticket"
    if not over:
        return "running"
    if visit.question or last is None or last.how in (None, "interrupted", "awaiting_confirmation"):
        return "abandoned"
    if visit.rating == "up":
        return "confirmed"
    if visit.rating == "down" or last.unanswered in ("no_answer", "nothing_found"):
        return "unresolved"
    if returned:
        return "returned"
    return "not_contradicted" if now_ms - visit.last_ms > _RETURN_MS else "waiting"


@dataclass(frozen=True, slots=True, kw_only=True)
class Latency:
    """The median and the 95th percentile of a number of times, in ms. Both are None if there are no times."""

    number: int
    median_ms: int | None
    p95_ms: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolFigures:
    """The calls of one tool: how many, how many failed in each way, and how long they took."""

    tool: str
    calls: int
    failures: Mapping[OutcomeName, int]
    duration: Latency


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What models cost. ``unknown_turns`` are turns whose cost neither a provider nor a price list gives.

    They are left out of ``usd``; then the cost of a confirmed resolution is not known either.
    """

    usd: float
    known_turns: int
    unknown_turns: int
    per_turn_usd: float | None
    per_confirmed_usd: float | None
    input_tokens: int
    output_tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """The figures of a period. ``deleted`` counts visits whose conversations were deleted. Nothing else is
    known about them.
    """

    visits: int
    customers: int
    turns: int
    outcomes: Mapping[VisitOutcome, int]
    returned: int
    deleted: int
    rated_up: int
    rated_down: int
    unanswered: int
    first_words: Latency
    first_fact: Latency
    answer: Latency
    tools: tuple[ToolFigures, ...]
    cost: Cost


def figures(judged: Sequence[JudgedVisit], deleted: int = 0) -> Figures:
    """Add these visits up."""
    turns = [turn for one in judged for turn in one.visit.turns]
    outcomes = Counter(one.outcome for one in judged)
    asked = [turn for turn in turns if turn.answer_ms is not None and turn.how == "answered"]
    return Figures(
        visits=len(judged),
        customers=len({(one.key.tenant, one.visit.customer) for one in judged}),
        turns=len(turns),
        outcomes={name: outcomes[name] for name in VISIT_OUTCOMES},
        returned=sum(one.returned for one in judged),
        deleted=deleted,
        rated_up=sum(one.visit.rating == "up" for one in judged),
        rated_down=sum(one.visit.rating == "down" for one in judged),
        unanswered=sum(bool(turn.unanswered) for turn in turns),
        first_words=latency(turn.first_words_ms for turn in asked),
        first_fact=latency(turn.first_fact_ms for turn in asked),
        answer=latency(turn.answer_ms for turn in asked),
        tools=_tools(turns),
        cost=_cost(turns, outcomes["confirmed"]),
    )


def latency(times: Iterable[int | None]) -> Latency:
    """Returns the median and the 95th percentile. A percentile is the shortest time that this share of all
    times does not exceed. Both are None if there are no times.

    >>> latency([30, 10, None, 20, 40])
    Latency(number=4, median_ms=20, p95_ms=40)
    """
    known = sorted(time for time in times if time is not None)

    def of(share: int) -> int | None:
        return known[-(-share * len(known) // 100) - 1] if known else None

    return Latency(number=len(known), median_ms=of(50), p95_ms=of(95))


def _tools(turns: Sequence[TurnFacts]) -> tuple[ToolFigures, ...]:
    """Returns the figures of each tool, the tool with the most failures first."""
    calls = defaultdict[str, Counter[OutcomeName]](Counter)
    durations = defaultdict[str, list[int]](list)
    for turn in turns:
        for call in turn.calls:
            if call.outcome is not None:
                calls[call.tool][call.outcome] += 1
                durations[call.tool].append(call.duration_ms)
    found = [
        ToolFigures(
            tool=tool,
            calls=counts.total(),
            failures={name: counts[name] for name in _FAILURES if counts[name]},
            duration=latency(durations[tool]),
        )
        for tool, counts in calls.items()
    ]
    return tuple(sorted(found, key=lambda one: (-sum(one.failures.values()), -one.calls, one.tool)))


def _cost(turns: Sequence[TurnFacts], confirmed: int) -> Cost:
    used = [turn.usage for turn in turns]
    known = [usage.cost_usd for usage in used if usage.cost_usd is not None]
    unknown, usd = len(used) - len(known), sum(known)
    return Cost(
        usd=usd,
        known_turns=len(known),
        unknown_turns=unknown,
        per_turn_usd=usd / len(known) if known else None,
        per_confirmed_usd=usd / confirmed if confirmed and not unknown else None,
        input_tokens=sum(usage.input_tokens or 0 for usage in used),
        output_tokens=sum(usage.output_tokens or 0 for usage in used),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class DayFigures:
    """The visits that began on a day of the company's calendar, such as 2026-11-27."""

    day: str
    figures: Figures


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestGroup:
    """Requests of similar meaning. ``examples`` are masked, the most typical one first."""

    number: int
    examples: tuple[str, ...]
    reasons: Mapping[str, int] = field(default_factory=dict[str, int])
    conversations: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A report for one company. Times are in Unix ms.

    ``kept_since_ms`` is the time before which conversations are deleted, so earlier days may have had more
    visits. It is None if nothing is deleted. ``ungrouped`` says how many of the oldest unanswered requests
    are in no group, because there are too many. ``unreadable`` are conversations that could not be read,
    which no figure contains.
    """

    tenant: str
    since_ms: int
    until_ms: int
    made_ms: int
    kept_since_ms: int | None
    total: Figures
    days: tuple[DayFigures, ...]
    unanswered: tuple[RequestGroup, ...]
    handoff_reasons: tuple[RequestGroup, ...]
    ungrouped: int = 0
    unreadable: int = 0


def by_day(judged: Sequence[JudgedVisit], deleted: Mapping[str, int], zone: tzinfo) -> tuple[DayFigures, ...]:
    """Returns the figures of each day that had a visit, in order. ``deleted`` is by day."""
    days = defaultdict[str, list[JudgedVisit]](list)
    for one in judged:
        days[day_of(one.visit.began_ms, zone)].append(one)
    return tuple(
        DayFigures(day=day, figures=figures(days[day], deleted.get(day, 0)))
        for day in sorted({*days, *deleted})
    )


def day_of(at_ms: int, zone: tzinfo) -> str:
    """Returns the day of a time, such as 2026-11-27."""
    return f"{datetime.fromtimestamp(at_ms / 1000, zone):%Y-%m-%d}"
