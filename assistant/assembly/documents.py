"""Chooses where documents are kept, by the setting."""

from typing import Literal, TypeAlias, assert_never

from assistant.errors import DeclarationError
from assistant.ports import DocumentStore, Embedder
from assistant.settings import Settings

Place: TypeAlias = Literal["embedded", "postgres", "qdrant"]

_PLACES: dict[str, Place] = {
    "postgresql": "postgres",
    "postgres": "postgres",
    "http": "qdrant",
    "https": "qdrant",
}


def documents_of(settings: Settings, embedder: Embedder) -> DocumentStore:
    """The store of documents; one on a server is not connected before its first call.

    Args:
        settings: say where.
        embedder: makes the vectors.

    Raises:
        DeclarationError: there is no such place, it cannot be used, or what it needs is not installed.
    """
    place = place_of(settings)
    match place:
        case "embedded":
            from assistant.store.documents.sqlite import SqliteDocuments

            return SqliteDocuments(settings.data_dir / "log.db", embedder=embedder.name, width=embedder.width)
        case "postgres":
            from assistant.store.documents.pgvector import PgvectorDocuments

            return PgvectorDocuments(settings.documents, embedder=embedder.name, width=embedder.width)
        case "qdrant":
            from assistant.store.documents.drivers import check_installed

            check_installed()
            from assistant.store.documents.qdrant import QdrantDocuments
            from assistant.store.documents.qdrant_server import connect

            client = connect(settings.documents, key_of(settings))
            return QdrantDocuments(
                client, shown=settings.documents, embedder=embedder.name, width=embedder.width
            )
        case _:
            assert_never(place)


def place_of(settings: Settings) -> Place:
    """Which kind of place it is. Raises ``DeclarationError`` for one that we do not know."""
    written = settings.documents
    if written == "embedded":
        return "embedded"
    scheme, found, _ = written.partition("://")
    place = _PLACES.get(scheme)
    if not found or place is None:
        # Not what was written: it may have a password in it.
        raise DeclarationError(
            "ASSISTANT_DOCUMENTS: documents cannot be kept there: it should be 'embedded', the address of a"
            " PostgreSQL database such as postgresql://user:password@host/database, or that of a Qdrant server"
            " such as https://qdrant.example:6333"
        )
    return place


def key_of(settings: Settings) -> str | None:
    """The Qdrant server's key; None for none."""
    return None if settings.documents_key is None else settings.documents_key.get_secret_value()
