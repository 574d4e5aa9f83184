"""The optional driver asyncpg: Protocols for the parts that we use, and the function that loads it."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from importlib import import_module
from typing import Literal, Protocol, TypeAlias, cast

from assistant.errors import DeclarationError

Value: TypeAlias = str | int | float | bytes | Sequence[str | None] | Sequence[int] | Sequence[bytes] | None
Row: TypeAlias = Mapping[str, object]


class Connection(Protocol):
    """One connection, used by one task at a time."""

    async def execute(self, query: str, *values: Value) -> str:
        """Run a statement, or several if there are no values."""
        ...

    async def executemany(self, command: str, args: Iterable[Sequence[Value]]) -> None:
        """Run a statement once for each set of values, in as few round trips as possible."""
        ...

    async def fetch(self, query: str, *values: Value) -> list[Row]:
        """The rows of a query."""
        ...

    async def fetchrow(self, query: str, *values: Value) -> Row | None:
        """The first row; None if there is none."""
        ...

    async def fetchval(self, query: str, *values: Value) -> object:
        """The first column of the first row; None if there is none."""
        ...

    def transaction(self, *, readonly: bool = False) -> AbstractAsyncContextManager[None]:
        """A block whose changes are stored completely, or not at all."""
        ...

    def terminate(self) -> None:
        """Close the connection immediately."""
        ...

    async def add_listener(self, channel: str, callback: Callable[[object, int, str, str], None]) -> None:
        """Call the listener with connection, process, channel and payload of each notification."""
        ...

    async def remove_listener(self, channel: str, callback: Callable[[object, int, str, str], None]) -> None:
        """Remove the listener."""
        ...

    async def set_type_codec(
        self,
        typename: str,
        *,
        schema: str,
        encoder: Callable[[bytes], bytes],
        decoder: Callable[[bytes], bytes],
        format: Literal["binary"],  # noqa: A002 - asyncpg's name
    ) -> None:
        """Set the encoding of a type's values on the connection."""
        ...


class Pool(Protocol):
    """Connections that are opened when needed, and reused."""

    def acquire(self, *, timeout: float) -> AbstractAsyncContextManager[Connection]:
        """A connection for the duration of the block."""
        ...

    async def close(self) -> None:
        """Wait until all connections are returned, and close them."""
        ...

    def terminate(self) -> None:
        """Close all connections immediately."""
        ...


class Driver(Protocol):
    """The package itself."""

    PostgresError: type[Exception]
    InterfaceError: type[Exception]
    InternalClientError: type[Exception]

    async def create_pool(
        self,
        dsn: str,
        *,
        min_size: int,
        max_size: int,
        timeout: float,
        command_timeout: float,
        server_settings: Mapping[str, str],
        init: Callable[[Connection], Awaitable[None]],
        reset: Callable[[Connection], Awaitable[None]],
    ) -> Pool:
        """Create a pool; ``init`` is called with each new connection, ``reset`` with each returned connection."""
        ...


def load_asyncpg(package: str = "asyncpg") -> Driver:
    """The package. Raises ``DeclarationError`` if it is not installed."""
    try:
        return cast("Driver", import_module(package))
    except ImportError as error:
        raise DeclarationError(
            "a PostgreSQL database needs one more package: pip install 'meanwhile-assistant[postgres]'"
        ) from error
