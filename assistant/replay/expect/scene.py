"""``scene``: all that happened, as a test would write it down."""

from collections.abc import Iterator, Sequence
from itertools import zip_longest

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
    pairs = zip_longest(wanted, (line for line, _ in found))
    first = next((number for number, (one, other) in enumerate(pairs) if one != other), None)
    if first is not None:
        yield part.complaint(
            "scene",
            expected=_marked(wanted, first),
            found=_marked([line for line, _ in found], first),
            at_ms=found[first][1] if first < len(found) else None,
        )


def _lines(turn: PlayedTurn, *, whole: bool) -> Iterator[tuple[str, int | None]]:
    """A turn's lines and when they came; the customer has one where a scene has several turns."""
    if whole:
        yield f"Customer: {turn.state.message.text}", turn.said_ms
    moments = {message.said.id: message.began for message in turn.messages}
    moments |= {call.call.id: call.ended for call in turn.calls}
    for text, id_ in lines_of(turn.state):
        moment = moments[id_]
        # A message may have several lines; each is compared by itself.
        yield from ((line, moment.at_ms if moment is not None else None) for line in text.splitlines())


def _marked(lines: Sequence[str], first: int) -> str:
    shown = [f"{'>' if number == first else ' '} {line}" for number, line in enumerate(lines)]
    if first >= len(lines):
        shown.append("> (nothing more)")
    return "\n".join(shown)
