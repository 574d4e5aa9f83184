"""What litellm raises, as one of our errors. Told apart by what they say, so nothing of it is imported."""

import re
from collections.abc import Collection, Mapping
from datetime import datetime

from assistant.errors import ModelBroke, ModelBusy, ModelError, ModelRefused, ModelTimeout
from assistant.steady.retry_after import retry_after_s

_SHOWN = 300
_BUSY = frozenset({429, 503, 529})
_MAY_PASS = frozenset({408, 409, 425})
_NO_KEY = re.compile(r"missing credentials|unable to locate credentials|no api.?key", re.IGNORECASE)
_OBJECT = re.compile(r" ssl:<[^>]*>")
_KEY = re.compile(r"\b(?:sk|xai|gsk|key|AIza)[-_]?[\w.*-]{8,}")


def model_error(error: Exception, now: datetime, secrets: Collection[str] = ()) -> ModelError:
    """The error for whatever came out of litellm; ``secrets`` are never quoted in it.

    ``ModelBusy`` where asking later helps, with what the provider asked for; ``ModelTimeout`` for one of its
    own time-outs; ``ModelRefused`` for what asking again will not mend; for all the rest ``ModelBroke``.
    """
    cause = getattr(error, "original_exception", None)
    if isinstance(cause, Exception):
        error = cause  # It wraps what happens after the first piece.
    told, status = _told(error, secrets), _status(error)
    if type(error).__name__ == "Timeout":
        return ModelTimeout(told)
    if _NO_KEY.search(told):
        return ModelRefused(told)  # Nothing was sent, whatever status it has been given.
    if status == 429 and "insufficient_quota" in str(error):
        return ModelRefused(told)  # Waiting will not fill the account.
    if status in _BUSY:
        return ModelBusy(told, retry_after_s=retry_after_s(_headers(error), now))
    if status is None or status >= 500 or status in _MAY_PASS:
        return ModelBroke(told)
    return ModelRefused(told)


def _told(error: Exception, secrets: Collection[str]) -> str:
    """What it says, on one line, without keys and without the names of its own classes and objects."""
    message = str(getattr(error, "message", "") or error) or type(error).__name__
    for secret in secrets:
        message = message.replace(secret, "[key]")
    message = _OBJECT.sub("", re.sub(r"litellm\.\w+: ", "", " ".join(message.split())))
    return _KEY.sub("[key]", message)[:_SHOWN]


def _status(error: Exception) -> int | None:
    status = getattr(error, "status_code", None)
    try:
        return int(status) if status is not None else None
    except (TypeError, ValueError):
        return None


def _headers(error: Exception) -> Mapping[str, str]:
    """The headers of the provider's answer, wherever they were put."""
    for place in (error, getattr(error, "response", None)):
        for name in ("litellm_response_headers", "headers"):
            headers = getattr(place, name, None)
            if headers:
                return headers
    return {}
