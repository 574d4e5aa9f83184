"""A conversation of several rounds with a model behind a strict fake server, from the first words to the last
answer.
"""

from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import orjson

from assistant.conversation.calls import Call, call_id
from assistant.conversation.chunks import CallArguments, CallNamed, Chunk, Opaque, TextDelta
from assistant.conversation.outcomes import CallStatus
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.views import FromAssistant, FromCustomer, FromTools, TurnView, View, ViewMessage
from assistant.ports import Model, ModelOptions, ModelRequest
from assistant.testing.script import Line
from tests.models.contract.adapters import Behind
from tests.support.fake_model.replies import Provider

Ending: TypeAlias = Callable[[Call], CallStatus]
"""How a call ends."""

FIND = ToolSpec(
    name="find_order",
    description="Find an order.",
    parameters={"type": "object", "properties": {"number": {"type": "integer"}}, "required": ["number"]},
)
CHANGE = ToolSpec(name="crm.change", description="", parameters={"type": "object", "properties": {}})


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What the customer says, what the model calls, round after round, how those calls end, and the answer.

    No ``answer``: the customer interrupted before there was one.
    """

    said: str = "Where is my order?"
    rounds: Sequence[tuple[Line, Sequence[Ending]]] = ()
    answer: Line | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """The turns, after what was said ``before``."""

    turns: Sequence[Turn]
    before: tuple[TurnView, ...] = ()
    late: str = ""
    tools: tuple[ToolSpec, ...] = (FIND, CHANGE)
    options: ModelOptions = field(default_factory=ModelOptions)

    @property
    def lines(self) -> list[Line]:
        """Everything that the model says."""
        return [
            line
            for turn in self.turns
            for line in (*(line for line, _ in turn.rounds), turn.answer)
            if line is not None
        ]


@dataclass(frozen=True, slots=True)
class Held:
    """A conversation that was held: what the server was sent, and what was made of its replies."""

    provider: Provider
    bodies: list[dict[str, Any]]
    turns: tuple[TurnView, ...]

    @property
    def replies(self) -> list[FromAssistant]:
        """What the model said, in its turns and rounds."""
        said = (message for turn in self.turns for message in turn.messages)
        return [message for message in said if isinstance(message, FromAssistant)]


async def hold(conversation: Conversation, behind: Behind) -> Held:
    """Have the conversation. Raises ``ModelRefused`` for a request that the strict server does not take."""
    told: list[TurnView] = []
    async with behind(*conversation.lines) as served:
        for turn in conversation.turns:
            messages: list[ViewMessage] = [FromCustomer(turn.said)]
            for round_, (_, endings) in enumerate(turn.rounds, start=1):
                view = _view(conversation, told, messages)
                reply = await _ask(served.model, view, conversation, round_)
                outcomes = [ends(call) for ends, call in zip(endings, reply.calls, strict=True)]
                messages += [reply, FromTools(tuple(outcomes))]
            if turn.answer is not None:
                view = _view(conversation, told, messages)
                messages.append(await _ask(served.model, view, conversation, len(turn.rounds) + 1))
            told.append(TurnView(tuple(messages)))
        bodies = [request.body for request in served.server.received]
    return Held(served.provider, bodies, tuple(told))


def _view(conversation: Conversation, told: Sequence[TurnView], messages: Sequence[ViewMessage]) -> View:
    turns = (*conversation.before, *told, TurnView(tuple(messages)))
    return View("Be brief.", turns, late=conversation.late)


async def _ask(model: Model, view: View, conversation: Conversation, round_: int) -> FromAssistant:
    request = ModelRequest(
        role="decider", view=view, tools=conversation.tools, options=conversation.options, conversation="c"
    )
    async with aclosing(model.stream(request)) as stream:
        return heard([chunk async for chunk in stream], round_)


def heard(chunks: Sequence[Chunk], round_: int = 1) -> FromAssistant:
    """A whole reply, as a later view has it."""
    text, calls, opaque = "", list[Call](), list[Opaque]()
    arguments: dict[int, str] = {}
    for chunk in chunks:
        match chunk:
            case TextDelta():
                text += chunk.text
            case CallNamed():
                id_ = call_id(round_, chunk.index + 1)
                calls.append(Call(id=id_, tool=chunk.name, provider_id=chunk.provider_id))
            case CallArguments():
                arguments[chunk.index] = arguments.get(chunk.index, "") + chunk.fragment
            case Opaque(provider=provider, value=value, index=int(at)):
                calls[at] = replace(calls[at], opaque={**(calls[at].opaque or {}), provider: value})
            case Opaque():
                opaque.append(chunk)
            case _:
                pass
    whole = [replace(call, arguments=orjson.loads(arguments[at])) for at, call in enumerate(calls)]
    return FromAssistant(text, tuple(whole), tuple(opaque))
