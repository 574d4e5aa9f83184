"""Plays cassette files and reports their results as text or as JUnit XML."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import assert_never
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from assistant.errors import AssistantError
from assistant.ports import Clock
from assistant.replay.cassette_file import SUFFIX, Loaded, load
from assistant.replay.checks.check import check
from assistant.replay.checks.rendering import render_transcript
from assistant.replay.checks.transcript import Complaint
from assistant.replay.played import Played
from assistant.replay.player.environment import ReplayEnvironment
from assistant.replay.player.play import replay
from assistant.replay.yaml_reader import Lines


@dataclass(frozen=True, slots=True, kw_only=True)
class AsExpected:
    """It was played, and everything was as expected. ``took_s`` is real time."""

    path: Path
    loaded: Loaded
    played: Played
    took_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Different:
    """It was played, and something was not as expected."""

    path: Path
    loaded: Loaded
    played: Played
    complaints: tuple[Complaint, ...]
    took_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Unplayable:
    """It could not be played: the file is wrong, or it needs what is not there. ``why`` has a line for each."""

    path: Path
    why: str
    took_s: float = 0.0


Result = AsExpected | Different | Unplayable


def play_file(path: Path, environment: ReplayEnvironment, clock: Clock) -> Result:
    """Play one file and hold it to what it expects. Never raises for what is in the file.

    Args:
        path: the file.
        environment: the prompts and tools to play it on.
        clock: tells how long it took.
    """
    began = clock.monotonic()
    try:
        loaded = load(path)
        played = replay(loaded.cassette, environment)
        complaints = check(loaded.cassette, played, environment.book, environment.tools.specs)
    except AssistantError as error:
        return Unplayable(path=path, why=str(error), took_s=clock.monotonic() - began)
    took_s = clock.monotonic() - began
    if complaints:
        return Different(path=path, loaded=loaded, played=played, complaints=tuple(complaints), took_s=took_s)
    return AsExpected(path=path, loaded=loaded, played=played, took_s=took_s)


def result_text(result: Result) -> str:
    """All there is to say of a result: the conversation, marked where it first differs, then each difference."""
    match result:
        case AsExpected():
            return (
                f"{result.path}: as expected\n{render_transcript(result.loaded.cassette, result.played, ())}"
            )
        case Different():
            shown = render_transcript(result.loaded.cassette, result.played, result.complaints)
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
    return lines.locate(place)[1]


def _where(complaint: Complaint, result: Different) -> str:
    turn = f"turn {complaint.turn}: " if complaint.turn else ""
    at = f" ({complaint.at_ms:,} ms)" if complaint.at_ms is not None else ""
    return f"{result.path}:{line_of(complaint, result.loaded.lines)}: {turn}{complaint.check}{at}"


def _indented(label: str, text: str) -> list[str]:
    first, *rest = text.splitlines() or [""]
    return [f"    {label:<9}{first}", *(f"    {'':<9}{line}" for line in rest)]


_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(results: Sequence[Result]) -> str:
    """The document: one suite, one case for each conversation, classed by its folder."""
    suite = Element("testsuite", name="conversations", tests=str(len(results)))
    suite.set("failures", str(sum(isinstance(result, Different) for result in results)))
    suite.set("errors", str(sum(isinstance(result, Unplayable) for result in results)))
    suite.set("time", f"{sum(result.took_s for result in results):.3f}")
    for result in results:
        _add_case(suite, result)
    whole = Element("testsuites")
    whole.append(suite)
    indent(whole)
    return tostring(whole, encoding="unicode", xml_declaration=True) + "\n"


def _add_case(suite: Element, result: Result) -> None:
    case = SubElement(
        suite,
        "testcase",
        classname=".".join(result.path.parent.parts) or ".",
        name=result.path.name.removesuffix(SUFFIX),
        file=str(result.path),
        time=f"{result.took_s:.3f}",
    )
    match result:
        case AsExpected():
            pass
        case Different():
            lines = complaint_lines(result)
            failure = SubElement(case, "failure", type=result.complaints[0].check, message=_clean(lines[0]))
            failure.text = _clean("\n".join(lines))
        case Unplayable(why=why):
            error = SubElement(case, "error", type="unplayable", message=_clean(why.partition("\n")[0]))
            error.text = _clean(why)
        case _:
            assert_never(result)


def _clean(text: str) -> str:
    """Without the characters that no XML may hold."""
    return _NOT_IN_XML.sub("�", text)
