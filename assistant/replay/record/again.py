"""Holds a new recording against what comes of it: the frames for its file, and where it goes otherwise."""

from dataclasses import dataclass
from itertools import zip_longest

from assistant.replay.cassette import Cassette, HeardFrame, Turn
from assistant.replay.expectations import Expectations
from assistant.replay.played import Played, scenes_of


@dataclass(frozen=True, slots=True)
class Again:
    """A recording as it goes today, and the first thing that is not as it was; "" for none."""

    cassette: Cassette
    difference: str = ""


def again(cassette: Cassette, played: Played) -> Again:
    """The cassette with the frames and scenes that replaying it brought.

    ``difference`` names the first line of a scene that is another, or else the first thing that was asked for
    and is not in the recording, or the other way round.
    """
    scenes = scenes_of(played.state)
    turns: list[Turn] = []
    difference = ""
    for number, turn in enumerate(cassette.turns, 1):
        now = scenes.get(f"m{number}", "")
        as_read = Expectations(scene=now).scene
        difference = difference or _difference(number, turn.expect.scene, as_read)
        # What a file cannot hold is left to the frames.
        scene = now if now and now == as_read else None
        turns.append(turn.model_copy(update={"expect": turn.expect.model_copy(update={"scene": scene})}))
    frames = tuple(HeardFrame(at_ms=heard.at_ms, frame=heard.frame) for heard in played.frames)
    found = cassette.model_copy(
        update={"turns": tuple(turns), "frames": frames, "bundle": played.bundle or None}
    )
    return Again(found, difference or next(iter(played.unscripted), ""))


def _difference(number: int, before: str | None, now: str | None) -> str:
    if before is None:
        return ""  # it had not been answered when it was recorded
    for was, is_ in zip_longest(before.splitlines(), (now or "").splitlines(), fillvalue="(nothing more)"):
        if was != is_:
            return f"turn {number}\n    was: {was.strip()}\n    is:  {is_.strip()}"
    return ""
