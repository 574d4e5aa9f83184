"""What OpenAI's API and compatible ones refuse in a request: in messages, tools and options."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

import orjson

from tests.support.fake_model.openai_content_checks import (
    DEEPSEEK,
    GEMINI,
    OPENAI,
    XAI,
    Dialect,
    check_content,
    fields,
    items,
    mapping,
    name,
    one_of,
    short,
    text,
    wrong_type,
)
from tests.support.fake_model.request_checks import Place, Received, flaw, require, within

_LONGEST_ID = 40
_FIELDS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "system": (("content",), ("name",)),
    "assistant": ((), ("content", "tool_calls", "name", "refusal")),
    "user": (("content",), ("name",)),
    "tool": (("content", "tool_call_id"), ()),
    "developer": (("content",), ("name",)),
}


def check_messages(messages: Any, dialect: Dialect) -> None:
    """Raise ``BadRequest`` for messages that the API refuses."""
    owed: list[str] = []
    for place, given in enumerate(items(messages, "messages")):
        where = f"messages[{place}]"
        message = mapping(given, where)
        role = one_of(message.get("role"), f"{where}.role", _FIELDS)
        needed, allowed = _FIELDS[role]
        more = dialect.said_by_assistant if role == "assistant" else ()
        fields(message, where, needed=("role", *needed), allowed=(*allowed, *more))
        check_content(message, where, dialect)
        if role == "tool":
            _settle(text(message["tool_call_id"], f"{where}.tool_call_id"), owed, where)
            continue
        _check_nothing_owed(owed, f"{where}.role")
        if "tool_calls" in message:
            owed = _check_calls(message["tool_calls"], where, dialect)
    _check_nothing_owed(owed, "messages")


def _settle(answered: str, owed: list[str], where: str) -> None:
    require(
        answered in owed,
        # The spelling is the provider's.
        "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with "
        "'tool_calls'.",
        param=f"{where}.role",
    )
    owed.remove(answered)


def _check_nothing_owed(owed: list[str], where: str) -> None:
    require(
        not owed,
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
        f"'tool_call_id'. The following tool_call_ids did not have response messages: {', '.join(owed)}",
        param=where,
    )


def _check_calls(calls: Any, where: str, dialect: Dialect) -> list[str]:
    ids: list[str] = []
    for place, call in enumerate(items(calls, f"{where}.tool_calls")):
        here = f"{where}.tool_calls[{place}]"
        fields(call, here, needed=("id", "type", "function"), allowed=dialect.said_of_calls)
        id_ = short(call["id"], f"{here}.id", _LONGEST_ID)
        one_of(call["type"], f"{here}.type", ("function", "custom"))
        function = fields(call["function"], f"{here}.function", needed=("name", "arguments"))
        name(function["name"], f"{here}.function.name")
        _check_arguments(text(function["arguments"], f"{here}.function.arguments"), id_)
        require(
            id_ not in ids,
            f"Invalid parameter: Duplicate value for 'tool_call_id' of '{id_}'.",
            param=f"{here}.id",
        )
        ids.append(id_)
    return ids


def _check_arguments(arguments: str, id_: str) -> None:
    """OpenAI accepts arguments that are not JSON; xAI and most other servers must be able to parse them."""
    try:
        told = "" if isinstance(orjson.loads(arguments), dict) else "expected a JSON object"
    except orjson.JSONDecodeError as error:
        told = str(error)
    require(
        not told,
        f"The arguments to a tool_call with ID '{id_}' are not a valid JSON string. Parsing error: {told}",
    )


_THINKS_ALWAYS = re.compile(r"gpt-5\.[5-9]|gpt-6")
_EFFORT_ALONE = re.compile(r"gpt-5\.[2-4]")
_REASONING = re.compile(rf"o\d(?![a-z\d])|gpt-5(?!\.|-chat)|{_THINKS_ALWAYS.pattern}")
_ONE_BY_ONE = re.compile(r"o\d(?![a-z\d])")
_RANGES: Mapping[str, tuple[int, int]] = {
    "frequency_penalty": (-2, 2),
    "presence_penalty": (-2, 2),
    "temperature": (0, 2),
    "top_p": (0, 1),
}


def check_options(body: Mapping[str, Any]) -> None:
    """Raise ``BadRequest`` for options that the API refuses."""
    for limit in ("max_tokens", "max_completion_tokens"):
        check_limit(body, limit)
    for number, (least, most) in _RANGES.items():
        _check_number(body, number, least, most)
    _check_model(body)
    _check_effort(body)
    require(
        body.get("stream_options") is None or body.get("stream"),
        "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
        param="stream_options",
    )


def check_limit(body: Mapping[str, Any], name: str) -> None:
    """Raise ``BadRequest`` if the limit on the reply's length is not a positive integer."""
    limit = body.get(name)
    if limit is None:
        return
    if not isinstance(limit, int):
        wrong_type(limit, name, "an integer")
    require(
        limit >= 1,
        f"Invalid '{name}': integer below minimum value. Expected a value >= 1, but got {limit} instead.",
        param=name,
        code="integer_below_min_value",
    )


