"""How much of each request a provider has seen before, and what that costs: ``python -m benchmarks.prefix``.

One conversation of twenty turns with the demo company's tools, two lookups in each, grows to about 17,000 tokens.
The requests of both roles are written as four providers get them. The tokens of the longest beginning that an
earlier request had count as cached. The loop next to it has one prompt and the whole history, asks once for the
calls and once for the answer, and never changes a word that it has sent. Prices are the price list's; what
Anthropic charges for writing into its cache is added for both.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

import structlog

from assistant.clock import SystemClock
from assistant.conversation.chunks import Chunk
from assistant.conversation.customer import ConversationKey
from assistant.conversation.model_views import asked_for
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.turn_state import TurnState
from assistant.conversation.views import FromAssistant, FromTools, TurnView, View
from assistant.formats.anthropic import AnthropicFormatter
from assistant.formats.openai_responses import ResponsesFormatter
from assistant.formats.openai_variants import GenericFormatter, GrokFormatter
from assistant.formats.registry import Formatter
from assistant.models.price_list import Price, PriceKey, read_prices
from assistant.models.tokens import read_vocabulary_counter
from assistant.ports import ModelRequest, TokenCounter
from assistant.prompts.book import shipped_book
from assistant.sessions.config_version import FixedConfig
from assistant.sessions.session import Session
from assistant.shipped import shipped
from assistant.store.memory_log import MemoryLog
from assistant.tools.discovery import discover
from assistant.tools.registry import Tools
from assistant.turn.context import RoleModel, TurnDependencies
from benchmarks.engine.long_talk import ANA, ANSWER, Lookup, Replies, Talk

TURNS: Final = 20
LAST: Final = 5
"""The turns at the end, in which the context is longest, that are told on their own."""

ROWS: Final = 8
_MARK: Final = b',"cache_control":{"type":"ephemeral"}'


class DemoLookup(Lookup):
    """The same with the demo company's declaration, which is longer."""

    def __init__(self, spec: ToolSpec) -> None:
        super().__init__(spec.name, rows=ROWS)
        self.spec = spec


class CapturingReplies(Replies):
    """Keeps each request."""

    def __init__(self) -> None:
        super().__init__()
        self.requests: list[ModelRequest] = []

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Chunk, None]:
        self.requests.append(request)
        async with aclosing(super().stream(request)) as chunks:
            async for chunk in chunks:
                yield chunk


@dataclass(frozen=True)
class Way:
    """A provider: its formatter, its model, the model in the price list, and what writing into its cache costs."""

    make: Callable[[], Formatter]
    model: str
    priced: str
    writing: float = 1.0


WAYS: Final[Mapping[str, Way]] = {
    "OpenAI": Way(ResponsesFormatter, "gpt-6-luna", "gpt-6-luna"),
    "Anthropic": Way(AnthropicFormatter, "claude-sonnet-5-5", "claude-sonnet-5-5", writing=1.25),
    "xAI": Way(GrokFormatter, "grok-4.6", "xai/grok-4.6"),
    "Gemini": Way(GenericFormatter, "gemini/gemini-3.5-flash-lite", "gemini/gemini-3.5-flash-lite"),
}


async def conversation() -> tuple[list[ModelRequest], Sequence[TurnState]]:
    """All requests of both roles, in order, and the turns."""
    model = CapturingReplies()
    role = RoleModel(model=model)
    deps = TurnDependencies(
        models={"decider": role, "narrator": role},
        tools=Tools([DemoLookup(spec) for spec in discover(shipped("tools")).specs]),
        book=shipped_book(),
        narrate=lambda outcomes, specs, locale: "",
        clock=SystemClock(),
    )
    key = ConversationKey(tenant="bench", customer="ana", conversation="prefix")
    session = Session(key=key, entries=(), configs=FixedConfig(deps), log=MemoryLog(), epoch="1")
    session.customer = ANA
    talk = Talk(session, model)
    for _ in range(TURNS):
        await talk.turn()
        await session.at_rest()
    return model.requests, session.state.turns


