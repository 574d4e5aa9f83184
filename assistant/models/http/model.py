"""The direct client: one request, one stream of chunks. What is a provider's own is filled in beside it."""

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Mapping
from urllib.parse import urlsplit

from assistant.conversation.chunks import Chunk
from assistant.formats.registry import Formatter, WireRequest
from assistant.models.http.connections import Connections
from assistant.models.http.endpoint import Endpoint
from assistant.models.http.events import EventReader
from assistant.models.http.let_go import let_go
from assistant.models.http.patience import Patience
from assistant.models.http.read import read
from assistant.models.http.reply import Reply
from assistant.ports import Clock, ModelRequest


class DirectModel(ABC):
    """A model behind a provider's HTTP API. The three methods at the end are what providers differ in.

    Args:
        name: as the operator wrote it, "<provider>/<model>".
        base_url: where the API is.
        api_key: None sends none.
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
        self._endpoint = Endpoint(
            self._url(base_url.rstrip("/")),
            self._headers(api_key),
            secret=api_key,
            connections=connections,
            clock=clock,
        )
        # Whoever else is asked, under another name or elsewhere, is not given what this one wants back.
        self._provider = f"{self._model}@{urlsplit(base_url).netloc}"
        self._formatter = formatter
        self._connections = connections
        self._clock = clock

    @property
    def name(self) -> str:
        """As the operator wrote it in the settings."""
        return self._name

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Chunk, None]:
        """Ask, and give the reply chunk by chunk; see the port. Nothing is asked twice here."""
        wire = self._formatter.format(request, self._model, self._provider)
        patience = Patience(self._clock, request.options)
        reply, events = self._reply(wire), EventReader()
        response = await self._endpoint.post(wire.body, patience)
        self._connections.watch.add(response.content, patience)
        try:
            while not reply.done:
                came_in = await read(response, patience, finished=reply.finished)
                came = events.feed(came_in) if came_in else events.close()
                for chunk in reply.take_all(came):
                    yield chunk
                if not came_in:
                    break
                if reply.shows_life(came):
                    patience.renew(finished=reply.finished)
            yield reply.end()
            if reply.done and not response.content.at_eof():
                await let_go(response, self._clock)
        finally:
            self._connections.watch.remove(response.content)
            response.close()  # Cancels what is still under way; a reply read to its end keeps its connection.

    async def close(self) -> None:
        """Give back the connections."""
        await self._connections.close()

    @abstractmethod
    def _url(self, base_url: str) -> str:
        """Where requests go; the base has no slash at its end."""

    @abstractmethod
    def _headers(self, api_key: str | None) -> Mapping[str, str]:
        """What goes with each request, besides what all providers get."""

    @abstractmethod
    def _reply(self, request: WireRequest) -> Reply:
        """What reads the reply to a request."""
