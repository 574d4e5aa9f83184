"""Summarises a conversation or a large result: with a model, or by rules that keep its statements of fact.

Statements whose facts a model left out are added word for word, so that no fact is lost.
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, TypeVar

from assistant.conversation.chunks import Chunk, StreamEnded, TextDelta
from assistant.conversation.outcomes import CallSucceeded
from assistant.conversation.snapshots import MOST_CHARACTERS
from assistant.conversation.views import FromCustomer, TurnView, View
from assistant.errors import ModelBroke, ModelRefused
from assistant.formats.json_text import json_text
from assistant.language.facts import Value, values_of
from assistant.language.sentences import sentences
from assistant.language.words import content_stems
from assistant.memory.budget import Budget
from assistant.memory.summary_facts import (
    DialogueLine,
    Fact,
    deduplicate_facts,
    facts_in_dialogue,
    facts_in_summary,
    is_stated_in,
)
from assistant.memory.token_sizes import SizeLimit, text_tokens
from assistant.ports import Model, ModelOptions, ModelRequest
from assistant.prompts.book import PromptBook
from assistant.prompts.instructions import DialogueSummary, ResultSummary
from assistant.prompts.locale import language_name
from assistant.prompts.prompt import Instruction

T = TypeVar("T")

MODEL_SHARE = 0.7
"""The share of the limit for the model's text. The rest is for facts that it left out."""


NO_LIMIT = SizeLimit(most=50_000)
"""The limit, in characters, if the settings have none."""

_INSTRUCTIONS = 1_000
"""The tokens of a request that are reserved for the instructions."""

_MOST_TOKENS = 15_000
"""The most tokens to summarise in one request, because prompts have a limit, and quoted text becomes
longer."""


_TOKENS_A_WORD = 2
"""The tokens for a word. The model gets its limit in words, which it can count roughly."""


_LONGEST = SizeLimit(most=MOST_CHARACTERS)
"""The longest summary of a result: as long as the shortened form that the rule makes."""

