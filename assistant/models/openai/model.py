"""The direct client: one request, one stream of chunks."""

from collections.abc import AsyncGenerator
from http import HTTPStatus

import aiohttp

from assistant.conversation.chunks import Chunk
from assistant.errors import ModelBroke, ModelError
from assistant.formats.formatter import Formatter, WireRequest
from assistant.models.http.connections import Connections
from assistant.models.http.events import EventReader
from assistant.models.http.patience import Patience
from assistant.models.http.refusal import refusal
from assistant.models.openai.reply import Reply
from assistant.ports import Clock, ModelRequest

_ERROR_BODY = 8192  # bytes of an error that are read
_REST_S = 0.1  # for the end of an answer whose last event has come


class OpenAIModel:
    """A model behind OpenAI's chat completions, or behind a server that speaks them.

    Args:
        name: as the operator wrote it, "openai/<model>".
        base_url: where the API is, such as "https://api.openai.com/v1".
        api_key: sent as bearer token; None sends none.
        formatter: writes the requests.
        connections: the pool of connections, shared with other models.
        clock: measures the time-outs.
    """

    def __init__(
        self,
        name: str,
        *,
        base_url: str,
        api_key: str | None,
        formatter: Formatter,
        connections: Connections,
        clock: Clock,
    ) -> None:
        self._name = name
        self._model = name.partition("/")[2] or name
        self._url = f"{base_url.rstrip('/')}/chat/completions"
        self._headers = {"Content-Type": "application/json", "Accept": "text/event-stream"}
        # Compressed events would be held back until there is enough to compress.
        self._headers["Accept-Encoding"] = "identity"
        if api_key:
            self._headers["Authorization"] = f"Bearer {api_key}"
        self._api_key = api_key
        self._formatter = formatter
        self._connections = connections
        self._clock = clock

    @property
    def name(self) -> str:
        """As the operator wrote it in the settings."""
        return self._name

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Chunk, None]:
        """Ask, and give the reply chunk by chunk; see the port. Nothing is asked twice here."""
        wire = self._formatter.format(request, self._model)
        patience = Patience(self._clock, request.options)
        reply, events = Reply(wire), EventReader()
        response = await self._ask(wire, patience)
        self._connections.watch.add(response.content, patience)
        try:
            while not reply.done:
                read = await _read(response, patience, reply)
                came = events.feed(read) if read else events.close()
                for chunk in reply.take_all(came):
                    yield chunk
                if not read:
                    break
                if came:
                    patience.renew(finished=reply.finished)
            yield reply.end()
            if reply.done and not response.content.at_eof():
                await self._let_go(response)
        finally:
            self._connections.watch.remove(response.content)
            response.close()  # Cancels what is still under way; a reply read to its end keeps its connection.

    async def close(self) -> None:
        """Give back the connections."""
        await self._connections.close()

    async def _ask(self, wire: WireRequest, patience: Patience) -> aiohttp.ClientResponse:
        """Send the request. The answer has begun, with status 200. Raises ``ModelError`` for any other."""
        session = self._connections.session()
        try:
            async with patience.limit():
                response = await session.post(
                    self._url, data=wire.body, headers=self._headers, allow_redirects=False
                )
        except TimeoutError as error:
            raise patience.lost() from error
        except (aiohttp.ClientError, OSError) as error:
            raise ModelBroke(f"cannot reach {self._url}: {error}") from error
        if response.status != HTTPStatus.OK:
            raise await self._refusal(response, patience)
        return response

    async def _refusal(self, response: aiohttp.ClientResponse, patience: Patience) -> ModelError:
        """The error for an answer that is no reply. Its status alone will do when the body does not come."""
        body = b""
        try:
            async with patience.limit():
                while len(body) < _ERROR_BODY and not response.content.at_eof():
                    body += await response.content.readany()
        except (TimeoutError, aiohttp.ClientError, OSError):
            pass
        finally:
            response.close()
        if self._api_key:
            body = body.replace(self._api_key.encode(), b"[key]")
        return refusal(response.status, response.headers, body, self._clock.now())

    async def _let_go(self, response: aiohttp.ClientResponse) -> None:
        """Wait a moment for the end of the answer: only then can its connection be used again."""
        try:
            async with self._clock.timeout(_REST_S):
                while not response.content.at_eof():
                    await response.content.readany()
        except (TimeoutError, aiohttp.ClientError, OSError):
            pass


async def _read(response: aiohttp.ClientResponse, patience: Patience, reply: Reply) -> bytes:
    """Whatever has come; empty at the end of the stream. Once the reply has finished, nothing is an error."""
    patience.waiting = True  # The watch raises TimeoutError here when it takes too long.
    try:
        if not reply.finished:
            return await response.content.readany()
        async with patience.limit():
            return await response.content.readany()
    except TimeoutError as error:
        if reply.finished:
            return b""
        raise patience.lost() from error
    except (aiohttp.ClientError, OSError) as error:
        if reply.finished:
            return b""
        raise ModelBroke(f"the connection broke: {error}") from error
    finally:
        patience.waiting = False
