"""What OpenAI refuses of a request for a chat completion."""

from assistant.testing.fake_model.checks.bad_request import require
from assistant.testing.fake_model.checks.openai.dialect import OPENAI, Dialect
from assistant.testing.fake_model.checks.openai.messages import check_messages
from assistant.testing.fake_model.checks.openai.options import check_options
from assistant.testing.fake_model.checks.openai.shape import mapping
from assistant.testing.fake_model.checks.openai.tools import check_tools
from assistant.testing.fake_model.request import Received

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
"""What may stand in a request."""


def check_openai(request: Received, dialect: Dialect = OPENAI) -> None:
    """Raise ``BadRequest`` for what is refused."""
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
