"""Opens the library for a command: beside a server, which then does the writing, or alone."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from assistant.assembly.library import library_in
from assistant.errors import DeclarationError
from assistant.memory.library import Library
from assistant.ports import Clock
from assistant.settings import Settings
from assistant.store.data_folder import sole_use_of
from assistant.store.sqlite_log import SqliteLog


@dataclass(frozen=True, slots=True)
class Open:
    """The library. ``served``: a server has the data folder, and writes what waits."""

    library: Library
    served: bool


@asynccontextmanager
async def opened(settings: Settings, clock: Clock, *, writes: bool = False) -> AsyncGenerator[Open]:
    """The library of the data folder, which is made where there is none.

    With ``writes``, what waits is written by this process, unless a server is there to do it; no server starts
    meanwhile. Raises ``DeclarationError`` when the folder or a setting cannot be used.
    """
    settings.data_dir.mkdir(parents=True, exist_ok=True)
    async with AsyncExitStack() as in_the_end:
        alone = writes and _taken(in_the_end, settings.data_dir)
        log = SqliteLog(settings.data_dir / "log.db")
        in_the_end.push_async_callback(log.close)
        library = await in_the_end.enter_async_context(library_in(settings, log, clock))
        if alone:
            library.start()
        yield Open(library, served=writes and not alone)


def _taken(in_the_end: AsyncExitStack, folder: Path) -> bool:
    """Take the folder's lock; False where a server has it. Raises ``DeclarationError`` where there can be none."""
    try:
        in_the_end.enter_context(sole_use_of(folder))
    except DeclarationError as error:
        if isinstance(error.__cause__, BlockingIOError):
            return False
        raise
    return True
