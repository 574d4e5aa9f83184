"""Whether an amount may be called a total: "That's $150 in all"."""

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from decimal import Decimal
from itertools import combinations
from typing import Final

from assistant.language.known import Record, Source
from assistant.language.numbers import plain
from assistant.language.values import Money, Number
from assistant.language.worked_out import together

_MOST_ADDED: Final = 10
_FEW: Final = 6


def is_total(amount: Decimal, said: Sequence[Decimal], sources: Sequence[Source]) -> bool:
    """Whether an answer may call this amount a total.

    It may if a source states the amount, if it is a sum of known amounts or of those ``said`` earlier in the
    answer, or if it is a known price times a number of the customer's. A difference or a share is no total.
    """
    for source in sources:
        stated = any(isinstance(one, Money) and one.amount == amount for one in source.values)
        if stated or Number(amount) in source.values or amount in set(_of_records(source)):
            return True
    known = together(source.terms for source in sources)
    counts = together(source.terms for source in sources if source.kind == "message").counts
    if any(amount == one * count for one in known.amounts for count in counts):
        return True
    return adds_up(amount, said, known.amounts)


def adds_up(amount: Decimal, said: Sequence[Decimal], known: AbstractSet[Decimal]) -> bool:
    """Whether an amount is the sum of the amounts said last, or of some known ones, each taken once.

    A known amount that is itself the sum of two others is no part of a sum.

    >>> open_ = {Decimal(120), Decimal(30), Decimal(150)}
    >>> adds_up(Decimal(150), [], open_), adds_up(Decimal(180), [], open_)
    (True, False)
    """
    if any(amount == sum(said[start:], Decimal(0)) for start in range(len(said) - 1)):
        return True
    parts = [one for one in known if not _is_sum_of_two(one, known)]
    return len(parts) <= _MOST_ADDED and any(
        amount == sum(some, Decimal(0))
        for count in range(2, len(parts) + 1)
        for some in combinations(parts, count)
    )


def _is_sum_of_two(amount: Decimal, known: AbstractSet[Decimal]) -> bool:
    return any(amount - one in known and one not in (amount, amount - one) for one in known)


def _of_records(source: Source) -> Iterator[Decimal]:
    """The sums of the columns of a list, and the sum and the products of the amounts of one record."""
    for group in source.groups:
        yield from (plain(sum(column, Decimal(0))) for column in zip(*_amounts(group), strict=False))
    for record in source.records:
        if 1 < len(record.amounts) <= _FEW:
            yield plain(sum(record.amounts, Decimal(0)))
            yield from (plain(one * other) for one, other in combinations(record.amounts, 2))


def _amounts(group: Sequence[Record]) -> Iterator[Sequence[Decimal]]:
    return (record.amounts for record in group)
