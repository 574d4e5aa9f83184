"""``overlap``: tools that are all to run at the same moment."""

from collections.abc import Iterator, Sequence
from itertools import product

from assistant.replay.complaint import Complaint
from assistant.replay.expect.held import PlayedCall
from assistant.replay.expect.part import Part
from assistant.replay.expect.phrases import listed, ms


def overlap(part: Part) -> Iterator[Complaint]:
    """Complain of each group of tools of which there was no moment when all were running."""
    started = [call for turn in part.turns for call in turn.calls if call.started is not None]
    for number, tools in enumerate(part.expect.overlap):
        of_each = [[call for call in started if call.call.tool == tool] for tool in tools]
        if not any(_together(group) for group in product(*of_each)):
            concerned = [call for call in started if call.call.tool in tools]
            yield part.complaint(
                "overlap",
                number,
                expected=f"{' and '.join(tools)} at the same time",
                found=listed(map(_when, concerned), "none of them ran"),
                at_ms=concerned[-1].started.at_ms if concerned and concerned[-1].started else None,
            )


def _together(calls: Sequence[PlayedCall]) -> bool:
    if len(set(map(id, calls))) < len(calls):
        return False  # a tool that is named twice ran twice
    # The log's order, not its clock: calls that take no time at all can still be under way together.
    began = max(call.started.seq for call in calls if call.started is not None)
    ended = [call.ended.seq for call in calls if call.ended is not None]
    return not ended or began < min(ended)


def _when(call: PlayedCall) -> str:
    began = ms(call.started.at_ms) if call.started is not None else "never"
    ended = f"to {ms(call.ended.at_ms)}" if call.ended is not None else "and has not ended"
    return f"{call.call.tool} ran from {began} {ended}"
