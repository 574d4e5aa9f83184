"""Builds the library: the embedding model, the document store, and the search."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Literal, TypeAlias, assert_never

from assistant.conversation.documents import ALL_CUSTOMERS, Finding
from assistant.errors import DeclarationError
from assistant.ids import SystemIds
from assistant.memory.document_writer import KeepDays
from assistant.memory.library import Library
from assistant.models.embedder import choose_embedder
from assistant.ports import Clock, Embedder
from assistant.resilience import jitter_from
from assistant.settings import Settings
from assistant.settings_sources import environment
from assistant.storage_ports import DocumentStore
from assistant.store.storage import Storage

if TYPE_CHECKING:
    from assistant.models.demo.nearness import Passages


async def embedder_of(settings: Settings, clock: Clock) -> Embedder:
    """The configured embedding model. Raises ``DeclarationError`` with the solution."""
    return await choose_embedder(
        settings.embedding_model, clock=clock, jitter=jitter_from(SystemIds()), environ=environment(settings)
    )


Place: TypeAlias = Literal["embedded", "postgres", "qdrant"]

_PLACES: dict[str, Place] = {
    "postgresql": "postgres",
    "postgres": "postgres",
    "http": "qdrant",
    "https": "qdrant",
}


def documents_of(settings: Settings, embedder: Embedder) -> DocumentStore:
    """The document store. A store on a server connects at its first call.

    Args:
        settings: select the store.
        embedder: makes the vectors.

    Raises:
        DeclarationError: the store does not exist or cannot be used, or a package for it is not installed.
    """
    place = place_of(settings)
    match place:
        case "embedded":
            from assistant.store.documents.sqlite import SqliteDocuments

            return SqliteDocuments(settings.data_dir / "log.db", embedder=embedder.name, width=embedder.width)
        case "postgres":
            from assistant.store.documents.pgvector import PgvectorDocuments

            return PgvectorDocuments(
                documents_address(settings), embedder=embedder.name, width=embedder.width
            )
        case "qdrant":
            check_qdrant_installed()
            from assistant.store.documents.qdrant import QdrantDocuments
            from assistant.store.documents.qdrant_server import connect

            client = connect(settings.document_store, key_of(settings))
            return QdrantDocuments(
                client, shown=settings.document_store, embedder=embedder.name, width=embedder.width
            )
        case _:
            assert_never(place)


def place_of(settings: Settings) -> Place:
    """The kind of store. Raises ``DeclarationError`` for an unknown one."""
    written = settings.document_store
    if written == "embedded":
        return "embedded" if settings.database is None else "postgres"
    scheme, found, _ = written.partition("://")
    place = _PLACES.get(scheme)
    if not found or place is None:
        # The value is not shown, because it may contain a password.
        raise DeclarationError(
            "ASSISTANT_DOCUMENT_STORE: documents cannot be kept there: it should be 'embedded', the address of a"
            " PostgreSQL database such as postgresql://user:password@host/database, or that of a Qdrant server"
            " such as https://qdrant.example:6333"
        )
    return place


def documents_address(settings: Settings) -> str:
    """The address of the document store: the address of the main storage, unless a setting names another."""
    if settings.document_store == "embedded" and settings.database is not None:
        return settings.database.get_secret_value()
    return settings.document_store


def check_qdrant_installed(package: str = "qdrant_client") -> None:
    """Call it before you import ``qdrant`` or ``qdrant_server``. Raises ``DeclarationError`` with the solution."""
    if find_spec(package) is None:
        raise DeclarationError(
            "ASSISTANT_DOCUMENT_STORE names a Qdrant server, which needs one more package:"
            " pip install 'meanwhile-assistant[qdrant]'"
        )


def key_of(settings: Settings) -> str | None:
    """The Qdrant server's key; None if there is none."""
    return None if settings.qdrant_api_key is None else settings.qdrant_api_key.get_secret_value()


_NEAREST = 5


@asynccontextmanager
async def library_in(
    settings: Settings, storage: Storage, clock: Clock, tenants: Sequence[Settings] = ()
) -> AsyncGenerator[Library]:
    """The library. It writes nothing before ``Library.start``, and is closed at the end of the block.

    Args:
        settings: select the document store and the embedding model.
        storage: has the log and the queue of documents; it stays open.
        clock: gives the time for expiry; measures time-outs, and pauses in the background.
        tenants: the settings of the tenants that share the library; each tenant has its own retention time for
            documents.

    Raises ``DeclarationError`` when a setting is wrong or something is not installed.
    """
    async with AsyncExitStack() as in_the_end:  # closed in reverse order
        embedder = await embedder_of(settings, clock)
        store = documents_of(settings, embedder)
        in_the_end.push_async_callback(store.close)
        keep = _keep_days(settings)
        library = Library(
            store,
            storage.writes,
            embedder,
            storage.log,
            clock,
            keep_results_days=keep.results,
            keep_uploads_days=keep.uploads,
            keep_by_tenant={each.tenant: _keep_days(each) for each in tenants},
        )
        in_the_end.push_async_callback(library.close)
        yield library


def passages_of(library: Library, tenant: str) -> "Passages":
    """A function that searches the company's own documents. The embedded model uses it to decide."""

    async def nearest(question: str) -> list[Finding]:
        return await library.search(tenant, ALL_CUSTOMERS, question, limit=_NEAREST)

    return nearest


def _keep_days(settings: Settings) -> KeepDays:
    results = _shorter(settings.keep_tool_results_days, settings.keep_conversations_days)
    return KeepDays(results=results, uploads=settings.keep_uploads_days)


def _shorter(days: int | None, others: int | None) -> int | None:
    """The retention time of a tool's result: not longer than that of its conversation.

    >>> _shorter(90, 30), _shorter(None, 30), _shorter(90, None), _shorter(None, None)
    (30, 30, 90, None)
    """
    return min((each for each in (days, others) if each is not None), default=None)
