"""The data folder's lock, which only one process can hold, and its name and secret, made at the first start."""

import os
import platform
import sys
import tempfile
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path

from assistant.errors import DeclarationError
from assistant.store.storage import StorageInUse


@contextmanager
def lock_data_folder(folder: Path) -> Generator[None]:
    """Hold the folder's lock: the file ``lock``, which contains the id of the process that holds it.

    The operating system releases it when the process ends in any way; the file stays.

    Raises:
        StorageInUse: another process holds it.
        DeclarationError: the lock cannot be created here.
    """
    with _opened(folder) as file:
        try:
            lock_file(file)
            file.truncate(0)
            file.write(f"{os.getpid()}\n".encode())
        except BlockingIOError as error:
            raise StorageInUse(
                f"the data folder {str(folder)!r} is in use by {_holder(file)}: stop that one first, "
                "or set ASSISTANT_DATA_DIR to another folder"
            ) from error
        except OSError as error:
            raise _no_lock(folder, error) from error
        try:
            yield
        finally:
            # A process that only reads the file sees that the lock is free.
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
    """The process id in the file; the holder may be just about to write it."""
    with suppress(OSError, ValueError):
        return f"process {int(file.read(20))}"
    return "another process"


if sys.platform == "win32":  # pragma: no cover - other systems never come here
    import msvcrt

    def lock_file(file: FileIO) -> None:
        """Take the file's lock. Raises ``BlockingIOError`` when another process holds it."""
        # A locked byte cannot be read on this system, so a byte far after the number is locked.
        file.seek(1 << 20)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except PermissionError as error:
            raise BlockingIOError from error
        finally:
            file.seek(0)
else:
    import fcntl

    def lock_file(file: FileIO) -> None:
        """Take the file's lock. Raises ``BlockingIOError`` when another process holds it."""
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


_RESTORE_OR_REMOVE = "restore it from a backup, or remove it: then each visitor counts as a new one"


def load_or_make_secret(data_dir: Path, make: Callable[[], str]) -> str:
    """Read the secret that signs tokens, or make one that only its owner can read.

    Processes that start at the same time get the same secret: the file is either complete or absent.

    Args:
        data_dir: created if it does not exist; the secret is the file ``secret`` in it.
        make: makes a new secret; called only if there is none yet.

    Raises:
        DeclarationError: the file cannot be read or created, or is empty or damaged.
    """
    file = data_dir / "secret"
    try:
        if not file.exists():
            data_dir.mkdir(parents=True, exist_ok=True)
            _write_unless_there(file, make())
        secret = file.read_text(encoding="utf-8").strip()
    except OSError as error:
        raise DeclarationError(f"{file} cannot be kept: {error}; is ASSISTANT_DATA_DIR right?") from error
    except UnicodeDecodeError as error:
        raise DeclarationError(f"{file} is not text, so it is damaged; {_RESTORE_OR_REMOVE}") from error
    if not secret:
        raise DeclarationError(f"{file} is empty; {_RESTORE_OR_REMOVE}")
    return secret


def replace_secret(data_dir: Path, before: str, after: str) -> None:
    """Write another secret into its file. A process that reads the file meanwhile gets either the old secret
    or the new one.

    Raises ``DeclarationError`` if the file has another content than ``before``, or cannot be written.
    """
    file = data_dir / "secret"
    if read_secret(data_dir) != before:
        raise DeclarationError("the secret was changed at the same moment: look at it, and try again")
    try:
        with tempfile.NamedTemporaryFile(
            "w", dir=data_dir, prefix=".secret-", encoding="utf-8", delete=False
        ) as draft:
            draft.write(f"{after}\n")
            draft.flush()
            os.fsync(draft.fileno())
        Path(draft.name).replace(file)
    except OSError as error:
        raise DeclarationError(f"{file} cannot be written: {error}") from error


def read_secret(data_dir: Path) -> str | None:
    """The secret of a data folder; None if it has none. Raises ``DeclarationError`` if it cannot be read."""
    if not (data_dir / "secret").is_file():
        return None
    return load_or_make_secret(data_dir, lambda: "")


def place_of(folder: Path, make: Callable[[], str]) -> str:
    """The name of a data folder, different on each machine: the machine's name and an id.

    It is stored in the file ``place``, so it stays if the machine gets another name, as containers do. Without
    a folder, or if it cannot be written, it is the machine's name alone.

    Args:
        folder: is not created.
        make: makes the id; called only if there is none yet.
    """
    file, machine = folder / "place", platform.node()
    try:
        if not file.exists():
            _write_unless_there(file, f"{machine}-{make()[-8:]}")
        return file.read_text(encoding="utf-8").strip() or machine
    except OSError:
        return machine


def _write_unless_there(file: Path, text: str) -> None:
    """Write the file, unless another process was faster."""
    draft_name = f".{file.name}-"
    with tempfile.NamedTemporaryFile("w", dir=file.parent, prefix=draft_name, encoding="utf-8") as draft:
        draft.write(f"{text}\n")
        draft.flush()
        os.fsync(draft.fileno())
        with suppress(FileExistsError):
            # Linking is atomic and, unlike renaming, never replaces an existing file.
            os.link(draft.name, file)
