"""The usage of models in turns, in tokens and money, and how it compares with the budgets."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import Final, Literal, TypeAlias, TypeVar

from assistant.conversation.chunks import StreamEnded
from assistant.conversation.entries import STOPPED, BudgetName, Entry, ModelAsked, ModelChunks

_Number = TypeVar("_Number", int, float)

EMBEDDED: Final = "offline"
"""The name of the embedded model, which costs nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """The sums over a turn's requests. None: the value of at least one request is unknown.

    ``models`` are all models that were asked, including fallback models, in order. ``cached_tokens`` are part
    of ``input_tokens``.
    """

    models: tuple[str, ...] = ()
    requests: int = 0
    input_tokens: int | None = 0
    output_tokens: int | None = 0
    cached_tokens: int | None = 0
    cost_usd: float | None = 0.0


class UsageCount:
    """Sums up the usage while a turn's entries are added."""

    __slots__ = ("_free", "_models", "_replies", "_requests")

    def __init__(self) -> None:
        self._models: dict[str, None] = {}  # an ordered set
        self._requests = 0
        self._free = 0
        self._replies: list[StreamEnded | None] = []

    def add_entry(self, entry: Entry) -> None:
        """Add the next entry. Only requests to models and their replies have an effect."""
        if isinstance(entry, ModelAsked):
            self._requests += 1
            self._free += entry.model == EMBEDDED
            self._models[entry.model] = None
        elif isinstance(entry, ModelChunks):
            last = entry.chunks[-1][1] if entry.chunks else None
            ended = last if isinstance(last, StreamEnded) else None
            self._replies.append(ended)
            # A request that failed before anything came costs nothing.
            self._free += not entry.chunks and entry.error not in (None, STOPPED)
            self._free += ended is not None and ended.model == EMBEDDED
            if ended is not None and ended.model is not None:
                self._models[ended.model] = None

    @property
    def reported(self) -> "Spent":
        """What the providers have reported so far."""
        ended = [reply for reply in self._replies if reply is not None]
        tokens = sum((reply.input_tokens or 0) + (reply.output_tokens or 0) for reply in ended)
        return Spent(tokens=tokens, usd=sum(reply.cost_usd or 0.0 for reply in ended))

    @property
    def reports(self) -> int:
        """The number of replies whose tokens were reported."""
        return sum(reply is not None and reply.input_tokens is not None for reply in self._replies)

    @property
    def unreported(self) -> int:
        """The number of requests that cost something that is not known, such as those of a stopped turn."""
        return max(0, self._requests - self._free - self.reports)

    @property
    def usage(self) -> Usage:
        """The sums so far. A request without a reply, as in a stopped turn, has an unknown usage."""
        ended = [reply for reply in self._replies if reply is not None]
        if len(ended) < self._requests:
            return Usage(
                models=tuple(self._models),
                requests=self._requests,
                input_tokens=None,
                output_tokens=None,
                cached_tokens=None,
                cost_usd=None,
            )
        return Usage(
            models=tuple(self._models),
            requests=self._requests,
            input_tokens=_sum((reply.input_tokens for reply in ended), 0),
            output_tokens=_sum((reply.output_tokens for reply in ended), 0),
            cached_tokens=_sum((reply.cached_tokens for reply in ended), 0),
            cost_usd=_sum((reply.cost_usd for reply in ended), 0.0),
        )


def usage_of(entries: Iterable[Entry]) -> Usage:
    """Returns the usage of the requests among these entries.

    >>> asked = ModelAsked(round=1, role="decider", model="m")
    >>> ended = StreamEnded("stop", input_tokens=90, output_tokens=10)
    >>> used = usage_of([asked, ModelChunks(round=1, role="decider", chunks=((300, ended),))])
    >>> used.input_tokens, used.cost_usd
    (90, None)
    """
    count = UsageCount()
    for entry in entries:
        count.add_entry(entry)
    return count.usage


def _sum(numbers: Iterable[_Number | None], total: _Number) -> _Number | None:
    """Returns the sum, added to ``total``, or None if one of the numbers is None."""
    for number in numbers:
        if number is None:
            return None
        total += number
    return total


