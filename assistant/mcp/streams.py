"""The two streams of messages that a session of the SDK runs on."""

import asyncio
from dataclasses import dataclass, field

from mcp.client._transport import ReadStream, WriteStream
from mcp.shared.message import SessionMessage


@dataclass(frozen=True, slots=True, kw_only=True)
class Streams:
    """``gone`` is set when nothing can come any more; ``refused`` when the other side refuses the credential."""

    read: ReadStream[SessionMessage | Exception]
    write: WriteStream[SessionMessage]
    gone: asyncio.Event
    refused: asyncio.Event = field(default_factory=asyncio.Event)
