"""A model of a provider for which we have no client, through litellm."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Literal, TypeVar
from urllib.parse import urlsplit

import orjson
import structlog

from assistant.conversation.chunks import Chunk, StreamEnded, TextDelta
from assistant.errors import ModelError, ModelRefused
from assistant.formats.openai import OF_CALLS, OF_MESSAGES
from assistant.formats.registry import Formatter, WireRequest
from assistant.models.http_client import ReplyTimeout
from assistant.models.litellm_library import (
    Delta,
    Library,
    LitellmChunk,
    LitellmUsage,
    Stream,
    ToolCallDelta,
    load,
    model_error,
)
from assistant.models.openai import OpaqueFields, OpenCalls
from assistant.models.providers import secrets_in
from assistant.models.streamed_reply import Usage
from assistant.ports import Clock, ModelRequest

log = structlog.get_logger(__name__)

T = TypeVar("T")


class LitellmModel:
    """A model of any provider that litellm supports.

    litellm is imported when the model is warmed or first asked.

    Args:
        name: the name in the settings.
        model: litellm's name of the model.
        formatter: writes the requests in OpenAI's format.
        clock: measures the timeouts.
        environ: the variables with keys and addresses for litellm.
        api_base: the address of the API; by default litellm chooses it.
        api_key: a key to use instead of the one in the environment.
        load: imports litellm.
    """

    def __init__(
        self,
        name: str,
        *,
        model: str,
        formatter: Formatter,
        clock: Clock,
        environ: Mapping[str, str],
        api_base: str | None = None,
        api_key: str | None = None,
        load: Callable[[Mapping[str, str]], Awaitable[Library]] = load,
    ) -> None:
        self._name = name
        self._model = model
        # Opaque fields are returned only to the same model at the same address.
        self._provider = f"{model}@{urlsplit(api_base).netloc if api_base else 'litellm'}"
        self._formatter = formatter
        self._clock = clock
        self._environ = environ
        self._api_base = api_base
        self._api_key = api_key
        self._secrets = secrets_in(environ).union([api_key] if api_key else ())
        self._load = load
        self._litellm: Library | None = None
        self.problem: str | None = None

    @property
    def name(self) -> str:
        """The name in the settings."""
        return self._name

    async def warm(self) -> None:
        """Load litellm, and check that it knows the model.

        If not, the reason is in ``problem`` and in the log.
        """
        try:
            await self._ready()
        except ModelRefused as error:
            log.error("model cannot be asked", model=self._name, why=str(error))
            return
        if (
            self._litellm is not None
            and (missing := self._litellm.missing(self._model))
            and not self._api_key
        ):
            log.warning("model may lack a key", model=self._name, not_set=", ".join(missing))

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Chunk, None]:
        """Send the request and yield the reply chunk by chunk; see the port. It does not retry."""
        litellm = self._litellm or await self._ready()
        wire = self._formatter.format(request, self._model, self._provider)
        timeout, reply = ReplyTimeout(self._clock, request.options), LitellmReply(wire)
        asked = litellm.ask(orjson.loads(wire.body), self._api_base, self._api_key)
        stream = await self._in_time(asked, timeout)
        try:
            while not reply.finished:
                piece = await self._in_time(_next(stream), timeout)
                if piece is None:
                    break
                spoke = False
                for chunk in reply.read_piece(piece):
                    spoke = True
                    yield chunk
                timeout.renew(spoke=spoke, finished=reply.finished)
            yield reply.end(await self._used(stream, litellm, timeout))
        finally:
            await stream.aclose()

    async def close(self) -> None:
        """Does nothing: litellm keeps its connections as long as the process runs."""

    async def _ready(self) -> Library:
        """Load litellm. Raises ``ModelRefused`` if that fails, or if litellm does not know the model."""
        try:
            litellm = await self._load(self._environ)
        except Exception as error:
            self.problem = f"litellm cannot be imported: {error!r}"
            raise ModelRefused(self.problem) from error
        self.problem = litellm.problem(self._model)
        if self.problem is not None:
            raise ModelRefused(self.problem)
        self._litellm = litellm
        return litellm

    async def _in_time(self, waited_for: Awaitable[T], timeout: ReplyTimeout) -> T:
        """Returns the awaited result of litellm. Raises ``ModelError``."""
        try:
            async with timeout.limit():
                return await waited_for
        except TimeoutError as error:
            raise timeout.error() from error
        except Exception as error:
            # Catches the errors of all providers and of litellm; this is the only boundary to its code.
            raise model_error(error, self._clock.now(), self._secrets) from error

    async def _used(self, stream: Stream, litellm: Library, timeout: ReplyTimeout) -> Usage:
        """Returns the token count, which comes after the reply. Errors at this point are ignored."""
        usage = usage_told(stream.chunks)
        if usage is None:
            with suppress(ModelError):
                await self._in_time(_next(stream), timeout)
            usage = usage_told(stream.chunks)
        if usage is None:
            return Usage()
        details = usage.prompt_tokens_details
        told: float | None = getattr(usage, "cost", None)  # Only OpenRouter reports it.
        return Usage(
            input_tokens=usage.prompt_tokens,
            output_tokens=usage.completion_tokens,
            cached_tokens=details.cached_tokens if details is not None else None,
            cost_usd=litellm.cost_usd(self._model, usage) if told is None else told,
        )


async def _next(stream: Stream) -> LitellmChunk | None:
    """Returns the next piece, or None at the end."""
    try:
        return await stream.__anext__()
    except StopAsyncIteration:
        return None


_Reason = Literal["stop", "tool_calls", "length", "refused"]
_REASONS: dict[str, _Reason] = {"length": "length", "content_filter": "refused"}


class LitellmReply:
    """Reads one reply. ``finished`` is True if the reason of its end has arrived, and no more text or calls
    follow.
    """

    __slots__ = ("_calls", "_opaque", "_provider", "_reason", "finished")

    def __init__(self, request: WireRequest) -> None:
        self.finished = False
        self._provider = request.provider
        self._calls = OpenCalls(request)
        self._opaque = OpaqueFields(OF_MESSAGES)
        self._reason: _Reason = "stop"

    def read_piece(self, piece: LitellmChunk) -> Iterator[Chunk]:
        """Yields the chunks of a piece: usually one, sometimes none."""
        for choice in piece.choices:
            delta = choice.delta
            if delta.content:
                yield TextDelta(delta.content)
            else:
                self._opaque.add_fields(_fields(delta, OF_MESSAGES))
            for call in delta.tool_calls or ():
                yield from self._calls.add_delta(_as_sent(call))
            if choice.finish_reason:
                self.finished = True
                self._reason = _REASONS.get(choice.finish_reason, "stop")
                if len(self._calls):
                    yield from self._opaque.as_chunk(self._provider)

    def end(self, used: Usage) -> StreamEnded:
        """Returns the last chunk. Raises ``ModelBroke`` if a call has no name."""
        self._calls.close()
        reason = self._reason
        if reason == "stop" and len(self._calls):
            reason = "tool_calls"
        return StreamEnded(reason, used.input_tokens, used.output_tokens, used.cached_tokens, used.cost_usd)


def usage_told(pieces: Sequence[LitellmChunk]) -> LitellmUsage | None:
    """Returns the provider's token count, from the last pieces, or None if there is none.

    litellm's own estimate is not used.
    """
    for piece in reversed(pieces):
        usage: LitellmUsage | None = getattr(piece, "usage", None)
        if usage is not None:
            return usage
    return None


def _as_sent(call: ToolCallDelta) -> dict[str, object]:
    function = call.function
    return {
        "index": call.index,
        "id": call.id,
        "function": {"name": function.name, "arguments": function.arguments},
        **_fields(call, OF_CALLS),
    }


def _fields(piece: Delta | ToolCallDelta, names: Sequence[str]) -> dict[str, object]:
    """Returns the fields with these names that a piece has. litellm omits fields that the provider did not
    send.
    """
    return {name: value for name in names if (value := getattr(piece, name, None)) is not None}
