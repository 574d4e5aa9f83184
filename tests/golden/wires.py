"""Models whose requests and replies go through a provider's form, without a network.

A script answers through the provider's own client, so that a recorded request is the one that would
have been sent, and a reply is read as the provider would have written it.
"""

from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from contextlib import aclosing
from typing import Any, Final, cast

import aiohttp

from assistant.conversation.chunks import CallNamed, Chunk, Opaque
from assistant.conversation.values import Json
from assistant.errors import ModelError
from assistant.formats.anthropic import AnthropicFormatter
from assistant.formats.openai import OpenAIFormatter
from assistant.formats.openai_variants import GenericFormatter, GrokFormatter
from assistant.formats.registry import Formatter
from assistant.models.anthropic import AnthropicModel
from assistant.models.http_client import Connections, DirectModel
from assistant.models.openai import OpenAIModel, XaiModel
from assistant.models.text_protocol.route import through_text
from assistant.ports import Clock, Model, ModelRequest
from assistant.prompts.book import PromptBook
from assistant.testing.script import Line
from tests.golden.record import Request
from tests.support.fake_model.replies import Provider, Streams
from tests.support.fake_model.scripted_replies import Blocks, on_the_wire
from tests.support.writes_calls import Form, WritesCalls

FORMATTERS: Final[Mapping[str, tuple[Formatter, str]]] = {
    "openai": (OpenAIFormatter(), "gpt-5"),
    "anthropic": (AnthropicFormatter(), "claude"),
    "grok": (GrokFormatter(), "grok-4"),
    "grok-text": (GrokFormatter(calls_as_text=True), "grok-4"),
    "generic": (GenericFormatter(), "gemini/gemini-3-pro"),
}
"""Each formatter by its name, and a model that it writes for."""

_CLIENTS: Final[Mapping[str, tuple[type[DirectModel], Provider, str]]] = {
    "openai": (OpenAIModel, "openai", "https://api.openai.com/v1"),
    "anthropic": (AnthropicModel, "anthropic", "https://api.anthropic.com"),
    "grok": (XaiModel, "xai", "https://api.x.ai/v1"),
    "grok-text": (XaiModel, "xai", "https://api.x.ai/v1"),
}
_TEXT: Final[Mapping[str, Form]] = {
    f"text-{sections}-{calls}": Form(calls, sections)
    for sections in ("markdown", "xml")
    for calls in ("json", "yaml")
}
WIRES: Final = (*FORMATTERS, *_TEXT)
"""Every way from a turn to a provider."""

_THOUGHTS: Final[Mapping[str, Json]] = {
    "anthropic": {"type": "thinking", "thinking": "They want to know.", "signature": "c2lnbmVk"},
    "openai": {"reasoning_content": "They want to know."},
}
"""What a provider thinks before it calls, and wants back with the results."""

Took = Callable[[Request], None]


class EveryForm:
    """Writes each request in the form of every formatter, and lets the script answer.

    Args:
        model: the script.
        clock: dates the requests.
        took: is given each request.
    """

    def __init__(self, model: Model, clock: Callable[[], int], took: Took) -> None:
        self._model, self._clock, self._took = model, clock, took

    @property
    def name(self) -> str:
        """The script's."""
        return self._model.name

    def stream(self, request: ModelRequest) -> AsyncGenerator[Chunk, None]:
        """Write it down, and ask the script."""
        for form, (formatter, model) in FORMATTERS.items():
            body = formatter.format(request, model).body
            self._took(Request(self._clock(), request.role, form, body))
        return self._model.stream(request)

    async def close(self) -> None:
        """Close the script."""
        await self._model.close()


def over(wire: str, script: Model, clock: Clock, book: PromptBook, took: Took) -> Model:
    """The script as a model at the end of that wire, one of ``WIRES``."""
    if (form := _TEXT.get(wire)) is not None:
        told = _OverHttp("openai", WritesCalls(script, form), clock, took, wire)
        return through_text(
            told, render=book.render, secret=b"a secret", calls=form.calls, sections=form.sections
        )
    return _OverHttp(wire, script, clock, took, wire) if wire in _CLIENTS else _Generic(script, clock, took)


