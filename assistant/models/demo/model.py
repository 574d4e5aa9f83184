"""The embedded model behind the Model port: no key, no server, no network, English only."""

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache, partial
from pathlib import Path
from typing import Final, assert_never

from assistant.conversation.chunks import CallArguments, CallNamed, Chunk, StreamEnded, TextDelta
from assistant.conversation.outcomes import CallStatus, CallSucceeded, Outcome
from assistant.conversation.tool_spec import ToolSpec
from assistant.models.demo.decide import Message, read_message
from assistant.models.demo.decision import (
    About,
    Ask,
    Decision,
    Exchange,
    Help,
    Planned,
    Prompted,
    Prove,
    Recall,
    Running,
    Smalltalk,
    Unsure,
    exchanges_of,
    slots_of,
)
from assistant.models.demo.documents import Near, quoted, texts_of
from assistant.models.demo.identity import (
    all_of_it,
    must_prove,
    once_known,
    person_of,
    prove,
    tries_are_over,
    ways_to_prove,
)
from assistant.models.demo.nearness import Nearness, Passages, keep_vectors
from assistant.models.demo.recall import Field, asked_in, fields_of, name_of, recall_of
from assistant.models.demo.resolve import thing_slot
from assistant.models.demo.things import items_of, named_in, pointed_at
from assistant.models.demo.think import REMEMBERED, held_back, think
from assistant.models.demo.understand import Index, Match, build_index
from assistant.models.demo.words import mender
from assistant.models.load_once import LoadOnce
from assistant.models.minilm import Embed, embed
from assistant.ports import Clock, ModelRequest
from assistant.prompts.prompt import Prompt
from assistant.prompts.utterances import (
    Confirmation,
    OfflineAsk,
    OfflineHelp,
    OfflineProve,
    OfflineRemembered,
    OfflineSmalltalk,
    OfflineUnsure,
)

_CLAUSES_KEPT: Final = 512
_ASKED_FOR: Final = ("tool", "hands_over")


@dataclass(frozen=True, slots=True)
class _Now:
    """The context of a request: ``offered`` are its tools' names, ``scores`` the documents' similarities."""

    today: date
    offered: frozenset[str]
    scores: Mapping[str, float]


_SENTENCES: Final = re.compile(r".+?(?:[.!?]+(?:\s+|$)|$)", re.DOTALL)


