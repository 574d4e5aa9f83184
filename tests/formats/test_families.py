"""What is left out of a request, because its model would refuse it."""

from typing import Any

import orjson
import pytest

from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import Json
from assistant.conversation.views import FromCustomer, TurnView, View
from assistant.errors import DeclarationError
from assistant.formats.families import FAMILIES, check_effort, family_of
from assistant.formats.registry import formatter
from assistant.ports import ModelOptions, ModelRequest
from tests.support.bodies import HEADERS
from tests.support.fake_model.replies import WIRES, Provider
from tests.support.fake_model.request_checks import Received
from tests.support.rows import check_rows

FIND = ToolSpec(name="find", description="Finds.", parameters={"type": "object", "properties": {}})


def body_for(model: str, format_: str, options: ModelOptions) -> dict[str, Any]:
    view = View("Be brief.", (TurnView((FromCustomer("Hi"),)),))
    request = ModelRequest(role="decider", view=view, tools=(FIND,), options=options)
    return orjson.loads(formatter(format_).format(request, model, "x@y").body)


@check_rows(
    ("model", "name"),
    [
        ("gpt-6-luna", "gpt-6"),
        ("gpt-6.1-sol", "gpt-6"),
        ("gpt-6-astra", "gpt-6-astra"),
        ("gpt-5.6-terra", "gpt-6"),
        ("gpt-5.5", "gpt-5.5"),
        ("gpt-5.2", "gpt-5.1"),
        ("gpt-5.1-chat-latest", "gpt-5-chat"),
        ("gpt-5", "gpt-5"),
        ("ft:gpt-5-mini:acme::1", "gpt-5"),
        ("o3-mini", "o-series"),
        ("gpt-4.1-mini", "any"),
        ("gpt-35-turbo", "any"),
        ("gpt-oss-120b", "any"),
        ("anthropic/claude-sonnet-5", "claude-5"),
        ("claude-opus-5-5", "claude-5"),
        ("bedrock/us.anthropic.claude-fable-5-1-v1:0", "claude-5"),
        ("claude-opus-4-8", "claude-opus-4-7"),
        ("claude-sonnet-4-6", "any"),
        ("claude-3-7-sonnet-latest", "any"),
        ("grok-4.6", "grok-4.6"),
        ("grok-4.3", "grok-4.3"),
        ("grok-4.20-reasoning", "grok-4"),
        ("grok-4.20-non-reasoning", "any"),
        ("gemini/gemini-3.8-flash", "gemini"),
        ("Qwen/Qwen3-32B", "any"),
    ],
)
def test_the_family_follows_from_the_models_name(model: str, name: str) -> None:
    assert family_of(model).name == name


OPTIONS = (
    ModelOptions(),
    ModelOptions(temperature=0.2, parallel_calls=False, max_tokens=500),
    ModelOptions(extra={"reasoning_effort": "low"}),
    ModelOptions(temperature=0.2, extra={"reasoning_effort": "none"}),
)
MODELS = ("gpt-6-luna", "gpt-6.1-sol", "gpt-5.6-terra", "gpt-5.5", "gpt-5.4", "gpt-5", "o3", "gpt-4.1")


@check_rows("model", MODELS)
@check_rows("options", OPTIONS)
def test_openai_accepts_what_is_sent_to_each_of_its_models(model: str, options: ModelOptions) -> None:
    apis: dict[Provider, str] = {"openai": "openai", "openai-responses": "openai-responses"}
    for wire, format_ in apis.items():
        if options.extra.get("reasoning_effort") not in (None, *family_of(model).efforts):
            continue
        body = body_for(model, format_, options)
        if model == "gpt-4.1" and "reasoning_effort" in options.extra:
            continue

        WIRES[wire].check(Received(WIRES[wire].path, HEADERS, body))


def test_chat_turns_thinking_off_if_tools_are_refused_with_it() -> None:
    low = ModelOptions(extra={"reasoning_effort": "low"})

    assert body_for("gpt-6-luna", "openai", ModelOptions())["reasoning_effort"] == "none"
    assert "reasoning_effort" not in body_for("gpt-5.4", "openai", low)
    assert body_for("gpt-5", "openai", low)["reasoning_effort"] == "low"
    assert body_for("gpt-6-luna", "openai-responses", low)["reasoning"] == {"effort": "low"}


@check_rows(
    ("model", "format_", "sent"),
    [
        ("claude-sonnet-5", "anthropic", False),
        ("claude-sonnet-4-6", "anthropic", True),
        ("gpt-6-luna", "openai", False),
        ("gpt-4.1", "openai", True),
        ("azure/gpt-5", "generic", False),
        ("gemini/gemini-3.8-flash", "generic", True),
        ("grok-4.6", "grok", True),
    ],
)
def test_a_temperature_is_sent_to_models_that_accept_one(model: str, format_: str, *, sent: bool) -> None:
    assert ("temperature" in body_for(model, format_, ModelOptions(temperature=0.2))) == sent


@check_rows(
    ("model", "options", "longest"),
    [
        ("gpt-4.1", ModelOptions(), 1024),
        ("gpt-6-luna", ModelOptions(), 4096),
        ("gpt-6-luna", ModelOptions(extra={"reasoning_effort": "none"}), 1024),
        ("gpt-6-luna", ModelOptions(max_tokens=300), 300),
        ("gpt-5.1", ModelOptions(extra={"reasoning_effort": "high"}), 4096),
    ],
)
def test_a_thinking_model_gets_more_room(model: str, options: ModelOptions, longest: int) -> None:
    assert body_for(model, "openai-responses", options)["max_output_tokens"] == longest


def test_an_operator_names_the_family_of_a_deployment() -> None:
    body = body_for("our-deployment", "openai", ModelOptions(temperature=0.2, family="gpt-5"))

    assert "temperature" not in body
    assert body["max_completion_tokens"] == 4096
    with pytest.raises(
        DeclarationError, match="no family of models is named 'gpt-55'; use one of: gpt-6-astra, "
    ):
        body_for("our-deployment", "openai", ModelOptions(family="gpt-55"))


@check_rows(
    ("model", "effort", "cure"),
    [
        ("gpt-6-astra", "none", "use one of: low, medium, high, xhigh, max"),
        ("grok-4.20-reasoning", "low", "leave it out"),
        ("gpt-5", "xhigh", "use one of: minimal, low, medium, high"),
    ],
)
def test_an_effort_that_a_model_does_not_have_is_refused(model: str, effort: Json, cure: str) -> None:
    with pytest.raises(
        DeclarationError, match=f"extra: {model} does not accept the effort '{effort}'; {cure}"
    ):
        check_effort(model, ModelOptions(extra={"reasoning_effort": effort}), "extra")


def test_every_row_says_where_it_was_read() -> None:
    assert all("." in family.source for family in FAMILIES)
    assert len({family.name for family in FAMILIES}) == len(FAMILIES)
