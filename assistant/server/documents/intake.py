"""Takes files in: of these kinds, so large, so many at once; whole or not at all."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Generator
from contextlib import contextmanager
from typing import Protocol

import structlog
from starlette.requests import Request

from assistant.errors import DocumentRefused
from assistant.ports import Clock
from assistant.server.documents.names import ending_of
from assistant.server.documents.refusal import Refusal

AT_ONCE = 16
"""So many files may be on their way in: each stands in memory until its text is read."""

PATIENCE_S = 120.0
"""A file that takes longer to come is given up."""

AT_A_TIME = 2
"""So many are being read at a time: each may take a core of the machine for a while."""

log: structlog.stdlib.BoundLogger = structlog.get_logger(__name__)


class Text(Protocol):
    """What is read out of a file."""

    @property
    def title(self) -> str:
        """What the file calls itself."""
        ...

    @property
    def text(self) -> str:
        """All of it."""
        ...

    @property
    def mime(self) -> str:
        """The kind of file that it was."""
        ...


class Intake:
    """Takes files in. Nothing of one is kept before it is there whole, and readable.

    Args:
        read: gives the text of a file, by its name and content; raises ``DocumentRefused``.
        endings: the kinds of files that it reads, such as ``.pdf``.
        most_bytes: the largest.
        clock: measures how long one takes.
    """

    def __init__(
        self,
        read: Callable[[str, bytes], Awaitable[Text]],
        endings: Collection[str],
        most_bytes: int,
        clock: Clock,
    ) -> None:
        self.endings, self.most_bytes = tuple(sorted(endings)), most_bytes
        self._read, self._clock = read, clock
        self._coming = 0
        self._reading = asyncio.Semaphore(AT_A_TIME)

    async def take(self, request: Request, name: str) -> tuple[Text, int]:
        """A file's text and its size in bytes.

        Raises:
            Refusal: 415 its kind, 413 its size, 408 its pace, 422 its content, 503 too many others.
            ClientDisconnect: whoever sent it has gone before its end.
        """
        self.check(name, request.headers.get("content-length"))
        with self.place():
            try:
                async with self._clock.timeout(PATIENCE_S):
                    content = await self._receive(request, name)
            except TimeoutError as error:
                problem = f"{name!r} took longer than {PATIENCE_S:.0f} seconds; send it over a faster line"
                raise Refusal(408, "too_slow", problem) from error
            return await self._text_of(name, content), len(content)

    def check(self, name: str, length: str | None) -> None:
        """Refuse at once what its name and its announced size tell enough of. Raises ``Refusal``."""
        ending = ending_of(name)
        if ending not in self.endings:
            known = ", ".join(self.endings)
            raise Refusal(415, "unknown_kind", f"files like {name!r} cannot be read; these can: {known}")
        if length is not None and length.isdecimal() and int(length) > self.most_bytes:
            raise self._too_large(name, f"has {int(length)} bytes")

    @contextmanager
    def place(self) -> Generator[None]:
        """One of the places for files that are on their way in. Raises ``Refusal`` where all are taken."""
        if self._coming >= AT_ONCE:
            problem = f"{AT_ONCE} files are on their way in already; try again in a moment"
            raise Refusal(503, "busy", problem, **{"Retry-After": "5"})
        self._coming += 1
        try:
            yield
        finally:
            self._coming -= 1

    async def _receive(self, request: Request, name: str) -> bytes:
        content = bytearray()
        async for piece in request.stream():
            content += piece
            if len(content) > self.most_bytes:
                raise self._too_large(name, f"has more than {self.most_bytes} bytes")
        return bytes(content)

    def _too_large(self, name: str, size: str) -> Refusal:
        return Refusal(413, "too_large", f"{name!r} {size}; at most {self.most_bytes} are taken")

    async def _text_of(self, name: str, content: bytes) -> Text:
        try:
            async with self._reading:
                read = await self._read(name, content)
        except DocumentRefused as error:
            raise Refusal(422, "unreadable", str(error)) from error
        except Exception as error:
            # Somebody made this file, perhaps to see what happens. What it says is not for the log.
            log.warning("a file broke its reader", ending=ending_of(name), error=type(error).__name__)
            raise Refusal(422, "unreadable", f"{name!r} cannot be read; is it whole?") from error
        if not read.text.strip():
            raise Refusal(422, "unreadable", f"there is no text in {name!r}; scanned pages cannot be read")
        return read
