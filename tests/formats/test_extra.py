"""Fields that an operator adds to requests."""

from collections.abc import Callable
from typing import Any

import orjson
import pytest

from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import Json
from assistant.conversation.views import View
from assistant.errors import DeclarationError
from assistant.formats.anthropic import AnthropicFormatter
from assistant.formats.openai import OpenAIFormatter
from assistant.formats.openai_variants import GrokFormatter
from assistant.formats.options import check_extra
from assistant.formats.registry import Formatter
from assistant.ports import ModelOptions, ModelRequest
from tests.support.rows import check_rows

MAKERS: list[Callable[[], Formatter]] = [OpenAIFormatter, AnthropicFormatter, GrokFormatter]
TOOLS = (ToolSpec(name="find", description="", parameters={}),)


def body(make: Callable[[], Formatter], extra: dict[str, Json], model: str = "m") -> dict[str, Any]:
    request = ModelRequest(
        role="decider", view=View("Be brief.", ()), tools=TOOLS, options=ModelOptions(extra=extra)
    )
    return orjson.loads(make().format(request, model).body)


@pytest.mark.parametrize("make", MAKERS)
def test_extra_fields_are_in_the_body_before_the_dialogue(make: Callable[[], Formatter]) -> None:
    wire = body(make, {"top_p": 0.5, "metadata": {"user_id": "u"}})

    assert (wire["top_p"], wire["metadata"]) == (0.5, {"user_id": "u"})
    assert wire == {**body(make, {}), "top_p": 0.5, "metadata": {"user_id": "u"}}
    assert list(wire)[-1] == "messages"
    assert list(wire).index("top_p") < list(wire).index("tools")


@pytest.mark.parametrize("make", MAKERS)
def test_the_longest_reply_may_be_set_here_too(make: Callable[[], Formatter]) -> None:
    assert body(make, {"max_tokens": 9})["max_tokens"] == 9


@pytest.mark.parametrize(("model", "name"), [("m", "max_completion_tokens"), ("gpt-5", "max_tokens")])
def test_the_longest_reply_is_sent_once_under_any_name(model: str, name: str) -> None:
    wire = body(OpenAIFormatter, {name: 9}, model)

    assert {field: value for field, value in wire.items() if "tokens" in field} == {name: 9}


@check_rows("make", MAKERS)
@check_rows("field", ["model", "messages", "system", "tools", "stream", "api_key", "timeout"])
def test_fields_of_ours_are_refused_with_the_reason(make: Callable[[], Formatter], field: str) -> None:
    with pytest.raises(DeclarationError, match=rf"extra: not to be set here: '{field}' \(.+\); take it out"):
        body(make, {"top_p": 0.5, field: "x"})


def test_all_refused_fields_are_named_with_their_place() -> None:
    with pytest.raises(DeclarationError) as refused:
        check_extra(
            {"parallel_tool_calls": False, "seed": 1, "n": 2}, "ASSISTANT_MODEL_OPTIONS: openai/m: extra"
        )

    assert str(refused.value) == (
        "ASSISTANT_MODEL_OPTIONS: openai/m: extra: not to be set here: "
        "'parallel_tool_calls' (it has its own option: parallel_calls), "
        "'n' (a reply is read as one stream with one answer); take it out"
    )


def test_all_other_fields_are_allowed() -> None:
    check_extra(
        {"reasoning_effort": "low", "thinking": {"type": "enabled"}, "seed": 7, "service_tier": "flex"}
    )
