"""Holds a played conversation to everything that is expected of it. Read this file first."""

from collections.abc import Callable, Iterable, Iterator

from assistant.conversation.tool_spec import ToolSpec
from assistant.prompts.book import PromptBook
from assistant.replay.cassette.cassette import Cassette
from assistant.replay.complaint import Complaint
from assistant.replay.expect.calls import calls
from assistant.replay.expect.hears import hears
from assistant.replay.expect.held import Held, played_turns
from assistant.replay.expect.how import how
from assistant.replay.expect.never import never
from assistant.replay.expect.overlap import overlap
from assistant.replay.expect.part import Part, parts_of
from assistant.replay.expect.scene import scene_differs
from assistant.replay.expect.silence import silence
from assistant.replay.expect.withheld import withheld
from assistant.replay.played import Played

_WRITTEN: tuple[Callable[[Part], Iterator[Complaint]], ...] = (
    scene_differs,
    hears,
    never,
    calls,
    overlap,
    how,
    silence,
    withheld,
)


def check(
    cassette: Cassette, played: Played, book: PromptBook, specs: Iterable[ToolSpec] = ()
) -> list[Complaint]:
    """Everything that is not as it should be; empty when all is well. Pure.

    Args:
        cassette: what is expected.
        played: what came of it.
        book: the prompts that it was played with: what languages, names and failures read like.
        specs: the tools that it was played with, for what they are called in words.

    Returns:
        The complaints, turn by turn, what concerns the conversation as a whole at the end.
    """
    held = Held(
        cassette=cassette,
        played=played,
        turns=played_turns(played),
        book=book,
        specs={spec.name: spec for spec in specs},
    )
    return [complaint for part in parts_of(held) for one in _WRITTEN for complaint in one(part)]