def loop_requests(like: ModelRequest, turns: Sequence[TurnState]) -> list[ModelRequest]:
    """What a loop with one prompt would have sent in the same conversation."""
    found: list[ModelRequest] = []
    before: list[TurnView] = []
    for turn in turns:
        asked = asked_for(turn)
        looked_up = (
            FromAssistant("", tuple(turn.calls)),
            FromTools(tuple(turn.outcomes[call.id] for call in turn.calls)),
        )
        answer = next(message.text for message in turn.messages if message.kind == "response")
        both = TurnView(tuple(asked)), TurnView((*asked, *looked_up))
        found += [replace(like, view=View(like.view.system, (*before, now))) for now in both]
        before.append(TurnView((*asked, *looked_up, FromAssistant(answer))))
    return found


@lru_cache(maxsize=10_000)
def tokens(text: bytes) -> int:
    """By OpenAI's newest vocabulary that is installed, for all providers."""
    return _counter().count(text.decode(errors="replace"))


@lru_cache(maxsize=1)
def _counter() -> TokenCounter:
    return read_vocabulary_counter("o200k_base")


@dataclass(frozen=True)
class Sent:
    """One request: its role, its tokens, and how many of these an earlier request began with."""

    role: str
    tokens: int
    cached: int

    def cost(self, price: Price, writing: float) -> float:
        """US dollars for the input."""
        return self.cached * price.cached + (self.tokens - self.cached) * price.input * writing


def sent(requests: Sequence[ModelRequest], way: Way) -> list[Sent]:
    """What of each request was cached. The first one has nothing to share."""
    formatter = way.make()
    bodies = [formatter.format(request, way.model).body.replace(_MARK, b"") for request in requests]
    found: list[Sent] = []
    for place, (request, body) in enumerate(zip(requests, bodies, strict=True)):
        best = max((shared(body, other) for other in bodies[:place]), default=0)
        cached, fresh = tokens(body[:best]), tokens(body[best:])
        found.append(Sent(request.role, cached + fresh, cached))
    return found


def shared(one: bytes, other: bytes) -> int:
    """How many bytes two requests have in common at their beginning."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[:middle] == other[:middle] else (low, middle - 1)
    return low


def report(name: str, ours: Sequence[Sent], loop: Sequence[Sent], price: Price, way: Way, said: float) -> str:
    """One line for a provider. ``said`` is what the replies cost in one turn."""
    shares = " ".join(f"{role} {_share(ours, role):6.1%}" for role in ("decider", "narrator"))

    def ratio(turns: int) -> float:
        one, other = (
            sum(each.cost(price, way.writing) for each in row[-2 * turns :]) / turns + said
            for row in (ours, loop)
        )
        return one / other

    return (
        f"{name:10} {shares}   context {ours[-1].tokens:6,} tokens   "
        f"cost: last {LAST} turns {ratio(LAST):.2f} x loop, all but the first {ratio(TURNS - 1):.2f} x"
    )


def _share(row: Sequence[Sent], role: str) -> float:
    mine = [each for each in row[1:] if each.role == role]
    return sum(each.cached for each in mine) / sum(each.tokens for each in mine)


def main() -> None:
    """Play the conversation once and print a line for each provider."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    requests, turns = asyncio.run(conversation())
    loop = loop_requests(requests[0], turns)
    prices = read_prices(frozenset(PriceKey(way.priced) for way in WAYS.values()))
    replies = tokens(b"{}") * 2 + 2 * 20 + tokens(ANSWER.encode())
    for name, way in WAYS.items():
        price = prices[PriceKey(way.priced)][-1]
        print(report(name, sent(requests, way), sent(loop, way), price, way, replies * price.output))


if __name__ == "__main__":
    main()
