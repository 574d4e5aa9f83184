"""A system on loopback that answers as a test says, and files with tools for it."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import dedent

import pytest
from aiohttp import web

from assistant.conversation.customer import Customer
from assistant.conversation.values import Json, JsonObject
from assistant.tools.http.service import Connections
from assistant.tools.http.tool import HttpFile, HttpTool, read_http_file
from tests.tools.conftest import CONTEXT

ANA = Customer(tenant="shop", id="c 7/8", level="signed_in", name="Ana Li", locale="en")
ENVIRONMENT = {"SHOP_TOKEN": "s3cret-token", "SHOP_USER": "robot", "SHOP_PASSWORD": "hunter2"}

Respond = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass(slots=True)
class Heard:
    """One request, as the system got it."""

    line: str
    headers: Mapping[str, str]
    body: str


@dataclass(slots=True)
class System:
    """A system that notes what it is asked. ``respond`` is put in its place by the test."""

    address: str = ""
    heard: list[Heard] = field(default_factory=list[Heard])
    respond: Respond | None = None

    def answers(self, value: object = None, status: int = 200, **headers: str) -> None:
        """From now on give this: JSON, or text as it is."""

        async def respond(_: web.Request) -> web.StreamResponse:
            named = {name.replace("_", "-"): text for name, text in headers.items()}
            if isinstance(value, str | bytes):
                return web.Response(
                    body=value, status=status, headers={"Content-Type": "text/plain", **named}
                )
            return web.json_response(value, status=status, headers=named)

        self.respond = respond

    async def handle(self, request: web.Request) -> web.StreamResponse:
        line = f"{request.method} {request.raw_path}"
        self.heard.append(Heard(line, request.headers, await request.text()))
        assert self.respond is not None
        return await self.respond(request)


@pytest.fixture
async def system() -> AsyncGenerator[System]:
    there = System()
    app = web.Application()
    app.router.add_route("*", "/{rest:.*}", there.handle)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    there.address = f"http://127.0.0.1:{runner.addresses[0][1]}"
    there.answers({})
    yield there
    await runner.cleanup()


ReadFile = Callable[..., HttpFile]


@pytest.fixture
async def connections() -> AsyncGenerator[Connections]:
    opened = Connections()
    yield opened
    await opened.close()


@pytest.fixture
def read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ReadFile:
    """Writes a file ``shop.http.toml`` and reads it."""
    monkeypatch.chdir(tmp_path)

    def write(
        source: str, connections: Connections | None = None, environment: Mapping[str, str] = ENVIRONMENT
    ) -> HttpFile:
        file = tmp_path / "shop.http.toml"
        file.write_text(dedent(source).strip(), encoding="utf-8")
        return read_http_file(file, connections or Connections(), environment)

    return write


OneTool = Callable[..., HttpTool]


@pytest.fixture
def one(read: ReadFile, system: System, connections: Connections) -> OneTool:
    """The one tool of a section, on the system; ``api`` are further lines of ``[api]``."""

    def make(section: str, api: str = "", environment: Mapping[str, str] = ENVIRONMENT) -> HttpTool:
        head = f'[api]\nbase_url = "{system.address}/v1"\nname = "our shop"\n{dedent(api)}\n[tools.find]\n'
        common = 'description = "Find."\nwaiting_hint = "looking"\n'
        file = read(head + common + dedent(section), connections, environment)
        assert file.mistakes == ()
        (tool,) = file.tools
        return tool

    return make


async def run(tool: HttpTool, arguments: JsonObject | None = None, customer: Customer = ANA) -> Json:
    """Validate and run, as a turn does; the value."""
    fitted = tool.validate(arguments or {})
    return (await tool.run(fitted, customer=customer, context=CONTEXT)).value
