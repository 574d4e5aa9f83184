"""The one secret that a house keeps: made at the first start, the same ever after."""

import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from assistant.errors import DeclarationError


def load_or_make_secret(data_dir: Path, make: Callable[[], str]) -> str:
    """Read the secret that tokens are signed with, or make it and keep it for its owner's eyes only.

    Processes that start at the same time agree on one: it comes into being whole, or not at all.

    Args:
        data_dir: made when it does not exist; the secret is the file ``secret`` in it.
        make: gives a new one; called only when there is none yet.

    Raises:
        DeclarationError: the file cannot be read or made, or is empty.
    """
    file = data_dir / "secret"
    try:
        if not file.exists():
            data_dir.mkdir(parents=True, exist_ok=True)
            _keep_first(file, make())
        secret = file.read_text(encoding="utf-8").strip()
    except OSError as error:
        raise DeclarationError(f"{file} cannot be kept: {error}; is ASSISTANT_DATA_DIR right?") from error
    if not secret:
        raise DeclarationError(f"{file} is empty: remove it, and every visitor will be taken for a new one")
    return secret


def read_secret(data_dir: Path) -> str:
    """The secret of a data folder that has served before. Raises ``DeclarationError`` when there is none."""

    def missing() -> str:
        raise DeclarationError(f"there is no {data_dir / 'secret'}: is ASSISTANT_DATA_DIR right?")

    return load_or_make_secret(data_dir, missing)


def _keep_first(file: Path, secret: str) -> None:
    """Write the file, unless somebody else was quicker."""
    with tempfile.NamedTemporaryFile("w", dir=file.parent, prefix=".secret-", encoding="utf-8") as draft:
        draft.write(f"{secret}\n")
        draft.flush()
        os.fsync(draft.fileno())
        with suppress(FileExistsError):
            # A link is made whole or not at all, and unlike a renaming never puts a second one over the first.
            os.link(draft.name, file)
