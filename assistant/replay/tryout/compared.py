"""One recorded conversation on today's prompts and on the edited ones."""

from dataclasses import dataclass
from pathlib import Path

from assistant.errors import AssistantError, DeclarationError
from assistant.replay.cassette import Cassette
from assistant.replay.cassette_file import SUFFIX, load
from assistant.replay.played import Played
from assistant.replay.player.replay import replay
from assistant.replay.player.stage import Stage
from assistant.replay.tryout.given import Given, NotAsked, given_in
from assistant.replay.tryout.heard import heard_otherwise


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """What came of it. ``heard`` are the lines that the customer would have heard otherwise."""

    name: str
    cassette: Cassette
    played: Played
    given: tuple[Given, ...]
    not_asked: tuple[NotAsked, ...]
    heard: tuple[str, ...]


def compared(path: Path, today: Stage, edited: Stage) -> Compared:
    """Play the file on both. Raises ``DeclarationError`` for one that cannot be read or played."""
    cassette = load(path).cassette
    try:
        played = replay(cassette, today)
        heard = heard_otherwise(played, replay(cassette, edited))
        found = list(given_in(cassette, played, today, edited))
    except AssistantError as error:
        raise DeclarationError(f"{path}: cannot be played: {error}") from error
    return Compared(
        name=path.name.removesuffix(SUFFIX),
        cassette=cassette,
        played=played,
        given=tuple(one for one in found if isinstance(one, Given)),
        not_asked=tuple(one for one in found if isinstance(one, NotAsked)),
        heard=tuple(heard),
    )
