"""Puts the library together: where documents wait, where they are kept, and what finds them."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING

from assistant.assembly.documents import documents_of
from assistant.assembly.embedding import embedder_of
from assistant.conversation.documents import EVERYBODY, Finding
from assistant.memory.library import Library
from assistant.ports import Clock, Log
from assistant.settings import Settings
from assistant.store.write_queue import SqliteWrites

if TYPE_CHECKING:
    from assistant.models.demo.nearness import Passages

_NEAREST = 5


@asynccontextmanager
async def library_in(settings: Settings, log: Log, clock: Clock) -> AsyncGenerator[Library]:
    """The library, which writes nothing yet; see ``Library.start``. Its parts are closed in the end.

    Args:
        settings: where documents are kept, and what finds them.
        log: the log of the same data folder, which is open.
        clock: dates and paces.

    Raises ``DeclarationError`` when a setting is wrong or something is not installed.
    """
    async with AsyncExitStack() as in_the_end:  # last come, first closed
        embedder = await embedder_of(settings, clock)
        queue = SqliteWrites(settings.data_dir / "log.db")
        in_the_end.push_async_callback(queue.close)
        store = documents_of(settings, embedder)
        in_the_end.push_async_callback(store.close)
        library = Library(
            store,
            queue,
            embedder,
            log,
            clock,
            keep_results_days=_shorter(settings.keep_results_days, settings.keep_conversations_days),
            keep_uploads_days=settings.keep_uploads_days,
        )
        in_the_end.push_async_callback(library.close)
        yield library


def passages_of(library: Library, tenant: str) -> "Passages":
    """Finds what the company's own documents say, for the embedded model: it decides by them."""

    async def nearest(question: str) -> list[Finding]:
        return await library.search(tenant, EVERYBODY, question, limit=_NEAREST)

    return nearest


def _shorter(days: int | None, others: int | None) -> int | None:
    """What a tool gave is not kept longer than the conversation in which it did.

    >>> _shorter(90, 30), _shorter(None, 30), _shorter(90, None), _shorter(None, None)
    (30, 30, 90, None)
    """
    return min((each for each in (days, others) if each is not None), default=None)
