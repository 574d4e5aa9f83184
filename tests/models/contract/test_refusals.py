"""A wrong request is refused in the provider's words, and every adapter reports them."""

from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

import pytest

from assistant.conversation.views import FromCustomer, TurnView, View
from assistant.errors import ModelRefused
from assistant.formats.json_text import json_bytes
from assistant.formats.registry import WireRequest
from assistant.ports import Model, ModelRequest
from tests.models.contract.adapters import PROVIDERS, direct
from tests.support.fake_model.replies import Provider
from tests.support.rows import check_rows
from tests.support.test_strict_anthropic import REFUSED as MESSAGES_REFUSED
from tests.support.test_strict_anthropic_parts import REFUSED as PARTS_REFUSED
from tests.support.test_strict_openai import REFUSED as CHATS_REFUSED
from tests.support.test_strict_openai_tools import REFUSED as TOOLS_REFUSED

BY_ANTHROPIC = {**MESSAGES_REFUSED, **PARTS_REFUSED}
BY_OPENAI = {**CHATS_REFUSED, **TOOLS_REFUSED}

ORPHAN: dict[str, Any] = {
    "model": "m",
    "stream": True,
    "max_tokens": 9,
    "messages": [
        {"role": "user", "content": "Hi"},
        {"role": "tool", "tool_call_id": "a", "content": "[]"},
    ],
    "tools": [
        {"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}
    ],
}


@dataclass(frozen=True)
class Verbatim:
    """Writes the same request, whatever is asked."""

    body: Any

    def format(self, request: ModelRequest, model: str, provider: str = "") -> WireRequest:
        return WireRequest(json_bytes({**self.body, "model": model}), {})


async def refused(model: Model) -> str:
    asked = ModelRequest(role="decider", view=View("", (TurnView((FromCustomer("Hi"),)),)))
    async with aclosing(model.stream(asked)) as stream:
        with pytest.raises(ModelRefused) as refusal:
            await anext(stream)
    return str(refusal.value)


CHAT = ("a call without result", "a result without call", "a call twice", "a picture of a tool's")
MESSAGES = ("a use without result", "a result without use", "an id twice", "an empty block", "a blank block")
PARALLEL = {
    "openai": "parallel results with something between them",
    "anthropic": "parallel results in two messages",
}


@check_rows("what", [*CHAT, PARALLEL["openai"], "a reference to nowhere", "an unknown role"])
@check_rows("provider", ["openai", "xai"])
async def test_a_broken_chat_completion_is_refused_with_the_reason(provider: Provider, what: str) -> None:
    body, told = BY_OPENAI[what]
    async with direct(provider)(writer=Verbatim(body), refused=1) as served:
        error = await refused(served.model)

    assert error.startswith("the provider answered 400: ")
    assert told[:150] in error


@check_rows("what", [*MESSAGES, PARALLEL["anthropic"], "results of a use without a thought"])
async def test_a_broken_message_is_refused_with_the_reason(what: str) -> None:
    body, told = BY_ANTHROPIC[what]
    async with direct("anthropic")(writer=Verbatim(body), refused=1) as served:
        error = await refused(served.model)

    assert error.startswith("the provider answered 400: ")
    assert told[:150] in error


@pytest.mark.parametrize("name", ["litellm", "litellm_anthropic", "litellm_xai"])
async def test_litellm_passes_a_refusal_on(name: str) -> None:
    async with PROVIDERS[name](writer=Verbatim(ORPHAN), refused=1) as served:
        assert served.provider in ("openai", "anthropic", "xai")
        error = await refused(served.model)

    assert "must be a response to a prec" in error or "unexpected `tool_use_id` found" in error