class DemoModel:
    """Decides by sentence embeddings and rules; narrates by the tools' own templates.

    Args:
        specs: all tools. A request may offer fewer.
        render: renders a prompt, such as ``PromptBook.render``.
        narrate: words outcomes without a model, such as ``Narration.narrate_outcomes`` with the specs filled
            in.
        clock: the current day, from which "tomorrow" is counted.
        cache_dir: the folder in which the tools' vectors are stored for the next start; None stores none.
        embed: the sentence embeddings; MiniLM by default.
        foreign: returns the answer to a message that is not in English, "" for English. Default: all count as
            English.
        passages: finds passages in the company's documents. Default: there are no documents.
    """

    __slots__ = (
        "_clock",
        "_embed",
        "_foreign",
        "_index",
        "_mend",
        "_narrate",
        "_nearest",
        "_nearness",
        "_quoted",
        "_render",
        "_specs",
    )

    def __init__(
        self,
        specs: Sequence[ToolSpec],
        render: Callable[[Prompt], str],
        narrate: Callable[[Sequence[CallStatus]], str],
        clock: Clock,
        cache_dir: Path | None = None,
        embed: Embed = embed,
        foreign: Callable[[str], str] | None = None,
        passages: Passages | None = None,
    ) -> None:
        self._specs = {spec.name: spec for spec in specs}
        self._mend = mender(specs)
        self._render, self._narrate, self._clock = render, narrate, clock
        self._foreign = foreign
        self._embed = embed if cache_dir is None else keep_vectors(embed, cache_dir)
        # Tools that identify the customer or search documents are left out, because customers do not ask for
        # them directly. The index is built on first use: the first message may arrive while ``warm`` is still
        # embedding.
        askable = tuple(spec for spec in specs if spec.role in _ASKED_FOR)
        self._index: LoadOnce[Index] = LoadOnce(lambda: build_index(askable, self._embed))
        self._nearest = lru_cache(maxsize=_CLAUSES_KEPT)(self._rank)
        # Uses the plain ``embed``, not the caching one, so that customers' texts are never stored.
        self._nearness = Nearness(passages, embed, clock)
        self._quoted = partial(quoted, specs=self._specs, embed=embed)

    @property
    def name(self) -> str:
        """The name in the settings."""
        return "offline"

    async def warm(self) -> None:
        """Load the weights and embed the tools' sentences, in a thread; otherwise the first request does it."""
        await asyncio.to_thread(self._nearest, "hello")

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Chunk, None]:
        """Decide or narrate. Never fails. The computation runs in a thread."""
        view = exchanges_of(request.view)
        if request.role == "decider" and view and self._foreign and (words := self._foreign(view[-1].said)):
            for chunk in (*_pieces(words), StreamEnded("stop")):
                yield chunk
            return
        exchanges = [replace(one, said=self._mend(one.said)) for one in view]
        today = self._clock.now().date()
        now = _Now(
            today=today,
            offered=frozenset(spec.name for spec in request.tools) if request.may_call else frozenset(),
            scores=await self._scores(exchanges, today),
        )
        narrates = (
            request.role == "narrator" and exchanges and (exchanges[-1].outcomes or exchanges[-1].begun)
        )
        answer = self._narrated if narrates else self._decided
        for chunk in await asyncio.to_thread(answer, exchanges, now):
            yield chunk

    async def close(self) -> None:
        """Does nothing."""

    async def _scores(self, exchanges: Sequence[Exchange], today: date) -> Mapping[str, float]:
        """Returns the similarity of the documents to the last messages."""
        last = [texts_of(one.said, today) for one in exchanges[-REMEMBERED:]]
        return await self._nearness.of(
            (text for texts in last for text in texts), anew=last[-1] if last else ()
        )

    def _decided(self, exchanges: Sequence[Exchange], now: _Now) -> list[Chunk]:
        decision = self._think(self._once_known(exchanges, now), now)
        if decision.calls and not held_back(decision):
            return [*_calls(decision.calls), StreamEnded("tool_calls")]
        return [*_pieces(self._said(decision)), StreamEnded("stop")]

    def _narrated(self, exchanges: Sequence[Exchange], now: _Now) -> list[Chunk]:
        today, offered = now.today, now.offered
        usable = replace(now, offered=offered or frozenset(self._specs))
        exchanges = self._once_known(exchanges, usable)
        last = exchanges[-1]
        if must_prove(last.outcomes, self._specs):
            return self._asks_who(last, today, offered)
        if last.proved and not last.wished:
            return [*_pieces(self._narrate((*last.proved, *last.outcomes))), StreamEnded("stop")]
        decision = self._think(exchanges, usable)
        done = {one.call.tool for one in (*last.outcomes, *last.begun)}
        ready = self._left_to_do(decision, done, known_now=bool(last.proved))
        if offered and ready and not held_back(decision):
            return [*_calls(ready), StreamEnded("tool_calls")]
        message = read_message(last.said, today, self._nearest)
        before = read_message(exchanges[-2].said, today, self._nearest) if exchanges[1:] else None
        thanks = self._narrate(last.proved) if last.proved else ""
        told = self._told(last.outcomes, message, before) if last.outcomes else ""
        begun = self._narrate(last.begun) if last.begun else ""
        words = " ".join(filter(None, (thanks, told, begun)))
        asks = isinstance(decision.reply, Ask) and decision.reply.spec.name not in done
        if tries_are_over(last.outcomes, self._specs) and (person := person_of(self._specs)) is not None:
            words = f"{words} {self._said(Decision(reply=Unsure((person,))))}"
        elif offered and asks and not held_back(decision):
            words = f"{words} {self._said(decision)}"
        return [*_pieces(words), StreamEnded("stop")]

    def _told(self, outcomes: Sequence[Outcome], message: Message, before: Message | None) -> str:
        """Returns the narration of the outcomes, reduced to what the customer asked for."""
        if (alone := one_alone(outcomes, message, self._specs)) is not None:
            return self._said(Decision(reply=alone))
        return self._narrate(asked_for(self._quoted(outcomes), message, self._specs, before))

    def _left_to_do(self, decision: Decision, done: Collection[str], *, known_now: bool) -> list[Planned]:
        # A side effect may have waited for a lookup. If a side effect ran alone, the customer had confirmed
        # it; other requests of that message ("yes, and when are you open?") are looked up now.
        looked_up = any(self._specs[tool].effect == "read" for tool in done if tool in self._specs)
        return [
            plan
            for plan in decision.calls
            if plan.spec.name not in done and (plan.spec.effect == "write" or known_now or not looked_up)
        ]

    def _asks_who(self, last: Exchange, today: date, offered: frozenset[str]) -> list[Chunk]:
        """Say what was denied, and ask for identification.

        If the message contains the values, identify immediately.
        """
        ways = ways_to_prove(self._specs.values())
        tried = any(one.call.tool in {way.name for way in ways} for one in last.outcomes)
        said = None if tried else prove(ways, read_message(last.said, today, self._nearest))
        if isinstance(said, Planned) and said.spec.name in offered:
            return [*_calls((said,)), StreamEnded("tool_calls")]
        words = self._narrate(last.outcomes)
        if ways:
            asked = said if isinstance(said, Prove) else all_of_it(ways[0])
            words = f"{words} {self._render(prompt_for(asked, ()))}" if isinstance(asked, Prove) else words
        return [*_pieces(words), StreamEnded("stop")]

    def _once_known(self, exchanges: Sequence[Exchange], now: _Now) -> tuple[Exchange, ...]:
        return once_known(exchanges, self._specs, lambda earlier: self._think(earlier, now))

    def _think(self, exchanges: Sequence[Exchange], now: _Now) -> Decision:
        offered = [spec for name, spec in self._specs.items() if name in now.offered]
        specs = {spec.name: spec for spec in offered if spec.role != "searches"}
        search = next((spec for spec in offered if spec.role == "searches"), None)

        def nearest(clause: str) -> Sequence[Match]:
            return [
                match for match in self._nearest(clause) if match.spec is None or match.spec.name in specs
            ]

        return think(exchanges, specs, now.today, nearest, Near(search, now.scores))

    def _said(self, decision: Decision) -> str:
        match decision.reply:
            case None:
                return ""
            case Running(calls=calls):
                return self._narrate(calls)
            case reply:
                return self._render(prompt_for(reply, tuple(self._specs.values())))

    def _rank(self, clause: str) -> tuple[Match, ...]:
        return self._index().nearest(clause, self._embed([clause])[0])


