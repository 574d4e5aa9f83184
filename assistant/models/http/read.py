"""The bytes of a reply, as they come, for as long as there is patience."""

import aiohttp

from assistant.errors import ModelBroke
from assistant.models.http.patience import Patience


async def read(response: aiohttp.ClientResponse, patience: Patience, *, finished: bool) -> bytes:
    """Whatever has come; empty at the end of the stream.

    Once the reply has ``finished``, nothing is an error any more. Before, it raises ``ModelTimeout`` when
    nothing comes in time, and ``ModelBroke`` when the connection does.
    """
    patience.waiting = True  # The watch raises TimeoutError here when it takes too long.
    try:
        if not finished:
            return await response.content.readany()
        async with patience.limit():
            return await response.content.readany()
    except TimeoutError as error:
        if finished:
            return b""
        raise patience.lost() from error
    except (aiohttp.ClientError, OSError) as error:
        if finished:
            return b""
        raise ModelBroke(f"the connection broke: {error}") from error
    finally:
        patience.waiting = False
