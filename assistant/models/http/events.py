"""Server-sent events, put together from bytes as they come."""

from typing import Final

from assistant.errors import ModelBroke, ReplyCut

EVENT_BYTES: Final = 2 * 1024 * 1024
"""The most that one event may contain; a picture is never in one."""

REPLY_BYTES: Final = 16 * 1024 * 1024
"""The most that one reply may contain: some 40,000 tokens, each in an event of 400 bytes."""


class EventReader:
    """Reads the data of events; comments and all other fields are left out."""

    __slots__ = ("_bytes", "_data", "_rest")

    def __init__(self) -> None:
        self._bytes = 0
        self._rest = b""  # a line that has not ended
        self._data: list[bytes] = []  # the data lines of an event that has not ended

    def feed(self, read: bytes) -> list[bytes]:
        r"""Take what was read, however it was cut; give the data of each event that it completes.

        Raises ``ModelBroke`` when an event is larger than ``EVENT_BYTES``, and ``ReplyCut`` when all of them are
        larger than ``REPLY_BYTES``.

        >>> reader = EventReader()
        >>> reader.feed(b": hello\n\ndata: {}\n\nda"), reader.feed(b"ta:[DONE]\r\n\r\n")
        ([b'{}'], [b'[DONE]'])
        """
        self._bytes += len(read)
        if self._bytes > REPLY_BYTES:
            raise ReplyCut(f"more than {REPLY_BYTES} bytes in one reply")
        lines = (self._rest + read if self._rest else read).split(b"\n")
        self._rest = lines.pop()
        if len(self._rest) + sum(map(len, self._data)) > EVENT_BYTES:
            raise ModelBroke(f"an event of the stream did not end within {EVENT_BYTES} bytes")
        events: list[bytes] = []
        for line in lines:
            if line.startswith(b"data:"):
                self._data.append(line[5:].strip())
            elif self._data and (not line or line == b"\r"):
                events.append(self._data[0] if len(self._data) == 1 else b"\n".join(self._data))
                self._data = []
        return events

    def close(self) -> list[bytes]:
        """The data of a last event that the stream's end completed, if there is one."""
        return self.feed(b"\n\n")
