"""What DeepSeek refuses while it thinks: calls that come back without what it thought before them."""

from assistant.testing.fake_model.checks.bad_request import require
from assistant.testing.fake_model.checks.openai.dialect import DEEPSEEK
from assistant.testing.fake_model.checks.openai.request import check_openai
from assistant.testing.fake_model.request import Received


def check_deepseek(request: Received) -> None:
    """Raise ``BadRequest`` for what is refused."""
    check_openai(request, DEEPSEEK)
    for place, message in enumerate(request.body["messages"]):
        require(
            "tool_calls" not in message or message.get("reasoning_content"),  # An empty one counts as none.
            f"Missing `reasoning_content` field in the assistant message at message index {place}. For more "
            "information, please refer to https://api-docs.deepseek.com/guides/thinking_mode#tool-calls",
        )
