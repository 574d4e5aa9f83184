"""One process to a data folder: two would answer the same customers."""

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path

from assistant.errors import DeclarationError


@contextmanager
def sole_use_of(folder: Path) -> Generator[None]:
    """Hold the folder's lock, the file ``lock`` in it, which names the process that holds it.

    The system lets go of it when the process ends, however it ends; the file stays.

    Raises:
        DeclarationError: another process holds it, or there can be none here.
    """
    with _opened(folder) as file:
        try:
            _lock(file)
            file.truncate(0)
            file.write(f"{os.getpid()}\n".encode())
        except BlockingIOError as error:
            raise DeclarationError(
                f"the data folder {str(folder)!r} is in use by {_holder(file)}: stop that one first, "
                "or set ASSISTANT_DATA_DIR to another folder"
            ) from error
        except OSError as error:
            raise _no_lock(folder, error) from error
        try:
            yield
        finally:
            # Nobody holds it any more, also for those who only read it.
            file.truncate(0)


def _opened(folder: Path) -> FileIO:
    try:
        return FileIO(os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o600), "r+")
    except OSError as error:
        raise _no_lock(folder, error) from error


def _no_lock(folder: Path, error: OSError) -> DeclarationError:
    return DeclarationError(
        f"the data folder {str(folder)!r} cannot be locked: {error.strerror}; "
        "set ASSISTANT_DATA_DIR to a folder on this machine that can be written"
    )


def _holder(file: FileIO) -> str:
    """Who has written its number into the file; it may be just about to."""
    with suppress(OSError, ValueError):
        return f"process {int(file.read(20))}"
    return "another process"


if sys.platform == "win32":  # pragma: no cover - other systems never come here
    import msvcrt

    def _lock(file: FileIO) -> None:
        """Take the lock. Raises ``BlockingIOError`` when it is taken."""
        # A locked byte cannot be read there: one far behind the number is locked.
        file.seek(1 << 20)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except PermissionError as error:
            raise BlockingIOError from error
        finally:
            file.seek(0)
else:
    import fcntl

    def _lock(file: FileIO) -> None:
        """Take the lock. Raises ``BlockingIOError`` when it is taken."""
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
