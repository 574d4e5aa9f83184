"""What OpenAI refuses of everything that is neither a message nor a tool: which model takes what, and how much."""

import re
from collections.abc import Mapping
from typing import Any

from assistant.testing.fake_model.checks.bad_request import require
from assistant.testing.fake_model.checks.openai.shape import wrong_type

_REASONING = re.compile(r"o\d(?![a-z\d])|gpt-5(?!\.|-chat)")
_ONE_BY_ONE = re.compile(r"o\d(?![a-z\d])")
_RANGES: Mapping[str, tuple[int, int]] = {
    "frequency_penalty": (-2, 2),
    "presence_penalty": (-2, 2),
    "temperature": (0, 2),
    "top_p": (0, 1),
}


def check_options(body: Mapping[str, Any]) -> None:
    """Raise ``BadRequest`` for what is refused."""
    for limit in ("max_tokens", "max_completion_tokens"):
        _check_limit(body, limit)
    for number, (least, most) in _RANGES.items():
        _check_number(body, number, least, most)
    _check_model(body)
    require(
        body.get("stream_options") is None or body.get("stream"),
        "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
        param="stream_options",
    )


def _check_limit(body: Mapping[str, Any], name: str) -> None:
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


def _check_model(body: Mapping[str, Any]) -> None:
    """Models that think before they speak take less."""
    model: str = body["model"]
    if not _REASONING.match(model):
        return
    unsupported = ["max_tokens"] + ["parallel_tool_calls"] * bool(_ONE_BY_ONE.match(model))
    for name in unsupported:
        instead = " Use 'max_completion_tokens' instead." if name == "max_tokens" else ""
        require(
            name not in body,
            f"Unsupported parameter: '{name}' is not supported with this model.{instead}",
            param=name,
            code="unsupported_parameter",
        )
    require(
        body.get("temperature") in (None, 1),
        f"Unsupported value: 'temperature' does not support {body.get('temperature')} with this model. Only "
        "the default (1) value is supported.",
        param="temperature",
        code="unsupported_value",
    )
