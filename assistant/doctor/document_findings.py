"""Where documents are kept: whether it can be reached, and whether it is as we need it."""

from collections.abc import Iterator
from typing import assert_never
from urllib.parse import urlsplit

from assistant.assembly.documents import key_of, place_of
from assistant.doctor.findings import Doubtful, Finding, Fine, Wrong
from assistant.settings import Settings

_HERE = ("localhost", "127.0.0.1", "::1")


async def document_findings(settings: Settings, *, offline: bool) -> list[Finding]:
    """What is to be said of the store of documents. Nothing in it is changed.

    ``offline``: no server is asked. Raises ``DeclarationError`` and ``StoreError``, which name their cures.
    """
    place = place_of(settings)
    match place:
        case "embedded":
            return [Fine("documents", f"embedded, in {settings.data_dir / 'log.db'}"), *_idle_key(settings)]
        case "postgres":
            found = [_not_asked("PostgreSQL")] if offline else [await _postgres(settings)]
            return [*found, *_idle_key(settings)]
        case "qdrant":
            found = [_not_asked("Qdrant")] if offline else [await _qdrant(settings)]
            return [*found, *_key(settings)]
        case _:
            assert_never(place)


async def _postgres(settings: Settings) -> Finding:
    from assistant.store.documents.postgres import look

    looked = await look(settings.documents)
    there = f"{looked.shown}: PostgreSQL {looked.server} with pgvector {looked.extension}"
    if looked.schema > looked.newest:
        says = f"{there}; its tables were made by a newer release: their schema is {looked.schema}"
        cure = (
            f"the newest known here is {looked.newest}: install that release again, or use another database"
        )
        return Wrong("documents", says, cure)
    if looked.schema == looked.newest:
        return Fine("documents", f"{there}; schema {looked.schema}")
    if not looked.may_create:
        cure = "run GRANT CREATE ON DATABASE for its user, as the database's owner"
        return Wrong("documents", f"{there}; our tables are not there, and we may not make them", cure)
    return Fine(
        "documents", f"{there}; its tables will be brought to schema {looked.newest} at the next start"
    )


async def _qdrant(settings: Settings) -> Finding:
    from assistant.store.documents.drivers import check_installed

    check_installed()
    from assistant.store.documents.qdrant_server import look

    version = await look(settings.documents, key_of(settings))
    return Fine("documents", f"{settings.documents}: Qdrant {version}")


def _not_asked(server: str) -> Finding:
    return Fine("documents", f"in {server}, which was not asked")


def _key(settings: Settings) -> Iterator[Finding]:
    at = urlsplit(settings.documents)
    if settings.documents_key is not None and at.scheme == "http" and at.hostname not in _HERE:
        says = "ASSISTANT_DOCUMENTS_KEY and all documents can be read by anybody on the way to the server"
        yield Doubtful("documents", says, "reach it over https")


def _idle_key(settings: Settings) -> Iterator[Finding]:
    if settings.documents_key is not None:
        says = "ASSISTANT_DOCUMENTS_KEY is set, and only a Qdrant server would need it"
        yield Doubtful("documents", says, "remove it, or name the server in ASSISTANT_DOCUMENTS")
