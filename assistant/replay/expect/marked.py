"""The conversation as a person reads it, with a mark where it first differs: what a failing replay prints."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from textwrap import wrap

from assistant.replay.cassette import Cassette
from assistant.replay.complaint import Complaint
from assistant.replay.expect.held import PlayedTurn, played_turns
from assistant.replay.expect.phrases import ms
from assistant.replay.expect.rows import Row, rows_of
from assistant.replay.played import Played

WIDTH = 100
"""Columns."""

_TIME, _WHO = 10, 15
_INDENT = 2 + _TIME + 2 + _WHO + 2
_LABEL = 10


def marked(cassette: Cassette, played: Played, complaints: Sequence[Complaint]) -> str:
    """The transcript with its times, a mark at the first complaint, and the others below.

    ``complaints`` as :func:`assistant.replay.expect.check.check` gives them. Without any it is the transcript
    alone. Lines of a recording's frames may be longer than ``WIDTH``.
    """
    first = complaints[0] if complaints else None
    lines = [*wrap(cassette.about, WIDTH)]
    turns = played_turns(played)
    for turn in turns:
        lines += ["", f"Turn {turn.number}, later" if turn.state.unasked else f"Turn {turn.number}"]
        lines += _turn(
            rows_of(cassette, played, turn), first if first and _is_in(first, turn, turns) else None
        )
    if first is not None and not any(_is_in(first, turn, turns) for turn in turns):
        lines += ["", *_difference(first)]
    if len(complaints) > 1:
        lines += ["", f"{len(complaints) - 1} more:", *_others(complaints[1:])]
    return "\n".join(lines)


def _is_in(complaint: Complaint, turn: PlayedTurn, turns: Sequence[PlayedTurn]) -> bool:
    """Whether it is told within this turn; what concerns the whole is, where its moment lies."""
    if complaint.turn:
        numbered = [other for other in turns if other.number == complaint.turn]
        holding = [other for other in numbered if any(one.seq == complaint.seq for one in other.entries)]
        return turn in (holding or numbered)[:1]
    at_ms = complaint.at_ms
    begun = [other for other in turns if at_ms is not None and other.said_ms <= at_ms]
    return bool(begun) and begun[-1] is turn


def _turn(rows: Sequence[Row], first: Complaint | None) -> Iterator[str]:
    place = _place(rows, first) if first is not None else None
    for number, row in enumerate(rows):
        yield from _row(row, mark=number == place)
        if number == place and first is not None:
            yield from _difference(first)


def _place(rows: Sequence[Row], complaint: Complaint) -> int:
    """The row of what the complaint is about, else of its moment, or the last one before it; else the last."""
    about = next((number for number, row in enumerate(rows) if row.seq == complaint.seq), None)
    if about is not None:
        return about
    at_ms = complaint.at_ms
    if at_ms is None:
        return len(rows) - 1
    exact = next((number for number, row in enumerate(rows) if row.at_ms == at_ms), None)
    before = max((number for number, row in enumerate(rows) if row.at_ms < at_ms), default=0)
    return before if exact is None else exact


def _row(row: Row, *, mark: bool) -> Iterator[str]:
    texts = [line for part in row.text.splitlines() or [""] for line in wrap(part, WIDTH - _INDENT) or [""]]
    head = f"{'>' if mark else ' '} {ms(row.at_ms):>{_TIME}}  {row.who:<{_WHO}}  {texts[0]}"
    yield head.rstrip()
    yield from (f"{'':{_INDENT}}{text}".rstrip() for text in texts[1:])


def _difference(complaint: Complaint) -> Iterator[str]:
    yield f"    {complaint.check}"
    yield from _labelled("expected", complaint.expected)
    yield from _labelled("found", complaint.found)


def _labelled(label: str, text: str) -> Iterator[str]:
    """A text beside its label; one of several lines keeps its lines, for they are a drawing."""
    lines = text.splitlines() or ["nothing"]
    if len(lines) == 1:
        lines = wrap(lines[0], WIDTH - 4 - _LABEL) or ["nothing"]
    for number, line in enumerate(lines):
        yield f"    {label if number == 0 else '':<{_LABEL}}{line}".rstrip()


def _others(complaints: Sequence[Complaint]) -> Iterator[str]:
    for complaint in complaints:
        short = replace(complaint, expected=_line(complaint.expected), found=_line(complaint.found))
        yield from wrap(str(short), WIDTH, initial_indent="  ", subsequent_indent="    ")


def _line(text: str) -> str:
    """A text of one line; of a drawing the line with the mark, unless words stand above it."""
    first, *rest = text.splitlines() or [""]
    if not first.startswith((">", " ")):
        return first
    return next((line[1:].strip() for line in (first, *rest) if line.startswith(">")), first)
