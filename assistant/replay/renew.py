"""Writes down anew what a conversation comes to, after a change that was meant."""

from assistant.replay.cassette.cassette import Cassette, HeardFrame
from assistant.replay.document.rewrite import with_frames, with_scene
from assistant.replay.played import Played
from assistant.replay.scenes import scenes_of


def renewed(text: str, cassette: Cassette, played: Played) -> str:
    """The file with the frames and scenes that came; where it has none, none are added.

    What else it expects, and its comments, stay as they are.
    """
    scenes = scenes_of(played.state)
    for number, turn in enumerate(cassette.turns):
        scene = scenes.get(f"m{number + 1}")
        if turn.expect.scene is not None and scene is not None:
            text = with_scene(text, number, scene)
    if cassette.frames:
        heard = tuple(HeardFrame(at_ms=one.at_ms, frame=one.frame) for one in played.frames)
        text = with_frames(text, heard)
    return text