def _check_number(body: Mapping[str, Any], name: str, least: int, most: int) -> None:
    value = body.get(name)
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int | float):
        wrong_type(value, name, "a decimal")
    require(
        value >= least,
        f"Invalid '{name}': decimal below minimum value. Expected a value >= {least}, but got {value} "
        "instead.",
        param=name,
        code="decimal_below_min_value",
    )
    require(
        value <= most,
        f"Invalid '{name}': decimal above maximum value. Expected a value <= {most}, but got {value} "
        "instead.",
        param=name,
        code="decimal_above_max_value",
    )


def _check_effort(body: Mapping[str, Any]) -> None:
    """With tools, gpt-5.2 to 5.4 refuse any reasoning effort; newer models refuse all but an explicit "none"."""
    model, effort = body["model"], body.get("reasoning_effort")
    refused = effort != "none" if _THINKS_ALWAYS.match(model) else effort and _EFFORT_ALONE.match(model)
    require(
        "tools" not in body or not refused,
        f"Function tools with reasoning_effort are not supported for {model} in /v1/chat/completions. To use "
        "function tools, use /v1/responses or set reasoning_effort to 'none'.",
        param="reasoning_effort",
    )


def thinks_always(model: str) -> bool:
    """Whether it is a reasoning model, which refuses some options."""
    return bool(_REASONING.match(model))


def _check_model(body: Mapping[str, Any]) -> None:
    """Reasoning models accept fewer options."""
    model: str = body["model"]
    if not thinks_always(model):
        return
    unsupported = ["max_tokens"] + ["parallel_tool_calls"] * bool(_ONE_BY_ONE.match(model))
    check_unsupported(body, unsupported)


def check_unsupported(body: Mapping[str, Any], unsupported: Sequence[str]) -> None:
    """Raise ``BadRequest`` for a temperature, or an option that reasoning models do not support."""
    for option in unsupported:
        instead = " Use 'max_completion_tokens' instead." if option == "max_tokens" else ""
        require(
            option not in body,
            f"Unsupported parameter: '{option}' is not supported with this model.{instead}",
            param=option,
            code="unsupported_parameter",
        )
    require(
        body.get("temperature") in (None, 1),
        f"Unsupported value: 'temperature' does not support {body.get('temperature')} with this model. Only "
        "the default (1) value is supported.",
        param="temperature",
        code="unsupported_value",
    )


_MOST = 128
_CHOICES = ("none", "auto", "required")
_NOT_AT_THE_TOP = ("oneOf", "anyOf", "allOf", "enum", "not")


def check_tools(body: Mapping[str, Any]) -> None:
    """Raise ``BadRequest`` for tools that the API refuses."""
    for option in ("tool_choice", "parallel_tool_calls"):
        require(
            option not in body or "tools" in body,
            f"Invalid value for '{option}': '{option}' is only allowed when 'tools' are specified.",
            param=option,
        )
    if "tools" not in body:
        return
    names: list[str] = []
    for place, tool in enumerate(items(body["tools"], "tools", _MOST)):
        names.append(_check_tool(tool, f"tools[{place}]"))
    twice = next((given for given in names if names.count(given) > 1), "")
    require(not twice, f"Invalid 'tools': tool names must be unique, but '{twice}' is not.", param="tools")
    _check_choice(body.get("tool_choice", "auto"), names)


def _check_tool(given: Any, where: str) -> str:
    tool = fields(given, where, needed=("type", "function"))
    one_of(tool["type"], f"{where}.type", ("function", "custom"))
    here = f"{where}.function"
    function = fields(
        tool["function"], here, needed=("name",), allowed=("description", "parameters", "strict")
    )
    called = name(function["name"], f"{here}.name")
    text(function.get("description", ""), f"{here}.description")
    if "parameters" in function:
        check_parameters(mapping(function["parameters"], f"{here}.parameters"), called, here)
    return called


def check_parameters(schema: Mapping[str, Any], called: str, where: str) -> None:
    """Raise ``BadRequest`` for a parameter schema that the API refuses."""
    told = next(_problems(schema), None)
    require(
        told is None,
        f"Invalid schema for function '{called}': {told}",
        param=f"{where}.parameters",
        code="invalid_function_parameters",
    )


