"""A client of the server in the settings, and what goes wrong with it as one kind of error."""

from collections.abc import Generator
from contextlib import contextmanager
from urllib.parse import SplitResult, urlsplit

from pydantic import ValidationError
from qdrant_client import AsyncQdrantClient
from qdrant_client.common.client_exceptions import QdrantException
from qdrant_client.http.exceptions import ApiException, ResponseHandlingException, UnexpectedResponse

from assistant.errors import DeclarationError, StoreError

ANSWER_S = 30
_DENIED = (401, 403)


def connect(address: str, key: str | None = None, *, answer_s: int = ANSWER_S) -> AsyncQdrantClient:
    """A client; nothing is sent yet.

    Args:
        address: such as ``https://qdrant.example:6333``; without a port, it is 6333.
        key: what the server asks for, if it does.
        answer_s: how long each answer may take.

    Raises:
        DeclarationError: the address is none, or has a secret in it that belongs into the key.
    """
    parts = _parts(address)
    if (
        parts is None
        or parts.scheme not in ("http", "https")
        or not parts.hostname
        or "@" in parts.netloc
        or parts.query
    ):
        raise DeclarationError(
            "ASSISTANT_DOCUMENTS: the address of the Qdrant server should be like https://qdrant.example:6333;"
            " its key belongs into ASSISTANT_DOCUMENTS_KEY"
        )
    return AsyncQdrantClient(
        url=address,
        timeout=answer_s,
        headers={"api-key": key} if key else None,
        check_compatibility=False,  # it would ask the server from a thread, at once
    )


def _parts(address: str) -> SplitResult | None:
    """None for what has no parts."""
    try:
        parts = urlsplit(address)
        _ = parts.port  # looked at only now
    except ValueError:
        return None
    return parts


@contextmanager
def answered(shown: str) -> Generator[None]:
    """A block that talks to the server; whatever is wrong with that is a ``StoreError``.

    Args:
        shown: where the server is, for the error.
    """
    try:
        yield
    except UnexpectedResponse as error:
        # Not chained: what the server says may quote what it was sent.
        raise StoreError(f"{shown}: {_refusal(error.status_code)}") from None
    except ResponseHandlingException as error:
        raise StoreError(f"{shown}: no answer: {type(error.source).__name__}") from None
    except (ApiException, QdrantException, ValidationError, OSError) as error:
        raise StoreError(f"{shown}: {type(error).__name__}") from None


def _refusal(status: int | None) -> str:
    if status in _DENIED:
        return f"the server asks for a key, or for another one ({status}): set ASSISTANT_DOCUMENTS_KEY"
    return f"the server refused ({status}); its own log says why"
