"""Opaque data of thinking models goes back unchanged, and strict providers require it."""

from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from assistant.conversation.calls import Call
from assistant.conversation.chunks import CallNamed, Opaque, StreamEnded
from assistant.conversation.values import Json, JsonObject
from assistant.conversation.views import FromAssistant, FromCustomer, FromTools, TurnView
from assistant.errors import ModelRefused
from assistant.formats.registry import Formatter, WireRequest, formatter
from assistant.ports import ModelOptions, ModelRequest
from assistant.testing.script import Line, calls
from tests.models.contract.adapters import THINKERS, direct
from tests.models.contract.conversations import ANSWER, ONE, found
from tests.models.contract.official import misfit
from tests.models.contract.talk import Conversation, Turn, hold
from tests.support.bodies import HIDDEN, THOUGHT
from tests.support.fake_model.replies import Provider

REASONING: JsonObject = {"reasoning_content": "They mean the last order. Let me look."}
ENCRYPTED: JsonObject = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "c2ln"}
SIGNED: JsonObject = {"extra_content": {"google": {"thought_signature": "c2ln/+=="}}}


def thinks(line: Line) -> Line:
    """The line, and before it, or with its first call, what each provider would have thought."""
    before = (
        Opaque("anthropic", THOUGHT),
        Opaque("anthropic", HIDDEN),
        Opaque("deepseek", REASONING),
        Opaque("openai-responses", ENCRYPTED),
    )
    *steps, end = line.steps
    assert isinstance(end, StreamEnded)
    at = next(place for place, step in enumerate(steps, start=1) if isinstance(step, CallNamed))
    return Line((*before, *steps[:at], Opaque("gemini", SIGNED, 0), *steps[at:], end))


THINKING: dict[Provider, ModelOptions] = {
    "anthropic": ModelOptions(
        max_tokens=4096, temperature=0.2, extra={"thinking": {"type": "enabled", "budget_tokens": 1024}}
    ),
    "deepseek": ModelOptions(),
    "gemini": ModelOptions(),
    "openai-responses": ModelOptions(extra={"reasoning_effort": "low"}),
}
TURN = Turn(
    rounds=[
        (thinks(calls(ONE, "crm.change", text="One moment.")), [found(), found()]),
        (thinks(calls("crm.change")), [found()]),
    ],
    answer=ANSWER,
)
TWICE = Conversation(turns=[TURN, TURN])


def given_back(provider: Provider, body: dict[str, Any]) -> list[Json]:
    """The model's thoughts in a request, message by message."""
    if provider == "openai-responses":
        return [item for item in body["input"] if item.get("type") == "reasoning"]
    said = [message for message in body["messages"] if message["role"] == "assistant"]
    match provider:
        case "anthropic":
            blocks = [block for message in said for block in message["content"]]
            return [block for block in blocks if block["type"] in ("thinking", "redacted_thinking")]
        case "gemini":
            asked = [call for message in said for call in message.get("tool_calls", ())]
            return [{"extra_content": call["extra_content"]} for call in asked if "extra_content" in call]
        case _:
            kept = [message.get("reasoning_content") for message in said]
            return [{"reasoning_content": told} for told in kept if told is not None]


THOUGHT_EACH: dict[Provider, list[Json]] = {
    "anthropic": [THOUGHT, HIDDEN],
    "deepseek": [REASONING],
    "gemini": [SIGNED],
    "openai-responses": [ENCRYPTED],
}


@pytest.mark.parametrize("name", THINKERS)
async def test_it_goes_back_unchanged_in_its_place(name: str) -> None:
    provider: Provider = next(one for one in THINKING if name.endswith(one.replace("-", "_")))
    held = await hold(replace(TWICE, options=THINKING[provider]), THINKERS[name])

    assert held.provider == provider
    thoughts = THOUGHT_EACH[provider]
    counts = [0, 1, 2, 2, 3, 4]  # rounds that were thought about before each request
    assert [given_back(provider, body) for body in held.bodies] == [thoughts * count for count in counts]
    if provider in ("anthropic", "openai-responses"):
        assert [misfit(provider, body) for body in held.bodies] == [None] * len(held.bodies)


class Forgetful:
    """Writes requests for another provider, without this model's thoughts."""

    def __init__(self, to: Formatter) -> None:
        self._to = to

    def format(self, request: ModelRequest, model: str, provider: str = "") -> WireRequest:
        return replace(self._to.format(request, model, "else@where"), provider="here")


@pytest.mark.parametrize("provider", ["deepseek", "gemini"])
async def test_a_provider_that_requires_it_refuses_a_request_without_it(provider: Provider) -> None:
    forgetful = partial(direct(provider), writer=Forgetful(formatter("openai")))
    with pytest.raises(ModelRefused, match=r"Missing `reasoning_content`|missing a thought_signature"):
        await hold(TWICE, forgetful)


@pytest.mark.parametrize(
    ("provider", "called"), [("deepseek", "deepseek-reasoner"), ("gemini", "gemini-3-pro")]
)
async def test_a_model_that_requires_it_accepts_a_substitute(provider: Provider, called: str) -> None:
    forgetful = partial(direct(provider, called), writer=Forgetful(formatter("openai")))
    held = await hold(TWICE, forgetful)

    assert len(held.bodies) == len(TWICE.lines)
    assert REASONING["reasoning_content"] not in given_back(provider, held.bodies[-1])


_CALL = Call(id="c1.1", tool="find_order", opaque={"else@where": SIGNED})
ELSEWHERE = TurnView(
    (
        FromCustomer("Where is it?"),
        FromAssistant("", (_CALL,), (Opaque("else@where", THOUGHT), Opaque("else@where", REASONING))),
        FromTools((found()(_CALL),)),
    )
)
"""A turn that another model thought about, stopped before its answer."""


@pytest.mark.parametrize("provider", ["openai", "openai-responses", "xai", "anthropic", "gemini"])
async def test_another_model_does_not_get_it(provider: Provider) -> None:
    held = await hold(Conversation(turns=[Turn(answer=ANSWER)], before=(ELSEWHERE,)), direct(provider))

    kind = provider if provider in ("anthropic", "openai-responses") else "deepseek"
    assert given_back(kind, held.bodies[0]) == []
    assert b"c2ln" not in repr(held.bodies).encode()


async def test_manual_thinking_continues_after_calls_of_another_model() -> None:
    conversation = Conversation(turns=[TURN], before=(ELSEWHERE,), options=THINKING["anthropic"])
    held = await hold(conversation, direct("anthropic"))

    assert ["thinking" in body for body in held.bodies] == [False, True, True]
