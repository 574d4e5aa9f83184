"""A conversation with the embedded model, told as what it was shown and what it did."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from pathlib import Path
from typing import TypeAlias
from zoneinfo import ZoneInfo

import pytest

from assistant.clock import SystemClock
from assistant.conversation.calls import Call
from assistant.conversation.chunks import CallArguments, CallNamed, Chunk, StreamEnded, TextDelta
from assistant.conversation.decider_view import NOT_YET
from assistant.conversation.entries import ModelRole
from assistant.conversation.outcomes import CallDenied, CallSucceeded, Outcome
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import Json
from assistant.conversation.views import FromAssistant, FromCustomer, FromTools, TurnView, View, ViewMessage
from assistant.models.offline.model import OfflineModel
from assistant.ports import ModelRequest
from assistant.prompts.prompt import Prompt
from tests.models.offline.demo_specs import DEMO_SPECS

Reply: TypeAlias = str | list[tuple[str, dict[str, Json]]]
SATURDAY = datetime(2026, 11, 21, 12, tzinfo=ZoneInfo("Europe/Berlin"))


def shown(prompt: Prompt) -> str:
    """A prompt's type and values, so that no test depends on an editor's words."""
    values = [str(getattr(prompt, one.name)) for one in fields(prompt)]
    return f"{type(prompt).__name__}({'; '.join(values)})?"


def told(outcomes: tuple[Outcome, ...]) -> str:
    return " ".join(f"Told {outcome.call.tool}." for outcome in outcomes)


def offline_model(*more: ToolSpec, cache_dir: Path | None = None) -> OfflineModel:
    specs = (*DEMO_SPECS, *more)
    clock = SystemClock(start=SATURDAY)
    return OfflineModel(specs, shown, lambda outcomes: told(tuple(outcomes)), clock, cache_dir)


@dataclass
class Talk:
    """A conversation under way. ``results`` are the values that look-ups find, by tool."""

    model: OfflineModel
    specs: tuple[ToolSpec, ...]
    results: Mapping[str, Json]
    messages: list[ViewMessage] = field(default_factory=list[ViewMessage])

    async def says(self, text: str) -> Reply:
        """What the decider makes of it: the calls, or its words."""
        self.messages.append(FromCustomer(text))
        chunks = await self.stream("decider")
        calls = calls_in(chunks)
        if calls:
            self._run(calls)
            return calls
        words = words_in(chunks)
        self.messages.append(FromAssistant(words))
        return words

    async def narrates(self) -> str:
        """What the narrator makes of the last outcomes."""
        words = words_in(await self.stream("narrator"))
        self.messages.append(FromAssistant(words))
        return words

    async def stream(self, role: ModelRole) -> list[Chunk]:
        request = ModelRequest(role=role, view=View("", (TurnView(tuple(self.messages)),)), tools=self.specs)
        return [chunk async for chunk in self.model.stream(request)]

    def _run(self, calls: list[tuple[str, dict[str, Json]]]) -> None:
        effects = {spec.name: spec.effect for spec in self.specs}
        made = [
            Call(id=f"c1.{n}", tool=tool, arguments=arguments) for n, (tool, arguments) in enumerate(calls, 1)
        ]
        outcomes = tuple(
            CallDenied(call=call, say="", for_model=NOT_YET)
            if effects[call.tool] == "write"
            else CallSucceeded(call=call, value=self.results.get(call.tool, {"ok": True}))
            for call in made
        )
        self.messages += [FromAssistant("", tuple(made)), FromTools(outcomes)]


def calls_in(chunks: list[Chunk]) -> list[tuple[str, dict[str, Json]]]:
    names = {chunk.index: chunk.name for chunk in chunks if isinstance(chunk, CallNamed)}
    texts: dict[int, str] = dict.fromkeys(names, "")
    for chunk in chunks:
        if isinstance(chunk, CallArguments):
            texts[chunk.index] += chunk.fragment
    assert chunks[-1] == StreamEnded("tool_calls" if names else "stop")
    return [(name, json.loads(texts[index])) for index, name in names.items()]


def words_in(chunks: list[Chunk]) -> str:
    return "".join(chunk.text for chunk in chunks if isinstance(chunk, TextDelta))


OpenTalk: TypeAlias = Callable[..., Talk]


@pytest.fixture(scope="session")
def demo_model() -> OfflineModel:
    return offline_model()


@pytest.fixture
def talk(demo_model: OfflineModel) -> OpenTalk:
    def open_talk(results: Mapping[str, Json] | None = None) -> Talk:
        return Talk(demo_model, DEMO_SPECS, results or {})

    return open_talk
