"""Where requests are posted, and what an answer that is no reply means."""

from collections.abc import Mapping
from http import HTTPStatus

import aiohttp

from assistant.errors import ModelBroke, ModelError
from assistant.models.http.connections import Connections
from assistant.models.http.patience import Patience
from assistant.models.http.refusal import refusal
from assistant.ports import Clock

_ERROR_BODY = 8192  # bytes of an error that are read
_ALWAYS = {
    "Content-Type": "application/json",
    "Accept": "text/event-stream",
    # Compressed events would be held back until there is enough to compress.
    "Accept-Encoding": "identity",
}


class Endpoint:
    """One address to which requests go.

    Args:
        url: the address.
        headers: sent with each request, besides those that all share.
        secret: the key in them; never quoted, even when the provider does.
        connections: the pool of connections.
        clock: says when a busy provider's date is.
    """

    def __init__(
        self,
        url: str,
        headers: Mapping[str, str],
        *,
        secret: str | None,
        connections: Connections,
        clock: Clock,
    ) -> None:
        self._url = url
        self._headers = {**_ALWAYS, **headers}
        self._secret = secret
        self._connections = connections
        self._clock = clock

    async def post(self, body: bytes, patience: Patience) -> aiohttp.ClientResponse:
        """Send a request. The answer has begun, with status 200. Raises ``ModelError`` for any other."""
        session = self._connections.session()
        try:
            async with patience.limit():
                response = await session.post(
                    self._url, data=body, headers=self._headers, allow_redirects=False
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
        if self._secret:
            body = body.replace(self._secret.encode(), b"[key]")
        return refusal(response.status, response.headers, body, self._clock.now())
