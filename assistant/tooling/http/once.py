"""Keeps the HTTP client from sending a change a second time of its own accord."""

from typing import TYPE_CHECKING

from aiohttp import ClientConnectorError, ClientError, ClientOSError, ServerDisconnectedError

if TYPE_CHECKING:
    from aiohttp import ClientHandlerType, ClientRequest, ClientResponse


class Unanswered(ClientError):
    """A change went out, and its connection broke before there was an answer."""


async def once(request: "ClientRequest", handler: "ClientHandlerType") -> "ClientResponse":
    """Send it. Raises ``Unanswered`` where the client would try again: PUT and DELETE, on an old connection."""
    try:
        return await handler(request)
    except ClientConnectorError:
        raise
    except (ClientOSError, ServerDisconnectedError) as error:
        raise Unanswered(type(error).__name__) from error
