"""Secrets from the environment or from files, one value or two.

``NAME_FILE`` names a file with the value of ``NAME``. While a secret is replaced it has two values, with a
space or a line break between them; the new one comes first. The first value signs what is sent. Both values
are accepted.
"""

import os
import re
import tempfile
from collections.abc import Collection, Mapping
from pathlib import Path

from pydantic import SecretStr

from assistant.errors import DeclarationError

SUFFIX = "_FILE"

IS_SECRET = re.compile(r"(KEY|KEY_ID|SECRET|TOKEN|PASSWORD|CREDENTIALS?)$")
"""The names of variables that hold secrets, in upper case."""

_OTHERS_FILES = re.compile(r"AWS_(?!ACCESS_KEY_ID$|SECRET_ACCESS_KEY$|SESSION_TOKEN$)|GOOGLE_APPLICATION_")
"""Names whose files another program reads itself."""


def secret_values(given: SecretStr | None) -> tuple[str, ...]:
    """Returns the values of a secret, the new one first, or none if it is not set.

    >>> secret_values(SecretStr("new old")), secret_values(None)
    (('new', 'old'), ())
    """
    return () if given is None else tuple(given.get_secret_value().split())


def read_secret_file(name: str, path: str) -> str:
    """Returns the content of the file that ``NAME_FILE`` names.

    Raises ``DeclarationError``, which does not contain the secret.
    """
    try:
        content = Path(path).read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise DeclarationError(f"{name}{SUFFIX}={path!r}: the file cannot be read: {error}") from error
    if not content:
        raise DeclarationError(f"{name}{SUFFIX}={path!r}: the file is empty")
    return content


def write_secret_file(path: Path, values: Collection[str]) -> None:
    """Replace the content of the file with these values, one on each line. The file keeps its mode.

    Raises ``DeclarationError`` if it cannot be written.
    """
    try:
        with tempfile.NamedTemporaryFile("w", dir=path.parent, encoding="utf-8", delete=False) as draft:
            draft.write("".join(f"{value}\n" for value in values))
            draft.flush()
            os.fsync(draft.fileno())
            os.fchmod(draft.fileno(), path.stat().st_mode & 0o777)
        Path(draft.name).replace(path)
    except OSError as error:
        raise DeclarationError(f"{path} cannot be written: {error}") from error


def from_files(given: Mapping[str, str | None], names: Collection[str], where: str = "") -> dict[str, str]:
    """Returns the values of those of the ``names`` that files hold, by name.

    Args:
        given: variables, among them ``NAME_FILE``.
        names: the secrets that are looked for.
        where: the source of the variables, for error messages.

    Raises:
        DeclarationError: both ``NAME`` and ``NAME_FILE`` are set, or a file cannot be read.
    """
    found = dict[str, str]()
    for name in names:
        if not (path := given.get(f"{name}{SUFFIX}")):
            continue
        if given.get(name):
            raise DeclarationError(f"{where}{name} and {name}{SUFFIX} are set: remove one of them")
        found[name] = read_secret_file(name, path)
    return found


def with_secret_files(given: Mapping[str, str]) -> dict[str, str]:
    """Returns all variables, and the secrets that files hold and that are not set themselves.

    Raises ``DeclarationError`` if a file cannot be read.
    """
    names = (name.removesuffix(SUFFIX) for name in given if name.endswith(SUFFIX))
    ours = [name for name in names if IS_SECRET.search(name.upper()) and not _OTHERS_FILES.match(name)]
    return {**from_files({**given, **dict.fromkeys(ours, None)}, ours), **given}
