"""What Gemini refuses where it speaks chat completions: calls without the signature of the thought behind them."""

from typing import Any

from assistant.testing.fake_model.checks.bad_request import require
from assistant.testing.fake_model.checks.openai.dialect import GEMINI
from assistant.testing.fake_model.checks.openai.request import check_openai
from assistant.testing.fake_model.request import Received


def check_gemini(request: Received) -> None:
    """Raise ``BadRequest`` for what is refused."""
    check_openai(request, GEMINI)
    messages: list[dict[str, Any]] = request.body["messages"]
    asked = max((place for place, said in enumerate(messages) if said["role"] == "user"), default=0)
    for place, message in enumerate(messages):
        if place > asked and "tool_calls" in message:
            first = message["tool_calls"][0]  # The others of the same reply have none.
            require(
                first.get("extra_content", {}).get("google", {}).get("thought_signature"),
                "Function call is missing a thought_signature in functionCall parts. This is required for tools "
                "to work correctly, and missing thought_signature may lead to degraded model performance. "
                f"Additional data, function call `default_api:{first['function']['name']}` , position {place}.",
            )