UNREPORTED_TOKENS: Final = 4_000
"""The number of tokens that a request with unknown usage counts, if no other request of the conversation has
a known usage.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """Tokens (of requests and replies together) and US dollars."""

    tokens: int = 0
    usd: float = 0.0

    def __add__(self, other: "Spent") -> "Spent":
        return Spent(tokens=self.tokens + other.tokens, usd=self.usd + other.usd)

    def __sub__(self, other: "Spent") -> "Spent":
        return Spent(tokens=self.tokens - other.tokens, usd=self.usd - other.usd)


def spent_in(turns: Iterable[UsageCount], like: Sequence[UsageCount]) -> Spent:
    """Returns the tokens and dollars that these turns have spent. A request with unknown usage counts as much
    as the average request with known usage in the turns ``like``.
    """
    reports = sum(one.reports for one in like)
    known = sum((one.reported for one in like), Spent())
    spent, unknown = Spent(), 0
    for one in turns:
        spent += one.reported
        unknown += one.unreported
    tokens = ceil(known.tokens / reports) if reports else UNREPORTED_TOKENS
    usd = known.usd / reports if reports else 0.0
    return spent + Spent(tokens=unknown * tokens, usd=unknown * usd)


@dataclass(frozen=True, slots=True, kw_only=True)
class SpentToday:
    """The spending of one customer on one day, and the spending of all customers of the tenant."""

    customer: Spent = field(default_factory=Spent)
    tenant: Spent = field(default_factory=Spent)


BudgetScope: TypeAlias = Literal["turn", "conversation", "customer", "tenant"]
BudgetStage: TypeAlias = Literal["ok", "soft", "hard"]
BudgetUnit: TypeAlias = Literal["tokens", "usd"]

SCOPES: Final[tuple[BudgetScope, ...]] = ("tenant", "customer", "conversation", "turn")
"""The scopes of limits, the widest first. If several limits are reached, the widest is named, because it
lasts longest.
"""

_NAMES: Final[Mapping[BudgetScope, BudgetName]] = {
    "turn": "turn_budget",
    "conversation": "conversation_budget",
    "customer": "day_budget",
    "tenant": "day_budget",
}
_AMOUNT: Final = re.compile(r"(\d+(?:\.\d+)?)\s*(tokens?|usd)", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class SpendingLimit:
    """How much may be spent: tokens, US dollars, or both. None: no limit."""

    tokens: int | None = None
    usd: float | None = None

    @classmethod
    def parse(cls, written: str) -> "SpendingLimit":
        """Read a limit. Raises ``ValueError``.

        >>> SpendingLimit.parse("20000 tokens"), str(SpendingLimit.parse("0.5 USD, 9000 tokens"))
        (SpendingLimit(tokens=20000, usd=None), '9000 tokens, 0.5 USD')
        """
        amounts: dict[str, float] = {}
        for part in written.split(","):
            found = _AMOUNT.fullmatch(part.strip())
            unit = found[2].lower() if found is not None else ""
            amount = float(found[1]) if found is not None else 0.0
            if amount <= 0 or unit in amounts or (unit != "usd" and not amount.is_integer()):
                raise ValueError(
                    "not a budget; write it like '20000 tokens', '0.50 USD' or '20000 tokens, 0.50 USD'"
                )
            amounts["usd" if unit == "usd" else "tokens"] = amount
        tokens = amounts.get("tokens")
        return cls(tokens=None if tokens is None else int(tokens), usd=amounts.get("usd"))

    def __str__(self) -> str:
        tokens = [] if self.tokens is None else [f"{self.tokens} tokens"]
        return ", ".join([*tokens, *([] if self.usd is None else [f"{self.usd:g} USD"])])


@dataclass(frozen=True, slots=True, kw_only=True)
class SpendingLimits:
    """The limit of each scope. ``soft_share``: the part of a limit from which the soft stage begins."""

    by_scope: Mapping[BudgetScope, SpendingLimit]
    soft_share: float = 0.8

    @property
    def by_day(self) -> bool:
        """Whether any limit is for a day. Such a limit needs a store."""
        return "customer" in self.by_scope or "tenant" in self.by_scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Assessment:
    """The stage of a budget, with the amounts that decided it."""

    stage: BudgetStage
    scope: BudgetScope = "turn"
    unit: BudgetUnit = "tokens"
    used: float = 0.0
    limit: float = 0.0

    @property
    def budget(self) -> BudgetName:
        """The budget that the customer is told about."""
        return _NAMES[self.scope]

    def __str__(self) -> str:
        return f"the budget of the {self.scope}: {self.used:g} of {self.limit:g} {self.unit}"


WITHIN_BUDGET: Final = Assessment(stage="ok")


def assess(spent: Mapping[BudgetScope, Spent], limits: SpendingLimits) -> Assessment:
    """Returns the stage of the budgets: hard if one is spent, soft if one is nearly spent. It names the
    widest scope in that stage. No side effects.

    >>> limits = SpendingLimits(by_scope={"turn": SpendingLimit(tokens=100), "tenant": SpendingLimit(usd=2.0)})
    >>> assess({"turn": Spent(tokens=79)}, limits).stage, assess({"turn": Spent(tokens=80)}, limits).stage
    ('ok', 'soft')
    >>> str(assess({"turn": Spent(tokens=100), "tenant": Spent(usd=1.9)}, limits))
    'the budget of the turn: 100 of 100 tokens'
    """
    found = WITHIN_BUDGET
    for scope in SCOPES:
        limit, used = limits.by_scope.get(scope), spent.get(scope)
        if limit is None or used is None:
            continue
        for unit, amount, most in _amounts(used, limit):
            if amount >= most:
                return Assessment(stage="hard", scope=scope, unit=unit, used=amount, limit=most)
            if found.stage == "ok" and amount >= most * limits.soft_share:
                found = Assessment(stage="soft", scope=scope, unit=unit, used=amount, limit=most)
    return found


def _amounts(used: Spent, limit: SpendingLimit) -> list[tuple[BudgetUnit, float, float]]:
    tokens: list[tuple[BudgetUnit, float, float]] = []
    if limit.tokens is not None:
        tokens.append(("tokens", used.tokens, limit.tokens))
    if limit.usd is not None:
        tokens.append(("usd", used.usd, limit.usd))
    return tokens
