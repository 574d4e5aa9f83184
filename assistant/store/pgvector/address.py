"""Reads the address of a database, and shows it without its password."""

from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlsplit

from assistant.errors import DeclarationError

SCHEMES = ("postgresql", "postgres")
_EXAMPLE = "postgresql://user:password@host:5432/database"


@dataclass(frozen=True, slots=True)
class Address:
    """Where a database is. ``whole`` has the password and is shown nowhere; ``shown`` is for people."""

    whole: str = field(repr=False)
    shown: str


def read_address(written: str) -> Address:
    """The address as it stands in the settings.

    >>> read_address("postgresql://shop:secret@db.example/documents").shown
    'postgresql://db.example/documents'

    Raises:
        DeclarationError: it is none. The error does not repeat it.
    """
    try:
        parts = urlsplit(written)
        port = parts.port
    except ValueError:
        raise _unreadable() from None  # what it says may be a piece of the password
    # The rest of a password with such a sign in it would be taken for the database's name, and be shown.
    if parts.scheme not in SCHEMES or "@" in f"{parts.path}{parts.query}{parts.fragment}":
        raise _unreadable()
    host = parts.hostname or parse_qs(parts.query).get("host", ["localhost"])[0]
    place = f"{host}:{port}" if port else host
    return Address(written, f"postgresql://{place}{parts.path}")


def _unreadable() -> DeclarationError:
    return DeclarationError(
        f"ASSISTANT_DOCUMENTS: the address of the PostgreSQL database cannot be read: it should be like {_EXAMPLE};"
        " in user and password write / as %2F, ? as %3F, # as %23, @ as %40, : as %3A"
    )
