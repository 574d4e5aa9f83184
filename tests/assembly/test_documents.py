"""Documents are stored where the setting says, with the embedder's name and vector length."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from pydantic import SecretStr

from assistant.assembly.library import documents_of
from assistant.conversation.documents import Vector
from assistant.errors import DeclarationError
from assistant.settings import Settings
from assistant.store.documents.pgvector import PgvectorDocuments
from assistant.store.documents.qdrant import QdrantDocuments
from assistant.store.documents.sqlite import SqliteDocuments
from tests.support.document_stores import document, passages, towards


class Embedder:
    """Four numbers for anything."""

    name = "four"
    width = 4

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        return [towards(1, width=4) for _ in texts]


async def test_the_embedded_store_is_in_the_data_folder_and_has_its_embedder(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path)
    store = documents_of(settings, Embedder())

    assert isinstance(store, SqliteDocuments)
    await store.put(document(), passages(towards(1, width=4)))
    assert await store.stale() == []
    await store.close()
    assert (tmp_path / "log.db").exists()


@pytest.mark.parametrize(
    ("address", "kind"),
    [
        ("postgresql://shop:secret@127.0.0.1:1/documents", PgvectorDocuments),
        ("postgres://shop:secret@127.0.0.1:1/documents", PgvectorDocuments),
        ("http://127.0.0.1:1", QdrantDocuments),
        ("https://127.0.0.1:1", QdrantDocuments),
    ],
)
async def test_an_address_selects_the_kind_of_store_without_a_connection(address: str, kind: type) -> None:
    store = documents_of(Settings(document_store=address, qdrant_api_key=SecretStr("k")), Embedder())

    assert isinstance(store, kind)
    await store.close()


@pytest.mark.parametrize("written", ["Embedded", "mysql://shop:secret@db/x", "postgresql:db"])
def test_an_unknown_store_stops_the_start_and_its_address_is_not_shown(written: str) -> None:
    with pytest.raises(DeclarationError, match=r"or that of a Qdrant server such as https://") as caught:
        documents_of(Settings(document_store=written), Embedder())

    assert "secret" not in str(caught.value)


def test_an_address_with_an_unreadable_password_is_not_shown() -> None:
    with pytest.raises(DeclarationError, match="/ as %2F") as caught:
        documents_of(Settings(document_store="postgresql://shop:12/secret@db/x"), Embedder())

    assert "secret" not in str(caught.value)
