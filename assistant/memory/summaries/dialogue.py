"""Sums a conversation up with a model, and sees to it that no fact is lost by that."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from assistant.memory.summaries.complete import ITS_SHARE, complete
from assistant.memory.summaries.room import Room
from assistant.memory.summaries.said import Said
from assistant.memory.summaries.summary_model import SummaryModel, Written
from assistant.prompts.language import name_of
from assistant.prompts.summaries import DialogueSummary

_TOKENS_A_WORD = 2
"""Words are what a model can count, roughly; cautious counters take each for so many tokens."""


async def sum_up(
    previous: str,
    said: Sequence[Said],
    *,
    by: SummaryModel,
    room: Room,
    locale: str = "en",
    conversation: str = "",
) -> Written:
    """The model's summary of what the previous one stood for and of what was said since.

    Every value in either stands in it, while there is room: what the model dropped is added word for word.

    Raises:
        ModelError: it failed, refused, or wrote nothing.
        PromptError: its template cannot be rendered.
    """
    task = DialogueSummary(
        summary=previous,
        said=await asyncio.to_thread(_fitted, previous, said, by.room),
        words=max(1, int(room.most * ITS_SHARE) // _TOKENS_A_WORD),
        language=name_of(locale),
    )
    written = await by.write(task, conversation)
    # Reading all the values there are takes its time, which is not this loop's to give.
    text = await asyncio.to_thread(complete, written.text, previous, said, room, locale)
    return replace(written, text=text)


def _fitted(previous: str, said: Sequence[Said], room: Room) -> tuple[str, ...]:
    """What was said, each as long as all of it fits; else the longest are cut down to their share of the room."""
    left = room.besides(previous)
    lines = [str(one) for one in said]
    if left.holds("\n".join(lines)):
        return tuple(lines)
    share = Room(most=max(1, left.most // max(1, len(lines))), count=left.count)
    return tuple(share.ends(line) for line in lines)
