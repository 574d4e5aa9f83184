"""What xAI refuses: all that OpenAI does, and somewhat more."""

from typing import Any

from assistant.testing.fake_model.checks.bad_request import require
from assistant.testing.fake_model.checks.openai.dialect import XAI
from assistant.testing.fake_model.checks.openai.request import check_openai
from assistant.testing.fake_model.request import Received


def check_xai(request: Received) -> None:
    """Raise ``BadRequest`` for what is refused."""
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
    """Whether there is anything to read; only beside calls an empty text will do, but not none at all."""
    content = message.get("content")
    if isinstance(content, list):
        return True
    if content == "":
        return message["role"] == "assistant" and "tool_calls" in message
    return isinstance(content, str) and not content.isspace()
