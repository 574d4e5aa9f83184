"""What stands for the thought behind calls that another model made, or the house, where a server insists on one."""

from collections.abc import Mapping
from typing import Any, assert_never

from assistant.conversation.values import Json
from assistant.formats.openai.dialect import Dialect

_UNSIGNED: Json = {"google": {"thought_signature": "skip_thought_signature_validator"}}
"""Gemini's own word for calls that it did not make."""

_UNREASONED = " "  # an empty text counts as none


def with_placeholders(asked: dict[str, Any], dialect: Dialect) -> Json:
    """An assistant's message that calls tools, with nothing missing that its server insists on.

    >>> with_placeholders({"tool_calls": [{"id": "a"}]}, Dialect(insists="reasoning"))
    {'tool_calls': [{'id': 'a'}], 'reasoning_content': ' '}
    """
    match dialect.insists:
        case None:
            return asked
        case "reasoning":
            return asked if "reasoning_content" in asked else {**asked, "reasoning_content": _UNREASONED}
        case "signature":
            first, *others = asked["tool_calls"]
            return {**asked, "tool_calls": [_signed(first), *others]}
        case _:
            assert_never(dialect.insists)


def _signed(call: Mapping[str, Json]) -> Json:
    """Of the calls of one reply only the first has a signature."""
    return call if "extra_content" in call else {**call, "extra_content": _UNSIGNED}
