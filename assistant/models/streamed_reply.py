"""Reads one streamed reply: turns a provider's events into our chunks, and its refusals into our errors. It
uses no socket and no clock.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

import orjson

from assistant.conversation.chunks import Chunk, StreamEnded, TextDelta
from assistant.errors import ModelBroke, ModelBusy, ModelError, ModelRefused
from assistant.resilience import retry_after_s


class Reply(ABC):
    """Reads one reply from its first event to its last.

    ``finished`` is True if the provider has sent the reason of the end; only the token count may follow.
    ``done`` is True if no event follows.
    """

    __slots__ = ("done", "finished")

    def __init__(self) -> None:
        self.done = False
        self.finished = False

    def read_events(self, events: Iterable[bytes]) -> Iterator[Chunk]:
        """Yields the chunks for events that arrived together. Consecutive text is joined into one chunk.

        Raises ``ModelBroke`` for an unreadable event, and the error that an event reports. Chunks of the
        events before it come first.
        """
        text = ""
        failure: ModelError | None = None
        for event in events:
            try:
                found = self._found(event)
            except ModelError as error:
                failure = error
                break
            if isinstance(found, str):
                text += found
                continue
            for chunk in found:
                if isinstance(chunk, TextDelta):
                    text += chunk.text
                    continue
                if text:
                    yield TextDelta(text)
                    text = ""
                yield chunk
        if text:
            yield TextDelta(text)
        if failure is not None:
            raise failure

    @abstractmethod
    def end(self) -> StreamEnded:
        """Returns the last chunk. Raises ``ModelBroke`` if the stream ended before the reply did."""

    @abstractmethod
    def _read(self, event: bytes) -> str | list[Chunk]:
        """Read one event.

        Returns its text if it contains nothing else, which is the usual case; otherwise its chunks.
        """

    def _found(self, event: bytes) -> str | list[Chunk]:
        try:
            return self._read(event)
        except ModelError:
            raise
        except Exception as error:
            # An event with an unexpected structure leads to various exceptions.
            raise ModelBroke(f"an event of the stream cannot be read: {error!r}") from error


@dataclass(frozen=True, slots=True)
class Usage:
    """The usage of one reply. None means that the provider does not report a value. ``cached_tokens`` are
    part of ``input_tokens``.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    cost_usd: float | None = None


_SHOWN = 300  # characters of a provider's message
_BUSY = frozenset({429, 503, 529})
_BROKEN = frozenset({408, 409, 425})
_BUSY_IN_STREAM = {*map(str, _BUSY), "overloaded_error", "rate_limit_error", "rate_limit_exceeded"}
_REFUSED_IN_STREAM = {"authentication_error", "billing_error", "invalid_request_error", "permission_error"}
_KEY = re.compile(r"\b(?:sk|xai|gsk|key)-[\w.*-]{4,}")


def refusal(status: int, headers: Mapping[str, str], body: bytes, now: datetime) -> ModelError:
    """Returns the error for an answer with a status other than 200.

    The error is a ``ModelBusy`` if a later request may succeed, a ``ModelBroke`` for a server error, and a
    ``ModelRefused`` for anything else. Keys are removed from the quoted text.
    """
    error = _parsed(body)
    told = f"the provider answered {status}: {_message(error) or 'no reason given'}"
    if status == 429 and _field(error, "code") == "insufficient_quota":
        return ModelRefused(told)  # The account has no credit, so waiting does not help.
    if status in _BUSY:
        return ModelBusy(told, retry_after_s=retry_after_s(headers, now))
    if status >= 500 or status in _BROKEN:
        return ModelBroke(told)
    return ModelRefused(told)


def error_in_stream(error: object) -> ModelError:
    """Returns the error for an error event in the middle of a reply."""
    told = f"the provider broke off: {_message(error) or 'no reason given'}"
    kinds = {str(_field(error, "type")), str(_field(error, "code"))}
    if kinds & _BUSY_IN_STREAM:
        return ModelBusy(told)
    return ModelRefused(told) if kinds & _REFUSED_IN_STREAM else ModelBroke(told)


def _parsed(body: bytes) -> object:
    """Returns the part of an error's body with the description, for all usual structures."""
    try:
        told = _first(orjson.loads(body))
    except orjson.JSONDecodeError:
        return body.decode(errors="replace")
    for key in ("error", "detail"):
        told = _field(told, key) or told
    return told


def _first(told: object) -> object:
    """Returns the value, or the first item of a list: Gemini's OpenAI-compatible API returns errors in a
    list.
    """
    if isinstance(told, list) and (listed := cast("list[object]", told)):
        return listed[0]
    return cast("object", told)


def _message(error: object) -> str:
    message = _field(error, "message") or error
    text = message if isinstance(message, str) else orjson.dumps(message).decode()
    return _KEY.sub("[key]", " ".join(text.split()))[:_SHOWN]


def _field(error: object, key: str) -> Any:
    return cast("dict[str, Any]", error).get(key) if isinstance(error, dict) else None
