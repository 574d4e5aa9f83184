"""What a provider says instead of a reply, as one of our errors."""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any, cast

import orjson

from assistant.errors import ModelBroke, ModelBusy, ModelError, ModelRefused
from assistant.steady.retry_after import retry_after_s

_SHOWN = 300  # characters of a provider's message
_BUSY = frozenset({429, 503, 529})
_BROKEN = frozenset({408, 409, 425})
_BUSY_IN_STREAM = {*map(str, _BUSY), "overloaded_error", "rate_limit_error", "rate_limit_exceeded"}
_REFUSED_IN_STREAM = {"authentication_error", "billing_error", "invalid_request_error", "permission_error"}
_KEY = re.compile(r"\b(?:sk|xai|gsk|key)-[\w.*-]{4,}")


def refusal(status: int, headers: Mapping[str, str], body: bytes, now: datetime) -> ModelError:
    """The error for an answer with any status but 200.

    ``ModelBusy`` where asking later helps, ``ModelBroke`` where the server is at fault, for the rest
    ``ModelRefused``. Keys that the provider quotes are left out.
    """
    error = _parsed(body)
    told = f"the provider answered {status}: {_message(error) or 'no reason given'}"
    if status == 429 and _field(error, "code") == "insufficient_quota":
        return ModelRefused(told)  # Waiting will not fill the account.
    if status in _BUSY:
        return ModelBusy(told, retry_after_s=retry_after_s(headers, now))
    if status >= 500 or status in _BROKEN:
        return ModelBroke(told)
    return ModelRefused(told)


def error_in_stream(error: object) -> ModelError:
    """The error for one that came as an event, after the reply had begun."""
    told = f"the provider broke off: {_message(error) or 'no reason given'}"
    kinds = {str(_field(error, "type")), str(_field(error, "code"))}
    if kinds & _BUSY_IN_STREAM:
        return ModelBusy(told)
    return ModelRefused(told) if kinds & _REFUSED_IN_STREAM else ModelBroke(told)


def _parsed(body: bytes) -> object:
    """The part of an error's body that tells of it, whichever of the usual shapes it has."""
    try:
        told = _first(orjson.loads(body))
    except orjson.JSONDecodeError:
        return body.decode(errors="replace")
    for key in ("error", "detail"):
        told = _field(told, key) or told
    return told


def _first(told: object) -> object:
    """What is told, or the first of it: Gemini's, where it speaks as OpenAI does, is a list."""
    if isinstance(told, list) and (listed := cast("list[object]", told)):
        return listed[0]
    return cast("object", told)


def _message(error: object) -> str:
    message = _field(error, "message") or error
    text = message if isinstance(message, str) else orjson.dumps(message).decode()
    return _KEY.sub("[key]", " ".join(text.split()))[:_SHOWN]


def _field(error: object, key: str) -> Any:
    return cast("dict[str, Any]", error).get(key) if isinstance(error, dict) else None