def _problems(schema: Mapping[str, Any]) -> Iterator[str]:
    kind = schema.get("type")
    if kind != "object":
        yield f"schema must be a JSON Schema of 'type: \"object\"', got 'type: \"{kind}\"'."
    if any(word in schema for word in _NOT_AT_THE_TOP):
        told = "/".join(f"'{word}'" for word in _NOT_AT_THE_TOP)
        yield f"schema must have type 'object' and not have {told} at the top level."
    if "properties" not in schema:
        yield "In context=(), object schema missing properties."
    if (why := flaw(schema)) is not None:
        yield f"{why}."
    for place, inner in within(schema):
        yield from _without_items(inner, place)


def _without_items(schema: Mapping[str, Any], place: Place) -> Iterator[str]:
    if "items" in schema:
        return
    kind: Any = schema.get("type")
    if kind == "array":
        yield f"In context={place}, array schema missing items."
    elif isinstance(kind, list) and "array" in kind:
        at = (*place, "type", str(cast("list[str]", kind).index("array")))
        yield f"In context={at}, array schema missing items."


def _check_choice(choice: Any, names: list[str]) -> None:
    if isinstance(choice, str):
        one_of(choice, "tool_choice", _CHOICES)
        return
    told = fields(choice, "tool_choice", needed=("type", "function"))
    meant = fields(told["function"], "tool_choice.function", needed=("name",))["name"]
    require(meant in names, f"Tool choice '{meant}' not found in 'tools' parameter.", param="tool_choice")


FIELDS = frozenset(
    {
        "frequency_penalty",
        "logit_bias",
        "logprobs",
        "max_completion_tokens",
        "max_tokens",
        "messages",
        "metadata",
        "model",
        "n",
        "parallel_tool_calls",
        "presence_penalty",
        "prompt_cache_key",
        "prompt_cache_retention",
        "reasoning_effort",
        "response_format",
        "safety_identifier",
        "seed",
        "service_tier",
        "stop",
        "store",
        "stream",
        "stream_options",
        "temperature",
        "tool_choice",
        "tools",
        "top_logprobs",
        "top_p",
        "user",
        "verbosity",
    }
)
"""All fields that a request may have."""


def check_openai(request: Received, dialect: Dialect = OPENAI) -> None:
    """Raise ``BadRequest`` for a request that OpenAI refuses."""
    body = mapping(request.body, "body")
    unknown = [name for name in body if name not in FIELDS]
    require(not unknown, f"Unrecognized request argument supplied: {', '.join(unknown)}")
    require(body.get("model") and isinstance(body["model"], str), "you must provide a model parameter")
    require(
        "messages" in body,
        "Missing required parameter: 'messages'.",
        param="messages",
        code="missing_required_parameter",
    )
    check_options(body)
    check_tools(body)
    check_messages(body["messages"], dialect)


def check_deepseek(request: Received) -> None:
    """Raise ``BadRequest`` for a request that DeepSeek refuses."""
    check_openai(request, DEEPSEEK)
    for place, message in enumerate(request.body["messages"]):
        require(
            "tool_calls" not in message or message.get("reasoning_content"),  # An empty one counts as none.
            f"Missing `reasoning_content` field in the assistant message at message index {place}. For more "
            "information, please refer to https://api-docs.deepseek.com/guides/thinking_mode#tool-calls",
        )


def check_gemini(request: Received) -> None:
    """Raise ``BadRequest`` for a request that Gemini refuses."""
    check_openai(request, GEMINI)
    messages: list[dict[str, Any]] = request.body["messages"]
    asked = max((place for place, said in enumerate(messages) if said["role"] == "user"), default=0)
    for place, message in enumerate(messages):
        if place > asked and "tool_calls" in message:
            first = message["tool_calls"][0]  # Only the first call of a reply has a signature.
            require(
                first.get("extra_content", {}).get("google", {}).get("thought_signature"),
                "Function call is missing a thought_signature in functionCall parts. This is required for tools "
                "to work correctly, and missing thought_signature may lead to degraded model performance. "
                f"Additional data, function call `default_api:{first['function']['name']}` , position {place}.",
            )


def check_xai(request: Received) -> None:
    """Raise ``BadRequest`` for a request that xAI refuses."""
    require(
        request.headers.get("authorization", "").startswith("Bearer "),
        "No API key provided. Specify your API key in an HTTP Authorization header",
        status=401,
    )
    check_openai(request, XAI)
    for message in request.body["messages"]:
        require(
            _says_something(message),
            "Invalid request content: Each message must have at least one content element.",
        )


def _says_something(message: dict[str, Any]) -> bool:
    """Whether a message has content. An empty text is enough if there are calls; no text at all is not."""
    content = message.get("content")
    if isinstance(content, list):
        return True
    if content == "":
        return message["role"] == "assistant" and "tool_calls" in message
    return isinstance(content, str) and not content.isspace()