_WORDS = 150
_LONGEST_QUESTION = SizeLimit(most=1_000)
_LONGEST_ARGUMENTS = SizeLimit(most=2_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenSummary:
    """A summary model's text, and the usage that its provider reports."""

    text: str
    ended: StreamEnded


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryModel:
    """The model, its options, and the limit of the text that it gets, see :func:`limit_within`."""

    model: Model
    options: ModelOptions
    book: PromptBook
    limit: SizeLimit

    async def write(self, task: Instruction, conversation: str) -> WrittenSummary:
        """Ask for one text. The text to summarise is sent as the customer's message.

        A reply that was cut off at the longest length is cut after its last complete sentence.

        Raises:
            ModelError: the model failed, refused, or wrote nothing.
            PromptError: the template cannot be rendered.
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
        return WrittenSummary(text=text, ended=ended)

    def _ended(self, chunks: list[Chunk]) -> StreamEnded:
        last = chunks[-1] if chunks else None
        if not isinstance(last, StreamEnded):
            raise ModelBroke(f"{self.model.name}: the reply ended without its end")
        if last.reason == "refused":
            raise ModelRefused(f"{self.model.name}: it refused to write a summary")
        return last


_THREAD: Final = ThreadPoolExecutor(1, thread_name_prefix="summaries")


async def in_background(work: Callable[..., T], *args: object) -> T:
    """Return ``work(*args)``, which reads long texts: in a thread, one such work at a time in the process.

    The loop shares the interpreter with each thread that computes, so one thread delays customers least.
    """
    return await asyncio.get_running_loop().run_in_executor(_THREAD, partial(work, *args))


async def summarise_conversation(
    previous: str,
    said: Sequence[DialogueLine],
    *,
    by: SummaryModel,
    limit: SizeLimit,
    locale: str = "en",
    conversation: str = "",
) -> WrittenSummary:
    """Returns the model's summary of the previous summary and of the dialogue since then.

    It contains each value of both, if there is space: statements with values that the model left out are
    added.

    Raises:
        ModelError: the model failed, refused, or wrote nothing.
        PromptError: the template cannot be rendered.
    """
    task = DialogueSummary(
        summary=previous,
        said=await in_background(_fitted, previous, said, by.limit),
        words=max(1, int(limit.most * MODEL_SHARE) // _TOKENS_A_WORD),
        language=language_name(locale),
    )
    written = await by.write(task, conversation)
    text = await in_background(add_forgotten_facts, written.text, previous, said, limit, locale)
    return replace(written, text=text)


async def summarise_result(
    outcome: CallSucceeded, question: str, *, by: SummaryModel, locale: str = "en", conversation: str = ""
) -> WrittenSummary:
    """Returns the model's summary of a result. ``question`` is what the customer wanted.

    Raises:
        ModelError: the model failed, refused, or wrote nothing.
        PromptError: the template cannot be rendered.
    """
    task = await in_background(_task, outcome, question, by.limit, locale)
    written = await by.write(task, conversation)
    return replace(written, text=_LONGEST.keep_sentences(written.text, locale))


def extract_summary(previous: str, said: Sequence[DialogueLine], limit: SizeLimit, locale: str = "en") -> str:
    r"""Returns a summary by rules of the previous summary and the dialogue since then, one line for each
    statement.

    It keeps names, numbers, dates, wishes and results of calls, each once, with the speaker, in their order.
    If there is not enough space, statements are first cut to the clauses with their values; then the least
    valuable statements are left out, the oldest first. No side effects.

    >>> hello = "Hello! I'm Ana Berg, and order A-10482 is late."
    >>> said = [DialogueLine("Customer", hello), DialogueLine("Assistant", "Oh.")]
    >>> extract_summary("Customer: Please ring twice.", said, SizeLimit(most=200))
    "Customer: Please ring twice.\nCustomer: I'm Ana Berg, and order A-10482 is late."
    """
    previous = previous.strip()
    if not said and limit.fits(previous):
        return previous
    return pack_facts(
        deduplicate_facts([*facts_in_summary(previous, locale), *facts_in_dialogue(said, locale)]), limit
    )


def add_forgotten_facts(
    text: str, previous: str, said: Sequence[DialogueLine], limit: SizeLimit, locale: str = "en"
) -> str:
    r"""Returns the model's summary, cut after a sentence, plus the statements whose values it left out, as
    far as there is space. No side effects.

    >>> said = [DialogueLine("Customer", "I'm on 030 1234567 in the mornings, it is urgent.")]
    >>> add_forgotten_facts("The customer wants to be called.", "", said, SizeLimit(most=200))
    "The customer wants to be called.\nCustomer: I'm on 030 1234567 in the mornings, it is urgent."
    """
    own = limit.share(MODEL_SHARE).keep_sentences(text, locale)
    known, stems = values_of(own, locale), frozenset(content_stems(own, locale))
    facts = deduplicate_facts([*facts_in_summary(previous, locale), *facts_in_dialogue(said, locale)])
    forgotten = [fact for fact in facts if not is_stated_in(fact, own, known, stems)]
    return "\n".join(filter(None, (own, pack_facts(forgotten, limit.minus(own)))))


def limit_within(budget: Budget) -> SizeLimit:
    """Returns the text that one request of this budget can contain in addition to its instructions."""
    most = min(budget.tokens - _INSTRUCTIONS, _MOST_TOKENS)
    return SizeLimit(most=max(_INSTRUCTIONS, most), count=partial(text_tokens, counter=budget.counter))


def pack_facts(facts: Sequence[Fact], limit: SizeLimit) -> str:
    """Returns the facts that fit, in their order.

    No value is left out if the short forms of all facts with values fit.
    """
    whole = [str(fact.said) for fact in facts]
    if limit.fits("\n".join(whole)):
        return "\n".join(whole)
    lines: dict[int, str] = {}
    left = limit.most
    for place in _by_need(facts):
        line = str(facts[place].short)
        if (cost := limit.count(f"{line}\n")) <= left:
            lines[place] = line
            left -= cost
    for place in sorted(lines, reverse=True):
        more = limit.count(f"{whole[place]}\n") - limit.count(f"{lines[place]}\n")
        if 0 < more <= left:
            lines[place] = whole[place]
            left -= more
    return _joined(lines, facts, limit)


def _by_need(facts: Sequence[Fact]) -> Iterable[int]:
    """Yields the positions of the facts, the most important first.

    Facts without values of their own come last.
    """
    order = sorted(range(len(facts)), key=lambda place: (facts[place].worth, place), reverse=True)
    held: set[Value] = set()
    again: list[int] = []
    for place in order:
        values = facts[place].values
        if values and values <= held:
            again.append(place)
        else:
            held |= values
            yield place
    yield from again


def _joined(lines: dict[int, str], facts: Sequence[Fact], limit: SizeLimit) -> str:
    places = sorted(lines)
    text = "\n".join(lines[place] for place in places)
    while places and not limit.fits(text):
        # Together, lines may have a few more tokens than separately.
        places.remove(min(places, key=lambda place: (facts[place].worth, place)))
        text = "\n".join(lines[place] for place in places)
    return text


def _fitted(previous: str, said: Sequence[DialogueLine], limit: SizeLimit) -> tuple[str, ...]:
    """Returns all lines. If they do not fit, the longest lines are cut to their share of the space."""
    left = limit.minus(previous)
    lines = [str(one) for one in said]
    if left.fits("\n".join(lines)):
        return tuple(lines)
    share = SizeLimit(most=max(1, left.most // max(1, len(lines))), count=left.count)
    return tuple(share.keep_ends(line) for line in lines)


def _task(outcome: CallSucceeded, question: str, limit: SizeLimit, locale: str) -> ResultSummary:
    value = outcome.value
    arguments = _LONGEST_ARGUMENTS.keep_ends(json_text(outcome.call.arguments))
    # Data contain many quotation marks, each of which becomes two characters when it is quoted.
    result = limit.share(0.7)
    return ResultSummary(
        tool=outcome.call.tool,
        arguments=arguments,
        question=_LONGEST_QUESTION.keep_ends(question),
        result=result.keep_ends(value if isinstance(value, str) else json_text(value)),
        words=_WORDS,
        language=language_name(locale),
    )