def _calls(plans: Sequence[Planned]) -> Iterator[Chunk]:
    for index, plan in enumerate(plans):
        yield CallNamed(index, plan.spec.name)
        yield CallArguments(index, json.dumps(dict(plan.arguments)))


def _pieces(text: str) -> Iterator[Chunk]:
    """Yields the text in chunks of one sentence each."""
    yield from (TextDelta(piece[0]) for piece in _SENTENCES.finditer(text))


# A narration that counts or adds up needs the complete list.
_ABOUT_ALL: Final = re.compile(r"\b(?:length|count|sum|last|min|max)\b")


def asked_for(
    outcomes: Sequence[Outcome],
    message: Message,
    specs: Mapping[str, ToolSpec],
    before: Message | None = None,
) -> tuple[Outcome, ...]:
    """Returns the outcomes, with each list reduced to the things that the customer's message describes.

    If the message describes none of a list, the list stays complete. ``before`` is the customer's previous
    message: "the other one" excludes the thing that the previous message described.
    """
    return tuple(_narrowed(outcome, message, specs.get(outcome.call.tool), before) for outcome in outcomes)


def one_alone(outcomes: Sequence[Outcome], message: Message, specs: Mapping[str, ToolSpec]) -> Recall | None:
    """Returns the one thing that the customer asked for by its position.

    Returns None if there is none, or if the tool's narration gives the better answer.
    """
    match outcomes:
        case (CallSucceeded() as outcome,):
            spec = specs.get(outcome.call.tool)
        case _:
            return None
    if spec is None or spec.effect != "read" or spec.role != "tool" or _can_be_narrowed(outcome, spec):
        return None
    said, items = _about(spec, message), items_of(outcome.value)
    newest = spec.sorted_by == "newest_first"
    chosen = pointed_at(items, said.text, said.entities, newest_first=newest) if said.entities.places else ()
    if len(items) == 1 or len(chosen) != 1 or all(one.kind == "other" for one in fields_of(chosen[0])):
        return None  # without a name, a price or a date the tool's narration is better
    return recall_of(items, chosen[0], said, asked_in(said.text, chosen[0]))