class _Generic(EveryForm):
    """Litellm's form alone: its client is litellm's, not ours."""

    def __init__(self, model: Model, clock: Clock, took: Took) -> None:
        def only_generic(request: Request) -> None:
            if request.form == "generic":
                took(request)

        super().__init__(model, lambda: _ms(clock), only_generic)


class _OverHttp:
    """A script behind a provider's client."""

    def __init__(self, name: str, script: Model, clock: Clock, took: Took, form: str) -> None:
        self._name, self._script, self._clock, self._took, self._form = name, script, clock, took, form

    @property
    def name(self) -> str:
        """As an operator would write it."""
        return f"{_CLIENTS[self._name][1]}/{FORMATTERS[self._name][1]}"

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Chunk, None]:
        """Let the client post it, and read what the script would have sent as a stream."""
        kind, provider, url = _CLIENTS[self._name]

        def posted(body: bytes, headers: Mapping[str, str]) -> None:
            self._took(Request(_ms(self._clock), request.role, self._form, body, headers))

        async with aclosing(self._script.stream(request)) as chunks:
            connections = _OneReply(self._clock, _events(chunks, provider), posted)
            client = kind(
                self.name,
                base_url=url,
                api_key="a-key",
                formatter=FORMATTERS[self._name][0],
                connections=connections,
                clock=self._clock,
            )
            try:
                async with aclosing(client.stream(request)) as read:
                    async for chunk in read:
                        yield chunk
            finally:
                connections.watch.close()

    async def close(self) -> None:
        """Close the script."""
        await self._script.close()


async def _events(chunks: AsyncGenerator[Chunk, None], provider: Provider) -> AsyncGenerator[bytes, None]:
    """The server's events for each chunk, at the time of the chunk; a thought is before the first call."""
    blocks, thought = Blocks(), _THOUGHTS.get(provider)
    async for chunk in chunks:
        if isinstance(chunk, CallNamed) and thought is not None:
            yield b"".join(_written(Opaque(provider, thought), provider, blocks))
            thought = None
        yield b"".join(_written(chunk, provider, blocks))


def _written(chunk: Chunk, provider: Provider, blocks: Blocks) -> Iterator[bytes]:
    if provider == "anthropic":
        yield from blocks.take(chunk)
        return
    reply = on_the_wire(Line((chunk,)), provider)
    assert isinstance(reply, Streams)
    yield from (step for step in reply.steps if isinstance(step, bytes))


class _OneReply(Connections):
    """Connections whose one request is answered by these events."""

    def __init__(
        self,
        clock: Clock,
        events: AsyncGenerator[bytes, None],
        posted: Callable[[bytes, Mapping[str, str]], None],
    ) -> None:
        super().__init__(clock)
        self._events, self._posted = events, posted

    def session(self) -> aiohttp.ClientSession:
        """As far as a client needs one."""
        return cast("aiohttp.ClientSession", self)

    async def post(self, url: str, *, data: bytes, headers: Mapping[str, str], **_: Any) -> "_Response":
        """Answer at once; the events come when they come."""
        self._posted(data, {"url": url, **headers})
        return _Response(self._events)


class _Response:
    """An answer of status 200, and its content."""

    status = 200

    def __init__(self, events: AsyncGenerator[bytes, None]) -> None:
        self._events, self._over = events, False
        self.headers: Mapping[str, str] = {}

    @property
    def content(self) -> "_Response":
        """Itself: what it can be asked for is few things."""
        return self

    async def readany(self) -> bytes:
        """The next events. A script that fails is a connection that breaks."""
        try:
            return await anext(self._events)
        except StopAsyncIteration:
            self._over = True
            return b""
        except ModelError as error:
            raise aiohttp.ClientPayloadError(str(error)) from error

    def at_eof(self) -> bool:
        """Whether all has been read."""
        return self._over

    def close(self) -> None:
        """Nothing to close: the caller closes the script."""


def _ms(clock: Clock) -> int:
    return round(clock.monotonic() * 1000)
