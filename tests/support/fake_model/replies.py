"""The replies of a fake provider server: streams with pauses and faults, or errors in the provider's format."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Literal, TypeAlias

from assistant.conversation.values import Json
from assistant.formats.json_text import json_bytes
from tests.support.fake_model.anthropic_request_checks import check_anthropic
from tests.support.fake_model.openai_request_checks import (
    check_deepseek,
    check_gemini,
    check_openai,
    check_xai,
)
from tests.support.fake_model.request_checks import BadRequest, Received
from tests.support.fake_model.responses_request_checks import check_responses

Provider: TypeAlias = Literal["openai", "openai-responses", "anthropic", "xai", "deepseek", "gemini"]

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
    """The protocol of a provider.

    ``base`` is the path of its API, ``path`` is where requests go. ``check`` raises ``BadRequest`` for a
    request that the provider refuses. ``error`` makes the body of the answer to such a request.
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
    "openai-responses": Wire("/v1", "/v1/responses", check_responses, _openai_error),
    "anthropic": Wire("", "/v1/messages", check_anthropic, _anthropic_error),
    "xai": Wire("/v1", "/v1/chat/completions", check_xai, _xai_error),
    "deepseek": Wire("/v1", "/v1/chat/completions", check_deepseek, _openai_error),
    "gemini": Wire("/v1", "/v1/chat/completions", check_gemini, _gemini_error),
}


class Fault(Enum):
    """A fault in the middle of a stream."""

    STALL = "nothing comes any more, until the client hangs up"
    CUT = "the connection is cut off"


@dataclass(frozen=True, slots=True)
class Wait:
    """A pause of the stream, measured by the server's clock."""

    seconds: float


Step: TypeAlias = bytes | Wait | Fault


@dataclass(frozen=True, slots=True)
class Streams:
    """Status 200, then the bytes of each step in a separate write.

    ``ends``: the answer ends properly; else the connection stays open without the end of the answer.
    """

    steps: Sequence[Step]
    content_type: str = "text/event-stream"
    ends: bool = True


@dataclass(frozen=True, slots=True)
class Refuses:
    """Any other status. If the body is None, it never arrives."""

    status: int
    body: bytes | None = b"{}"
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


Reply: TypeAlias = Streams | Refuses


def streams(*steps: Step | Sequence[Step]) -> Streams:
    """A reply made of steps and of lists of steps."""
    flat: list[Step] = []
    for step in steps:
        if isinstance(step, (bytes, Wait, Fault)):
            flat.append(step)
        else:
            flat += step
    return Streams(flat)


def refuses(
    status: int,
    message: str = "no",
    *,
    code: str | None = None,
    provider: Provider = "openai",
    **headers: str,
) -> Refuses:
    """An error in the provider's format. ``retry_after="2"`` becomes the header ``retry-after``."""
    told = WIRES[provider].error(BadRequest(message, status=status, code=code))
    return Refuses(
        status, json_bytes(told), {name.replace("_", "-"): value for name, value in headers.items()}
    )
