"""``scene``: all that happened, as a test would write it down."""

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple

from assistant.replay.complaint import Complaint
from assistant.replay.expect.held import PlayedTurn
from assistant.replay.expect.part import Part
from assistant.testing.scene import lines_of


def scene_differs(part: Part) -> Iterator[Complaint]:
    """Complain of the first line that differs, and show both scenes with a mark at it."""
    if part.expect.scene is None:
        return
    wanted = part.expect.scene.splitlines()
    found = [line for turn in part.turns for line in _lines(turn, whole=part.number == 0)]
    pairs = zip_longest(wanted, (line.text for line in found))
    first = next((number for number, (one, other) in enumerate(pairs) if one != other), None)
    if first is not None:
        yield part.complaint(
            "scene",
            expected=_marked(wanted, first),
            found=_marked([line.text for line in found], first),
            at_ms=found[first].at_ms if first < len(found) else None,
            seq=found[first].seq if first < len(found) else None,
        )


class _Line(NamedTuple):
    """A line, when it came to be so, and the entry with which what it tells of began."""

    text: str
    at_ms: int | None = None
    seq: int | None = None


def _lines(turn: PlayedTurn, *, whole: bool) -> Iterator[_Line]:
    """A turn's lines; the customer has one where a scene has several turns."""
    if whole and not turn.state.unasked:
        yield _Line(f"Customer: {turn.state.message.text}", turn.said_ms)
    spans = {message.said.id: (message.began, message.began) for message in turn.messages}
    spans |= {call.call.id: (call.started or call.ended, call.ended) for call in turn.calls}
    for text, id_ in lines_of(turn.state):
        began, ended = spans[id_]
        at_ms = ended.at_ms if ended is not None else None
        seq = began.seq if began is not None else None
        # A message may have several lines; each is compared by itself.
        yield from (_Line(line, at_ms, seq) for line in text.splitlines())


def _marked(lines: Sequence[str], first: int) -> str:
    shown = [f"{'>' if number == first else ' '} {line}" for number, line in enumerate(lines)]
    if first >= len(lines):
        shown.append("> (nothing more)")
    return "\n".join(shown)
