"""Words a result for whoever has to mend it: where in the file, what was expected, what came instead."""

from typing import assert_never

from assistant.replay.checks.complaint import Complaint
from assistant.replay.checks.rendering import marked
from assistant.replay.suite import AsExpected, Different, Result, Unplayable
from assistant.replay.yaml_reader import Lines


def told(result: Result) -> str:
    """All there is to say of a result: the conversation, marked where it first differs, then each difference."""
    match result:
        case AsExpected():
            return f"{result.path}: as expected\n{marked(result.loaded.cassette, result.played, ())}"
        case Different():
            shown = marked(result.loaded.cassette, result.played, result.complaints)
            places = [_where(complaint, result) for complaint in result.complaints]
            return "\n".join([f"{result.path}: different", shown, "", *places])
        case Unplayable():
            why = "\n".join(f"    {line}" for line in result.why.splitlines())
            return f"{result.path}: cannot be played\n{why}"
        case _:
            assert_never(result)


def complaint_lines(result: Different) -> list[str]:
    """A paragraph for each complaint, the first line of it with the file's name and line.

    The line is that of the expectation; of what was expected without being asked for, that of its turn.
    """
    return [
        line
        for complaint in result.complaints
        for line in (
            _where(complaint, result),
            *_indented("expected", complaint.expected),
            *_indented("found", complaint.found),
        )
    ]


def line_of(complaint: Complaint, lines: Lines) -> int:
    """The line in the file that a complaint is about."""
    place = complaint.place or (("turns", complaint.turn - 1) if complaint.turn else ())
    return lines.of(place)[1]


def _where(complaint: Complaint, result: Different) -> str:
    turn = f"turn {complaint.turn}: " if complaint.turn else ""
    at = f" ({complaint.at_ms:,} ms)" if complaint.at_ms is not None else ""
    return f"{result.path}:{line_of(complaint, result.loaded.lines)}: {turn}{complaint.check}{at}"


def _indented(label: str, text: str) -> list[str]:
    first, *rest = text.splitlines() or [""]
    return [f"    {label:<9}{first}", *(f"    {'':<9}{line}" for line in rest)]
