"""The providers that a fake server can be: each its own paths, its own refusals, its own errors."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from assistant.conversation.values import Json
from assistant.testing.fake_model.checks.anthropic.request import check_anthropic
from assistant.testing.fake_model.checks.bad_request import BadRequest
from assistant.testing.fake_model.checks.deepseek import check_deepseek
from assistant.testing.fake_model.checks.gemini import check_gemini
from assistant.testing.fake_model.checks.openai.request import check_openai
from assistant.testing.fake_model.checks.xai import check_xai
from assistant.testing.fake_model.request import Received

Provider: TypeAlias = Literal["openai", "anthropic", "xai", "deepseek", "gemini"]

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
    it refuses. ``error`` is the body of its answer to such a one.
    """

    base: str
    path: str
    check: Callable[[Received], None]
    error: Callable[[BadRequest], Json]


def _openai_error(refusal: BadRequest) -> Json:
    kind = "invalid_request_error" if refusal.status < 500 else "server_error"
    return {"error": {"message": str(refusal), "type": kind, "param": refusal.param, "code": refusal.code}}


def _anthropic_error(refusal: BadRequest) -> Json:
    kind = _ANTHROPICS.get(refusal.status, "api_error")
    return {"type": "error", "error": {"type": kind, "message": str(refusal)}, "request_id": "req_1"}


def _xai_error(refusal: BadRequest) -> Json:
    blame = "Client specified an invalid argument" if refusal.status < 500 else "Internal error"
    return {"code": blame, "error": str(refusal)}


def _gemini_error(refusal: BadRequest) -> Json:
    blame = "INVALID_ARGUMENT" if refusal.status < 500 else "INTERNAL"
    return [{"error": {"code": refusal.status, "message": str(refusal), "status": blame}}]


WIRES: Mapping[Provider, Wire] = {
    "openai": Wire("/v1", "/v1/chat/completions", check_openai, _openai_error),
    "anthropic": Wire("", "/v1/messages", check_anthropic, _anthropic_error),
    "xai": Wire("/v1", "/v1/chat/completions", check_xai, _xai_error),
    "deepseek": Wire("/v1", "/v1/chat/completions", check_deepseek, _openai_error),
    "gemini": Wire("/v1", "/v1/chat/completions", check_gemini, _gemini_error),
}
