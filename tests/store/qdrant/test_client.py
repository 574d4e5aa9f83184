"""The server's address and key: mistakes are reported, and never the key."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from assistant.assembly.library import check_qdrant_installed
from assistant.errors import DeclarationError, StoreError
from assistant.store.documents.qdrant import QdrantDocuments
from assistant.store.documents.qdrant_server import connect, inspect_server


def store_at(address: str, key: str | None = None) -> QdrantDocuments:
    return QdrantDocuments(connect(address, key), shown=address, embedder="fake", width=4)


class Refusing:
    """A server that answers every request with the same status, and keeps what it was sent."""

    def __init__(self, status: str, body: str = "{}") -> None:
        self.answer = f"HTTP/1.1 {status}\r\ncontent-length: {len(body)}\r\n\r\n{body}".encode()
        self.heard: list[str] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.heard.append((await reader.readuntil(b"\r\n\r\n")).decode())
        writer.write(self.answer)
        await writer.drain()
        writer.close()


@pytest.fixture
async def refusing(request: pytest.FixtureRequest) -> AsyncIterator[tuple[str, Refusing]]:
    """The server's address, and what it heard."""
    server = Refusing(*request.param)
    async with await asyncio.start_server(server.serve, "127.0.0.1", 0) as listening:
        yield f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}", server


@pytest.mark.parametrize("refusing", [("401 Unauthorized",), ("403 Forbidden",)], indirect=True)
async def test_a_wrong_key_is_reported_with_the_setting(
    refusing: tuple[str, Refusing],
) -> None:
    address, server = refusing
    store = store_at(address, "a-secret-key")

    with pytest.raises(StoreError, match="set ASSISTANT_QDRANT_API_KEY") as caught:
        await store.documents("acme")

    assert "api-key: a-secret-key" in server.heard[0]
    assert "a-secret-key" not in str(caught.value)
    await store.close()


@pytest.mark.parametrize("refusing", [("429 Too Many Requests\r\nretry-after: 3",)], indirect=True)
async def test_a_busy_server_is_reported(refusing: tuple[str, Refusing]) -> None:
    store = store_at(refusing[0])

    with pytest.raises(StoreError, match=": ResourceExhaustedResponse"):
        await store.documents("acme")

    await store.close()


@pytest.mark.parametrize(
    "refusing",
    [("200 OK", '{"result": {"collections": []}, "title": "qdrant", "version": "1.20.1"}')],
    indirect=True,
)
async def test_an_inspection_sends_the_key_and_returns_the_version(refusing: tuple[str, Refusing]) -> None:
    address, server = refusing

    assert await inspect_server(address, "a-secret-key") == "1.20.1"

    listing, about = server.heard
    assert listing.startswith("GET /collections ")
    assert about.startswith("GET / ")
    assert "api-key: a-secret-key" in listing


@pytest.mark.parametrize("refusing", [("200 OK", '{"result": "what a customer said"}')], indirect=True)
async def test_an_answer_of_another_program_is_reported_without_quoting_it(
    refusing: tuple[str, Refusing],
) -> None:
    store = store_at(refusing[0])

    with pytest.raises(StoreError, match="no answer: ValidationError") as caught:
        await store.documents("acme")

    assert "customer" not in str(caught.value)
    await store.close()


async def test_an_unreachable_server_is_reported() -> None:
    store = store_at("http://127.0.0.1:1")

    for _ in range(2):
        with pytest.raises(StoreError, match=r"^http://127.0.0.1:1: no answer: ConnectError$"):
            await store.documents("acme")

    await store.close()


@pytest.mark.parametrize(
    "address",
    [
        "http://",
        "qdrant:6333",
        "https://key@qdrant.example",
        "https://qdrant.example?api_key=k",
        "http://h:x",
    ],
)
def test_an_invalid_address_is_refused_and_not_repeated(address: str) -> None:
    with pytest.raises(DeclarationError, match=r"should be like https://qdrant.example:6333") as caught:
        connect(address)

    assert "key@" not in str(caught.value)
    assert "=k" not in str(caught.value)


def test_a_missing_package_is_reported_with_its_installation() -> None:
    check_qdrant_installed()

    with pytest.raises(DeclarationError, match=r"pip install 'meanwhile-assistant\[qdrant\]'"):
        check_qdrant_installed("qdrant_client_that_nobody_has")
