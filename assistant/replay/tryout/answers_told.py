"""Words what models answered to today's prompts and to the edited ones, and the means of it."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias, assert_never

from assistant.replay.checks.complaint import Complaint
from assistant.replay.tryout.answer import Answer, NoAnswer
from assistant.replay.tryout.ask import Asked, Weighed
from assistant.replay.tryout.given import ROLES

_LABEL, _COLUMN = 20, 12

_Figure: TypeAlias = Callable[[Sequence[Weighed]], str]


def told(asked: Asked) -> Iterator[str]:
    """The answers to one request, ``-`` before today's and ``+`` before the edited one's."""
    yield f"\n  {asked.name} {asked.given.turn}: {asked.given.role}"
    yield from _answer("-", asked.today)
    yield from _answer("+", asked.edited)


def means(asked: Sequence[Asked]) -> Iterator[str]:
    """Both versions side by side, over all answers of each role."""
    for role in ROLES:
        of_role = [one for one in asked if one.given.role == role]
        if not of_role:
            continue
        today, edited = [one.today for one in of_role], [one.edited for one in of_role]
        yield f"\n{role:<{_LABEL}}{'today':>{_COLUMN}}{'edited':>{_COLUMN}}"
        figures = {**_EVERY, **(_NARRATOR if role == "narrator" else {})}
        for label, figure in figures.items():
            yield f"  {label:<{_LABEL - 2}}{figure(today):>{_COLUMN}}{figure(edited):>{_COLUMN}}"


def _answer(mark: str, weighed: Weighed) -> Iterator[str]:
    match weighed.came:
        case NoAnswer(why=why):
            yield f"    {mark} no answer: {why}"
        case Answer(text=text, calls=calls, first_ms=first_ms, whole_ms=whole_ms):
            took = f"{whole_ms:,} ms" if first_ms is None else f"{first_ms:,} of {whole_ms:,} ms"
            called = [f"[{', '.join(calls)}]"] if calls else []
            lines = [*text.splitlines(), *called] or ["nothing"]
            yield from (f"    {mark} {line}".rstrip() for line in lines)
            yield f"      {took}"
            yield from (f"      {complaint.check}: {complaint.found}" for complaint in weighed.complaints)
        case _:
            assert_never(weighed.came)


def _answers(weighed: Sequence[Weighed]) -> list[Answer]:
    return [one.came for one in weighed if isinstance(one.came, Answer)]


def _count(weighed: Sequence[Weighed]) -> str:
    return f"{len(_answers(weighed))} of {len(weighed)}"


def _mean(of: Callable[[Answer], int | None], unit: str = "") -> _Figure:
    def figure(weighed: Sequence[Weighed]) -> str:
        numbers = [number for one in _answers(weighed) if (number := of(one)) is not None]
        return f"{sum(numbers) / len(numbers):,.0f}{unit}" if numbers else "-"

    return figure


def _complained(check: str) -> _Figure:
    def is_so(complaint: Complaint) -> bool:
        return complaint.check == check

    def figure(weighed: Sequence[Weighed]) -> str:
        return f"{sum(any(map(is_so, one.complaints)) for one in weighed)} of {len(_answers(weighed))}"

    return figure


_EVERY: dict[str, _Figure] = {
    "answers": _count,
    "first words": _mean(lambda one: one.first_ms, " ms"),
    "whole": _mean(lambda one: one.whole_ms, " ms"),
    "words": _mean(lambda one: len(one.text.split())),
    "calls": _mean(lambda one: len(one.calls)),
}

_NARRATOR: dict[str, _Figure] = {
    "repeat": _complained("no_repetition"),
    "not grounded": _complained("grounded"),
}
