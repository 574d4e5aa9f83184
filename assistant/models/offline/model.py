"""The embedded model behind the Model port: no key, no server, no network, English only."""

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Final

from assistant.conversation.chunks import CallArguments, CallNamed, Chunk, StreamEnded, TextDelta
from assistant.conversation.outcomes import Outcome
from assistant.conversation.tool_spec import ToolSpec
from assistant.models.offline.asked_for import asked_for
from assistant.models.offline.decide import read_message
from assistant.models.offline.decision import Ask, Decision, Planned
from assistant.models.offline.embed import Embed, embed
from assistant.models.offline.exchanges import Exchange, exchanges_of
from assistant.models.offline.match import Index, Match, build_index
from assistant.models.offline.once import Once
from assistant.models.offline.speak import prompt_for
from assistant.models.offline.spelling import mender
from assistant.models.offline.think import held_back, think
from assistant.models.offline.vectors_on_disk import keep_vectors
from assistant.ports import Clock, ModelRequest
from assistant.prompts.prompt import Prompt

_CLAUSES_KEPT: Final = 512
_SENTENCES: Final = re.compile(r".+?(?:[.!?]+(?:\s+|$)|$)", re.DOTALL)


class OfflineModel:
    """Decides by sentence embeddings and rules; narrates by the tools' own templates.

    Args:
        specs: every tool there is; a request's own may be fewer.
        render: what a prompt says, such as ``PromptBook.render``.
        narrate: tells outcomes without a model, such as ``Narration.narrate_outcomes`` with the specs filled in.
        clock: what "tomorrow" counts from.
        cache_dir: where the tools' vectors are kept for the next start; None keeps none.
        embed: the sentence embeddings, MiniLM's when left out.
        foreign: what to say to a message that is not in English, "" for one that is; left out, all are English.
    """

    __slots__ = (
        "_clock",
        "_embed",
        "_foreign",
        "_index",
        "_mend",
        "_narrate",
        "_nearest",
        "_render",
        "_specs",
    )

    def __init__(
        self,
        specs: Sequence[ToolSpec],
        render: Callable[[Prompt], str],
        narrate: Callable[[Sequence[Outcome]], str],
        clock: Clock,
        cache_dir: Path | None = None,
        embed: Embed = embed,
        foreign: Callable[[str], str] | None = None,
    ) -> None:
        self._specs = {spec.name: spec for spec in specs}
        self._mend = mender(specs)
        self._render, self._narrate, self._clock = render, narrate, clock
        self._foreign = foreign
        self._embed = embed if cache_dir is None else keep_vectors(embed, cache_dir)
        # The first message may come while the tools' sentences are still being embedded.
        self._index: Once[Index] = Once(lambda: build_index(tuple(self._specs.values()), self._embed))
        self._nearest = lru_cache(maxsize=_CLAUSES_KEPT)(self._rank)

    @property
    def name(self) -> str:
        """As it stands in the settings."""
        return "offline"

    async def warm(self) -> None:
        """Load the weights and embed the tools' sentences, in a thread; the first request does it otherwise."""
        await asyncio.to_thread(self._nearest, "hello")

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Chunk, None]:
        """Decide or narrate. Never fails; computing happens in a thread."""
        view = exchanges_of(request.view)
        if request.role == "decider" and view and self._foreign and (words := self._foreign(view[-1].said)):
            for chunk in (*_pieces(words), StreamEnded("stop")):
                yield chunk
            return
        exchanges = [replace(one, said=self._mend(one.said)) for one in view]
        today = self._clock.now().date()
        offered = frozenset(spec.name for spec in request.tools)
        narrates = request.role == "narrator" and exchanges and exchanges[-1].outcomes
        answer = self._narrated if narrates else self._decided
        for chunk in await asyncio.to_thread(answer, exchanges, today, offered):
            yield chunk

    async def close(self) -> None:
        """Nothing to give back."""

    def _decided(self, exchanges: Sequence[Exchange], today: date, offered: frozenset[str]) -> list[Chunk]:
        decision = self._think(exchanges, today, offered)
        if decision.calls and not held_back(decision):
            return [*_calls(decision.calls), StreamEnded("tool_calls")]
        return [*_pieces(self._said(decision)), StreamEnded("stop")]

    def _narrated(self, exchanges: Sequence[Exchange], today: date, offered: frozenset[str]) -> list[Chunk]:
        decision = self._think(exchanges, today, offered or frozenset(self._specs))
        last = exchanges[-1]
        done = {one.call.tool for one in last.outcomes}
        # What was looked up may have been what a side effect waited for.
        ready = [
            plan for plan in decision.calls if plan.spec.effect == "write" and plan.spec.name not in done
        ]
        if offered and ready and not held_back(decision):
            return [*_calls(ready), StreamEnded("tool_calls")]
        message = read_message(last.said, today, self._nearest)
        words = self._narrate(asked_for(last.outcomes, message, self._specs))
        asks = isinstance(decision.reply, Ask) and decision.reply.spec.name not in done
        if offered and asks and not held_back(decision):
            words = f"{words} {self._said(decision)}"
        return [*_pieces(words), StreamEnded("stop")]

    def _think(self, exchanges: Sequence[Exchange], today: date, offered: frozenset[str]) -> Decision:
        specs = {name: spec for name, spec in self._specs.items() if name in offered}

        def nearest(clause: str) -> Sequence[Match]:
            return [
                match for match in self._nearest(clause) if match.spec is None or match.spec.name in offered
            ]

        return think(exchanges, specs, today, nearest)

    def _said(self, decision: Decision) -> str:
        return self._render(prompt_for(decision.reply, tuple(self._specs.values()))) if decision.reply else ""

    def _rank(self, clause: str) -> tuple[Match, ...]:
        return self._index().nearest(clause, self._embed([clause])[0])


def _calls(plans: Sequence[Planned]) -> Iterator[Chunk]:
    for index, plan in enumerate(plans):
        yield CallNamed(index, plan.spec.name)
        yield CallArguments(index, json.dumps(dict(plan.arguments)))


def _pieces(text: str) -> Iterator[Chunk]:
    """One sentence at a time, as somebody says it."""
    yield from (TextDelta(piece[0]) for piece in _SENTENCES.finditer(text))