def _can_be_narrowed(outcome: CallSucceeded, spec: ToolSpec) -> bool:
    return _is_list(outcome.value) and spec.narration is not None and not _ABOUT_ALL.search(spec.narration)


def _narrowed(outcome: Outcome, message: Message, spec: ToolSpec | None, before: Message | None) -> Outcome:
    if not isinstance(outcome, CallSucceeded) or spec is None or not _can_be_narrowed(outcome, spec):
        return outcome
    said = _about(spec, message)
    items = items_of(outcome.value)
    there = tuple(item for item in items if item)
    newest = spec.sorted_by == "newest_first"
    told = pointed_at(items, before.text, before.entities, newest_first=newest) if before is not None else ()
    chosen = pointed_at(items, said.text, said.entities, told=told, newest_first=newest)
    if chosen := tuple(item for item in chosen if item):
        return replace(outcome, value=chosen)
    # Narration templates cannot handle the placeholders of missing things in a shortened list.
    return replace(outcome, value=there) if outcome.full_ref else outcome


def _about(spec: ToolSpec, message: Message) -> Message:
    """Returns the part of the message that asks for this tool, or else for an action on the same kind of
    thing.
    """
    wanted = [piece.best.spec for piece in message.pieces if piece.best.spec is not None]
    nouns = {one.name: slot.noun for one in wanted if (slot := thing_slot(slots_of(one))) is not None}
    deeds = [name for name, noun in nouns.items() if named_in(noun, spec.name)]
    return next((own for name in (spec.name, *deeds) if (own := message.about(name)) is not None), message)


def _is_list(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


_LOCALE = "en"


def prompt_for(reply: Prompted, specs: Sequence[ToolSpec]) -> Prompt:
    """Returns the prompt for a reply. ``specs`` are all tools, for the answer to "what can you do?"."""
    match reply:
        case Ask(spec=spec, slot=slot):
            return OfflineAsk(
                will=_will(spec), argument=slot.name, description=slot.description, choices=slot.choices
            )
        case Unsure(options=options):
            return OfflineUnsure(options=tuple(_will(option.spec) for option in options))
        case Prove(lacking=lacking, arguments=arguments):
            return OfflineProve(arguments=tuple(slot.name for slot in lacking), first=not arguments)
        case Recall():
            return _recalled(reply)
        case Help(unmatched=unmatched, person=person):
            able = (spec for spec in specs if spec.hints and spec.role == "tool")
            looks_first = sorted(able, key=lambda spec: spec.effect)
            return OfflineHelp(
                abilities=tuple(map(_will, looks_first)),
                unmatched=unmatched,
                person=_will(person.spec) if person is not None else "",
            )
        case Smalltalk(about=about):
            return _small_talk(about)
        case _:
            assert_never(reply)


def _recalled(recall: Recall) -> Prompt:
    name = name_of(recall.item)
    fields = fields_of(recall.item)
    asked = tuple(one for one in fields if one.key in recall.asked) or _but(fields, name)
    return OfflineRemembered(
        place=recall.place,
        name=name.value if name is not None and name not in asked else "",
        fields=tuple((one.key, one.value, one.kind) for one in asked),
        past=recall.past,
    )


def _but(fields: Sequence[Field], left_out: Field | None) -> tuple[Field, ...]:
    return tuple(one for one in fields if one != left_out) or tuple(fields)


def _small_talk(about: About) -> Prompt:
    match about:
        case "kept":
            return Confirmation(answer="no")
        case "listening":
            return OfflineHelp(abilities=(), unmatched=False)
        case "greeting" | "thanks" | "goodbye":
            return OfflineSmalltalk(about=about)
        case _:
            assert_never(about)


def _will(spec: ToolSpec) -> str:
    hint = spec.hints.get(_LOCALE)
    return hint.will if hint else spec.name.replace("_", " ")
