"""A server with the endpoints for files, and clients for each."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass, replace
from typing import Any

import aiohttp
import pytest

from assistant.conversation.customer import Customer
from assistant.errors import DocumentRefused
from assistant.handoff.backends import BuiltinInbox
from assistant.memory.file_reader import ReadFile
from assistant.server.auth import Visit
from assistant.server.operators.access import Operators
from assistant.server.operators.stored_data import DocumentArchive
from assistant.server.uploads import UploadReader, Uploads
from assistant.sessions.handoff_registry import HandoffRegistry
from tests.server.running_server import ANA, RunningServer, new_server, opened
from tests.support.library import FakeKeeper

TOKEN = "a-token-for-tests-that-is-long-enough"
BEN = Customer(tenant="demo", id="ben", level="verified", name="Ben")
MOST_BYTES = 1_000
MOST_FILES = 4


async def read(name: str, content: bytes) -> ReadFile:
    """UTF-8 is read; what begins with ``broken`` is refused, and ``evil`` breaks the reader."""
    if content.startswith(b"broken"):
        raise DocumentRefused(f"{name!r} is damaged; save it again")
    if content.startswith(b"evil"):
        raise RecursionError(content)
    return ReadFile(title=name.partition(".")[0], text=content.decode(), mime="text/plain")


@dataclass
class FileEndpoints:
    """The endpoints for files, and what they use."""

    server: RunningServer
    keeper: FakeKeeper
    http: aiohttp.ClientSession

    def token(self, customer: Customer = ANA, conversation: str = "c-1") -> str:
        """With which the widget of this customer comes."""
        return self.server.context.tokens.issue(Visit(customer=customer, conversation=conversation))[0]

    async def asks(
        self, method: str, path: str, token: str | None, data: Any = None, **headers: str
    ) -> tuple[int, Any]:
        """One request; its status and what came back."""
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        async with self.http.request(method, path, data=data, headers=headers) as answer:
            return answer.status, await answer.json() if answer.content_type == "application/json" else None

    async def operator(self, method: str, path: str = "", data: Any = None, token: str | None = TOKEN) -> Any:
        """An operator's request."""
        return await self.asks(method, f"/v1/documents{path}", token, data)

    async def uploads(
        self, name: str, content: Any = b"Hello", who: Customer = ANA, **headers: str
    ) -> tuple[int, Any]:
        """A customer's file on its way in."""
        return await self.asks("POST", f"/v1/uploads?name={name}", self.token(who), content, **headers)


@pytest.fixture
async def endpoints() -> AsyncGenerator[FileEndpoints]:
    """Endpoints of a running server."""
    keeper, server = FakeKeeper(), new_server()
    server.trusted_proxies = ("127.0.0.1",)
    handoffs = HandoffRegistry(BuiltinInbox(), server.context.ids, 60.0)
    reader = UploadReader(read, {".txt", ".md", ".pdf"}, MOST_BYTES, server.clock)
    context = server.context
    server.context = replace(
        context,
        operators=Operators(token=TOKEN, tenant="demo", handoffs=handoffs, clock=server.clock),
        archive=DocumentArchive(tenant="demo", keeper=keeper, reader=reader, clock=server.clock),
        uploads=Uploads(keeper, reader, server.clock, context.ids, most=MOST_FILES),
        origins=frozenset({"https://shop.example"}),
    )
    async with (
        opened(server),
        aiohttp.ClientSession(
            f"http://127.0.0.1:{server.port}", connector=aiohttp.TCPConnector(force_close=True)
        ) as http,
    ):
        yield FileEndpoints(server, keeper, http)
    await handoffs.close()
