"""Opens all that is kept of customers, for a command that an operator runs."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from assistant.assembly.customer_data import CustomerData
from assistant.assembly.library import library_in
from assistant.assembly.receipts import receipts_in
from assistant.clock import SystemClock
from assistant.errors import DeclarationError
from assistant.settings import Settings
from assistant.store.sqlite_log import SqliteLog


@asynccontextmanager
async def customer_data_in(settings: Settings) -> AsyncGenerator[CustomerData]:
    """What is kept of customers in the data folder, and where its documents are.

    Raises ``DeclarationError`` when there is nothing, or a setting is wrong.
    """
    log = log_in(settings)
    clock = SystemClock(settings.time_zone)
    async with AsyncExitStack() as in_the_end:  # last come, first closed
        entries = SqliteLog(log)
        in_the_end.push_async_callback(entries.close)
        library = await in_the_end.enter_async_context(library_in(settings, entries, clock))
        yield CustomerData(
            log=entries,
            library=library,
            clock=clock,
            folder=settings.data_dir,
            receipts=receipts_in(settings.data_dir),
        )


def log_in(settings: Settings) -> Path:
    """The log of the data folder. Raises ``DeclarationError`` when there is none: nothing is made for looking."""
    log = settings.data_dir / "log.db"
    if not log.is_file():
        raise DeclarationError(f"there is no {log}: is ASSISTANT_DATA_DIR right, and has it served before?")
    return log
