"""Puts a large result into few words with a model."""

import asyncio
from dataclasses import replace

from assistant.conversation.outcomes import CallSucceeded
from assistant.conversation.snapshots import MOST_CHARACTERS
from assistant.formats.json_text import json_text
from assistant.memory.summaries.room import Room
from assistant.memory.summaries.summary_model import SummaryModel, Written
from assistant.prompts.language import name_of
from assistant.prompts.summaries import ResultSummary

_LONGEST = Room(most=MOST_CHARACTERS)
"""No longer than what the rule makes of a result."""

_WORDS = 150
_LONGEST_QUESTION = Room(most=1_000)
_LONGEST_ARGUMENTS = Room(most=2_000)


async def describe(
    outcome: CallSucceeded, question: str, *, by: SummaryModel, locale: str = "en", conversation: str = ""
) -> Written:
    """What the model says of a result that the customer got by asking ``question``.

    Raises:
        ModelError: it failed, refused, or wrote nothing.
        PromptError: its template cannot be rendered.
    """
    task = await asyncio.to_thread(_task, outcome, question, by.room, locale)
    written = await by.write(task, conversation)
    return replace(written, text=_LONGEST.sentences(written.text, locale))


def _task(outcome: CallSucceeded, question: str, room: Room, locale: str) -> ResultSummary:
    value = outcome.value
    arguments = _LONGEST_ARGUMENTS.ends(json_text(outcome.call.arguments))
    # Marks of quotation, of which data are full, take two signs when they are fenced.
    result = room.share(0.7)
    return ResultSummary(
        tool=outcome.call.tool,
        arguments=arguments,
        question=_LONGEST_QUESTION.ends(question),
        result=result.ends(value if isinstance(value, str) else json_text(value)),
        words=_WORDS,
        language=name_of(locale),
    )
