"""What xAI refuses: all that OpenAI does, and somewhat more."""

from assistant.testing.fake_model.checks.bad_request import require
from assistant.testing.fake_model.checks.chat import check_chat
from assistant.testing.fake_model.request import Received


def check_xai(request: Received) -> None:
    """Raise ``BadRequest`` for what is refused."""
    require(
        request.headers.get("authorization", "").startswith("Bearer "),
        "No API key provided. Specify your API key in an HTTP Authorization header",
        status=401,
    )
    check_chat(request)
    for message in request.body["messages"]:
        content = message.get("content")
        silent = message["role"] == "assistant" and "tool_calls" in message and content == ""
        require(
            silent or (content and not content.isspace()),
            "Invalid request content: Each message must have at least one content element.",
        )
