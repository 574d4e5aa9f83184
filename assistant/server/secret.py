"""The server's secret: made at the first start, read at every later one."""

import os
from collections.abc import Callable
from pathlib import Path

from assistant.errors import DeclarationError


def load_secret(path: Path, make: Callable[[], str]) -> bytes:
    """Read the secret in ``path``; if there is none, ``make`` one and keep it there, readable by its owner.

    Raises ``DeclarationError`` when the file holds less than 32 bytes.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        pass
    else:
        with os.fdopen(file, "w", encoding="ascii") as new:
            new.write(make())
    secret = path.read_bytes().strip()
    if len(secret) < 32:
        raise DeclarationError(
            f"{path}: the secret has {len(secret)} bytes, 32 are needed; remove the file to get a new one"
        )
    return secret
