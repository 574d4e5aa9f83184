"""Finds out, before anything is played, whether a cassette can be played on a stage."""

from difflib import get_close_matches

from assistant.errors import DeclarationError
from assistant.replay.cassette import Cassette
from assistant.replay.player.stage import Stage


def check_playable(cassette: Cassette, stage: Stage) -> None:
    """Raise ``DeclarationError`` for what nobody can play.

    A time without a zone, which is another one on every machine; a run of a tool that neither the stage nor
    the cassette declares.
    """
    if cassette.now.tzinfo is None:
        raise DeclarationError(
            f"now: {cassette.now} is in no time zone; write {cassette.now}+00:00, or yours"
        )
    known = {spec.name for spec in stage.tools.specs} | {declared.name for declared in cassette.declares}
    for number, turn in enumerate(cassette.turns, 1):
        for run in turn.tools:
            if run.tool not in known:
                raise DeclarationError(
                    f"turn {number}: {run.tool!r} is no tool of the tools' folder, and the cassette does not"
                    f" declare it; {_cure(run.tool, sorted(known))}"
                )


def _cure(name: str, known: list[str]) -> str:
    close = get_close_matches(name, known, n=3)
    if close:
        return f"did you mean {' or '.join(close)}?"
    return f"there are {', '.join(known) or 'none'}: declare it under 'declares'"
