"""The model that writes summaries, asked one request at a time."""

from contextlib import aclosing
from dataclasses import dataclass
from functools import partial

from assistant.conversation.chunks import Chunk, StreamEnded, TextDelta
from assistant.conversation.views import FromCustomer, TurnView, View
from assistant.errors import ModelBroke, ModelRefused
from assistant.memory.budget.budget import Budget
from assistant.memory.budget.sizes import text_tokens
from assistant.memory.summaries.room import Room
from assistant.ports import Model, ModelOptions, ModelRequest
from assistant.prompts.book import PromptBook
from assistant.prompts.prompt import Instruction
from assistant.text.sentences import sentences

NO_BUDGET = Room(most=50_000)
"""The room where nobody says how much a request may hold: so many characters."""

_INSTRUCTIONS = 1_000
"""So many tokens of a request are left for what the model is told to do."""

_MOST_TOKENS = 15_000
"""No request gives it more than this to sum up: prompts have a longest size, and what is fenced grows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What a summary model wrote, and what its provider says of the reply."""

    text: str
    ended: StreamEnded


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryModel:
    """Who writes, how it is asked, and the room for what it is given to sum up: see :func:`room_within`."""

    model: Model
    options: ModelOptions
    book: PromptBook
    room: Room

    async def write(self, task: Instruction, conversation: str) -> Written:
        """Ask for one text. What is to be summed up is given as the message to be answered.

        A reply that broke off for its length ends with its last whole sentence.

        Raises:
            ModelError: it failed, refused, or wrote nothing.
            PromptError: its template cannot be rendered.
        """
        system, given = self.book.parted_once(task)
        view = View(system, (TurnView((FromCustomer(given),)),))
        request = ModelRequest(role="summariser", view=view, options=self.options, conversation=conversation)
        async with aclosing(self.model.stream(request)) as stream:
            chunks = [chunk async for chunk in stream]
        ended = self._ended(chunks)
        text = "".join(chunk.text for chunk in chunks if isinstance(chunk, TextDelta)).strip()
        if ended.reason == "length":
            text = "".join(sentences(text)[:-1]).strip()
        if not text:
            raise ModelBroke(f"{self.model.name}: it wrote no summary")
        return Written(text=text, ended=ended)

    def _ended(self, chunks: list[Chunk]) -> StreamEnded:
        last = chunks[-1] if chunks else None
        if not isinstance(last, StreamEnded):
            raise ModelBroke(f"{self.model.name}: the reply ended without its end")
        if last.reason == "refused":
            raise ModelRefused(f"{self.model.name}: it refused to write a summary")
        return last


def room_within(budget: Budget) -> Room:
    """What one request of this budget may hold beside its instructions."""
    most = min(budget.tokens - _INSTRUCTIONS, _MOST_TOKENS)
    return Room(most=max(_INSTRUCTIONS, most), count=partial(text_tokens, counter=budget.counter))
