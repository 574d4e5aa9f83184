"""The whole assistant with an imported API behind it: a hotel, a provider of models and a site, all on loopback."""

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jwt
import orjson
import pytest
import uvicorn
from pydantic import SecretStr

from assistant.app import Assistant, open_assistant
from assistant.clock import SystemClock
from assistant.commands.serve import WebServer, site_of
from assistant.commands.serve_context import server_context
from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import CallEnded
from assistant.conversation.outcomes import OutcomeName, outcome_name
from assistant.settings import Settings
from assistant.tools.openapi.document import read_document
from assistant.tools.openapi.draft_file import draft_file
from tests.identity.hotel import Hotel, hotel_api
from tests.server.client import Client, Frame
from tests.server.running_server import FakeSessions, ManualClock, RunningServer, opened
from tests.support.fake_model.model_server import FakeModelServer
from tests.support.fake_model.replies import Reply

SITE_SECRET = "known-to-the-hotels-site-and-to-the-chat"
OPERATOR = "an-operator's-token-that-is-long-enough"


@pytest.fixture
def hotel() -> Hotel:
    return Hotel()


@pytest.fixture
async def hotel_at(hotel: Hotel) -> AsyncGenerator[str]:
    """The address of the hotel's API."""
    config = uvicorn.Config(hotel_api(hotel), port=0, ws="none", lifespan="off", log_config=None)
    server = WebServer(config)
    serving = asyncio.create_task(server.serve())
    await server.ready.wait()
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    await serving


def imported(hotel: Hotel, folder: Path, *, released: bool = True) -> Path:
    """A folder with the tools that are imported from the hotel's description; released by a person."""
    tools = folder / "tools"
    tools.mkdir(exist_ok=True)
    description = folder / "openapi.json"
    description.write_bytes(orjson.dumps(hotel_api(hotel).openapi()))
    text = draft_file(read_document(description)).text
    (tools / "hotel.http.toml").write_text(text.replace("draft = true\n", "") if released else text)
    return tools


_signed = iter(range(1_000_000))


def site_token(customer: str, token: str | None = None, **claims: object) -> str:
    """What the hotel's site signs for its guest, now."""
    now = int(time.time())
    said: dict[str, Any] = {"aud": "meanwhile", "sub": customer, "iat": now, "exp": now + 300}
    said |= {"jti": f"j{next(_signed)}", **({"credential": token} if token else {}), **claims}
    return jwt.encode(said, SITE_SECRET, algorithm="HS256")  # pyright: ignore[reportUnknownMemberType]


@dataclass(kw_only=True)
class Running:
    """The assistant as it is served. ``model`` has what its models were asked."""

    assistant: Assistant
    model: FakeModelServer
    server: RunningServer
    settings: Settings
    keys: dict[Client, ConversationKey] = field(default_factory=dict[Client, ConversationKey])

    async def guest(self, **hello: object) -> tuple[Client, Frame]:
        """A visitor opens the chat."""
        client = Client(self.server)
        welcome = await client.enter(**hello)
        self.keys[client] = ConversationKey(
            tenant="demo", customer=welcome["customer"]["id"], conversation=welcome["conversation_id"]
        )
        return client, welcome

    async def turn(self, client: Client, text: str) -> list[tuple[OutcomeName, Any]]:
        """Say something, hear the whole answer; gives how each call of this turn ended, with its value."""
        before = len(await self.calls_of(client))
        await client.says(f"m{next(_signed)}", text)
        await client.hears_until("turn.completed")
        return (await self.calls_of(client))[before:]

    async def calls_of(self, client: Client) -> list[tuple[OutcomeName, Any]]:
        """How each call of this client's conversation ended."""
        entries = await self.assistant.storage.log.read(self.keys[client])
        outcomes = [one.entry.outcome for one in entries if isinstance(one.entry, CallEnded)]
        return [(outcome_name(one), getattr(one, "value", None)) for one in outcomes]


Start = Callable[..., Awaitable[Running]]


@asynccontextmanager
async def running(tools: Path, data: Path, *replies: Reply) -> AsyncGenerator[Running]:
    """Serve it, with a provider that replies like this. Start it again over ``data`` to restart it."""
    async with FakeModelServer(*replies, clock=SystemClock()) as model:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("OPENAI_BASE_URL", model.url)
            patch.setenv("OPENAI_API_KEY", "none")
            settings = Settings(
                data_dir=data,
                tools_dir=tools,
                model="openai/fake",
                site_secret=SecretStr(SITE_SECRET),
                operator_token=SecretStr(OPERATOR),
                demo=False,
                hot_reload=False,
            )
            async with open_assistant(settings) as assistant:
                context = server_context(assistant, site=site_of(assistant))
                server = RunningServer(context=context, sessions=FakeSessions(), clock=ManualClock())
                async with opened(server):
                    yield Running(assistant=assistant, model=model, server=server, settings=settings)
