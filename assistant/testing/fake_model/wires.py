"""The providers that a fake server can be: each its own paths, its own refusals, its own errors."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from assistant.conversation.values import Json
from assistant.testing.fake_model.checks.anthropic import check_anthropic
from assistant.testing.fake_model.checks.chat import check_chat
from assistant.testing.fake_model.checks.xai import check_xai
from assistant.testing.fake_model.request import Received

Provider: TypeAlias = Literal["openai", "anthropic", "xai"]

_ANTHROPICS: Mapping[int, str] = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}


@dataclass(frozen=True, slots=True)
class Wire:
    """How a provider speaks.

    ``base`` is the path of its API, ``path`` is where requests go. ``check`` raises ``BadRequest`` for what
    it refuses. ``error`` is what it says with a status and a message.
    """

    base: str
    path: str
    check: Callable[[Received], None]
    error: Callable[[int, str], Json]


def openai_error(status: int, message: str, code: str | None = None) -> Json:
    """An error in OpenAI's shape."""
    kind = "invalid_request_error" if status < 500 else "server_error"
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def anthropic_error(status: int, message: str) -> Json:
    """An error in Anthropic's shape."""
    kind = _ANTHROPICS.get(status, "api_error")
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}


def xai_error(status: int, message: str) -> Json:
    """An error in xAI's shape."""
    blame = "Client specified an invalid argument" if status < 500 else "Internal error"
    return {"code": blame, "error": message}


WIRES: Mapping[Provider, Wire] = {
    "openai": Wire("/v1", "/v1/chat/completions", check_chat, openai_error),
    "anthropic": Wire("", "/v1/messages", check_anthropic, anthropic_error),
    "xai": Wire("/v1", "/v1/chat/completions", check_xai, xai_error),
}
