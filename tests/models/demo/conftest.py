"""A conversation with the embedded model, as what the customer saw and what the model did."""

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
from assistant.conversation.entries import ModelRole
from assistant.conversation.outcomes import CallAwaitingConfirmation, CallStatus, CallSucceeded
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import Json
from assistant.conversation.views import FromAssistant, FromCustomer, FromTools, TurnView, View, ViewMessage
from assistant.models.demo.model import DemoModel
from assistant.ports import ModelRequest
from assistant.prompts.prompt import Prompt
from tests.models.demo.demo_specs import DEMO_SPECS
from tests.models.demo.kept_embeddings import kept_embed
from tests.models.demo.score import demo_specs

Reply: TypeAlias = str | list[tuple[str, dict[str, Json]]]
SATURDAY = datetime(2026, 11, 21, 12, tzinfo=ZoneInfo("Europe/Berlin"))


BOOKS: dict[str, Json] = {
    "list_upcoming_appointments": [
        {"id": "A1", "starts": "2026-11-24T14:00", "service": "eye test", "optician": "Dr. Lee"},
        {"id": "A2", "starts": "2026-12-04T10:30", "service": "lens fitting", "optician": "Dr. Novak"},
    ],
    "get_order_status": [
        {"number": 10482, "product": "monthly contact lenses", "status": "shipped", "arrives": "2026-11-23"},
        {"number": 10455, "product": "sunglasses", "status": "processing", "arrives": "2026-11-30"},
        {"number": 10431, "product": "reading glasses", "status": "delivered", "arrives": "2026-11-09"},
    ],
    "find_free_slots": {"asked": None, "days": [{"day": "2026-11-23", "times": ["09:00", "09:30", "10:00"]}]},
}


def shown(prompt: Prompt) -> str:
    """A prompt's type and values, so that no test depends on an editor's words."""
    values = [str(getattr(prompt, one.name)) for one in fields(prompt)]
    return f"{type(prompt).__name__}({'; '.join(values)})?"


def told(outcomes: tuple[CallStatus, ...]) -> str:
    return " ".join(f"Told {outcome.call.tool}{_which(outcome)}." for outcome in outcomes)


def _which(outcome: CallStatus) -> str:
    """The numbers of the things in a list, so that tests see which of them are told."""
    if not isinstance(outcome, CallSucceeded) or not isinstance(outcome.value, list | tuple):
        return ""
    return "".join(f" {one.get('id') or one.get('number')}" for one in outcome.value if isinstance(one, dict))


def offline_model(
    *more: ToolSpec,
    specs: tuple[ToolSpec, ...] = DEMO_SPECS,
    cache_dir: Path | None = None,
    foreign: Callable[[str], str] | None = None,
) -> DemoModel:
    specs = (*specs, *more)
    clock = SystemClock(start=SATURDAY)
    return DemoModel(
        specs, shown, lambda outcomes: told(tuple(outcomes)), clock, cache_dir, kept_embed, foreign
    )


@dataclass
class Talk:
    """A conversation under way. ``results`` are the values that look-ups find, by tool."""

    model: DemoModel
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

    async def narrates(self, *, may_call: bool = True) -> str:
        """What the narrator makes of the last outcomes."""
        words = words_in(await self.stream("narrator", may_call=may_call))
        self.messages.append(FromAssistant(words))
        return words

    async def goes_on(self) -> Reply:
        """What comes after a look-up: the calls it was for, or the words."""
        calls = calls_in(await self.stream("narrator"))
        if calls:
            self._run(calls)
            return calls
        return await self.narrates()

    async def stream(self, role: ModelRole, *, may_call: bool = True) -> list[Chunk]:
        messages = self.messages if role == "decider" else _as_narrated(self.messages)
        view = View("", (TurnView(tuple(messages)),))
        request = ModelRequest(role=role, view=view, tools=self.specs if may_call else ())
        return [chunk async for chunk in self.model.stream(request)]

    def _run(self, calls: list[tuple[str, dict[str, Json]]]) -> None:
        effects = {spec.name: spec.effect for spec in self.specs}
        made = [
            Call(id=f"c1.{n}", tool=tool, arguments=arguments) for n, (tool, arguments) in enumerate(calls, 1)
        ]
        outcomes = tuple(
            CallAwaitingConfirmation(call=call)
            if effects[call.tool] == "write"
            else CallSucceeded(call=call, value=self.results.get(call.tool, {"ok": True}))
            for call in made
        )
        self.messages += [FromAssistant("", tuple(made)), FromTools(outcomes)]


def _as_narrated(messages: list[ViewMessage]) -> list[ViewMessage]:
    """Of earlier turns a narrator sees words only; of this turn not what waits for a yes."""
    begins = max(index for index, message in enumerate(messages) if isinstance(message, FromCustomer))
    earlier = [
        FromAssistant(one.text) if isinstance(one, FromAssistant) else one
        for one in messages[:begins]
        if not isinstance(one, FromTools)
    ]
    return [*earlier, *messages[begins:]]


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
def demo_model() -> DemoModel:
    return offline_model()


@pytest.fixture(scope="session")
def shop_model() -> DemoModel:
    return offline_model(specs=tuple(demo_specs().values()))


@pytest.fixture
def shop(shop_model: DemoModel) -> OpenTalk:
    """Opens a conversation with the demo shop's own tools, in whose books stand two visits and three orders."""

    def open_shop(results: Mapping[str, Json] | None = None) -> Talk:
        return Talk(shop_model, tuple(demo_specs().values()), {**BOOKS, **(results or {})})

    return open_shop


@pytest.fixture
def talk(demo_model: DemoModel) -> OpenTalk:
    def open_talk(results: Mapping[str, Json] | None = None) -> Talk:
        return Talk(demo_model, DEMO_SPECS, results or {})

    return open_talk
