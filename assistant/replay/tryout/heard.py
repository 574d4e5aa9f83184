"""What the customer of a recorded conversation would have heard otherwise."""

from collections.abc import Iterator

from assistant.conversation.values import Json
from assistant.replay.played import Played
from assistant.replay.tryout.differences import changed
from assistant.testing.scene import scene_of


def heard_otherwise(today: Played, edited: Played) -> list[str]:
    """The lines of the transcript that differ, ``-`` and ``+`` before them; empty when nothing does."""
    return changed(list(_lines(today)), list(_lines(edited)))


def _lines(played: Played) -> Iterator[str]:
    welcome = next((one.frame for one in played.frames if one.frame["type"] == "welcome"), None)
    for name, value in _about(welcome["assistant"] if welcome is not None else None):
        yield f"{name}: {value}"
    for number, turn in enumerate(played.state.turns, 1):
        yield from (f"turn {number}  {line.strip()}" for line in scene_of(turn).splitlines())
        yield f"turn {number}  {turn.how or 'unfinished'}"


def _about(assistant: Json) -> Iterator[tuple[str, str]]:
    """What stands above the conversation: a name, a greeting, a line of fine print, some starters."""
    for name, value in assistant.items() if isinstance(assistant, dict) else ():
        for each in value if isinstance(value, list) else [value]:
            if each is not None:
                yield name, str(each)
