"""Two companies in one installation, served as an operator would; in each, a customer has talked about a secret."""

import asyncio
import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import time
from typing import Any, Literal, TypeAlias
from uuid import uuid4

import aiohttp
import jwt
import orjson
import pytest
from aiohttp import web
from twilio.request_validator import RequestValidator
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

from assistant.app import Assistant, open_assistants
from assistant.assembly.staff import staff_of
from assistant.commands.serve import WebServer, web_application
from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import ClientConnected, ClientDisconnected, ModelAsked
from assistant.server.app import uvicorn_config
from assistant.server.console.access import csrf_of
from assistant.server.phone.phone_context import HEADER
from assistant.server.tenants import TenantServers
from assistant.settings import Settings
from assistant.settings_sources import load_installation
from assistant.tenants import load_tenants
from assistant.webhooks.client import SIGNATURE, TIMESTAMP, signature

Frame: TypeAlias = dict[str, Any]
Way: TypeAlias = Literal["host", "path"]
"""How a request names the company: by the host, or by the path ``/t/NAME/``."""

SECRET_WORDS = {"acme": "orchid-4711", "globex": "tulip-0815"}
CALL = "CA17"

_TOOLS = '''"""The tools of a company, which know its secret word."""

import asyncio

from assistant import Media, ToolResult, tool


@tool(waiting_hint="fetching your note", examples=["fetch my note"], narration="Here is your note: SECRET.")
async def fetch_note() -> ToolResult[str]:
    """Fetch the customer's note."""
    return ToolResult("SECRET", (Media.of(b"SECRET", name="note.txt"),))


@tool(
    waiting_hint="closing your account",
    examples=["close my account"],
    effect="write",
    confirm="close the account SECRET",
    narration="Closed.",
)
async def close_account() -> str:
    """Close the customer's account."""
    return "SECRET"


@tool(waiting_hint="preparing your export", examples=["prepare my export"], long=True)
async def prepare_export() -> str:
    """Prepare an export of all the customer's data."""
    await asyncio.Event().wait()
    return "SECRET"
'''


@dataclass(kw_only=True)
class Company:
    """One of the companies: what speaks for it, and the ids of what its customers have."""

    name: str
    port: int
    assistant: Assistant
    ids: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def secret_word(self) -> str:
        """The word that is in all of the company's data, and nowhere else."""
        return SECRET_WORDS[self.name]

    @property
    def operator_token(self) -> str:
        """With which its people take conversations over."""
        return _secret(self.name, "operator")

    def by_operator(self) -> dict[str, str]:
        """Headers of its people's requests."""
        return {"Authorization": f"Bearer {self.operator_token}"}

    def by_staff(self) -> dict[str, str]:
        """Headers of a request of a page of its console, on which its admin is signed in."""
        token = self.ids["staff session"]
        return {"Cookie": f"meanwhile_console={token}", "X-Console-Token": csrf_of(token)}

    def by_visitor(self) -> dict[str, str]:
        """Headers of its customer's requests."""
        return {"Authorization": f"Bearer {self.ids['token']}"}

    def by_helpdesk(self, body: bytes) -> dict[str, str]:
        """Headers of a request of its helpdesk."""
        at = str(int(time()))
        return {TIMESTAMP: at, SIGNATURE: signature(_secret(self.name, "webhook"), at, body)}

    def by_twilio(self, address: str, form: Mapping[str, str]) -> dict[str, str]:
        """Headers of a request from its telephone company to this address."""
        validator: Any = RequestValidator(_secret(self.name, "phone"))
        return {HEADER: validator.compute_signature(address, form)}

    def user_token(self) -> str:
        """A token that its site has signed for a customer."""
        now = int(time())
        claims = {
            "sub": f"{self.name}-17",
            "aud": "meanwhile",
            "jti": uuid4().hex,
            "iat": now,
            "exp": now + 300,
        }
        return jwt.encode(claims, _secret(self.name, "site"), algorithm="HS256")  # pyright: ignore

    def place(self, way: Way) -> tuple[str, str]:
        """The host and the prefix of its addresses."""
        if way == "host":
            return f"chat.{self.name}.example", ""
        return "chat.example", f"/t/{self.name}"

    async def request(
        self, way: Way, method: str, path: str, headers: Mapping[str, str], body: bytes = b""
    ) -> tuple[int, str]:
        """The status of an answer, and all of its text."""
        host, prefix = self.place(way)
        if "X-Console-Token" in headers:
            headers = {"Origin": f"http://{host}", **headers}  # as a page of the console sends it
        async with (
            aiohttp.ClientSession(connector=aiohttp.TCPConnector(force_close=True)) as http,
            http.request(
                method,
                f"http://127.0.0.1:{self.port}{prefix}{path}",
                headers={"Host": host, **headers},
                data=body,
                allow_redirects=False,
            ) as answer,
        ):
            return answer.status, (await answer.read()).decode(errors="replace")

    def socket(
        self, way: Way, path: str = "/v1/ws", protocol: str | None = "meanwhile.v1", **headers: str
    ) -> connect:
        """One of its websockets."""
        host, prefix = self.place(way)
        return connect(
            f"ws://{host}{prefix}{path}",
            host="127.0.0.1",
            port=self.port,
            proxy=None,
            compression=None,
            subprotocols=[Subprotocol(protocol)] if protocol else None,
            additional_headers=headers,
        )

    async def contents(self) -> list[object]:
        """All that it has stored of its customers, but for when they came and left."""
        log, found = self.assistant.storage.log, list[object]()
        for customer in ("demo", f"call-{CALL}", f"{self.name}-17"):
            for conversation in await log.conversations(self.name, customer):
                key = ConversationKey(tenant=self.name, customer=customer, conversation=conversation)
                entries = [logged.entry for logged in await log.read(key)]
                found += [
                    key,
                    *(one for one in entries if not isinstance(one, ClientConnected | ClientDisconnected)),
                ]
        return [*found, *((one.ref, one.title) for one in await self.assistant.library.documents(self.name))]


def _secret(company: str, what: str) -> str:
    return f"{company}-{what}-".ljust(40, "x")


@dataclass(frozen=True, slots=True, kw_only=True)
class Installation:
    """Both of them. ``told`` has what the helpdesk of each was told."""

    application: TenantServers
    acme: Company
    globex: Company
    told: Mapping[str, list[str]]


@asynccontextmanager
async def two_companies(folder: Path, *, site: str | None = None) -> AsyncGenerator[Installation]:
    """Serve them until the end of the block. Pages of ``site``, an origin, may connect to both."""
    told: dict[str, list[str]] = {name: [] for name in SECRET_WORDS}
    with pytest.MonkeyPatch.context() as patch:
        for name in Settings.model_fields:
            patch.delenv(f"ASSISTANT_{name.upper()}", raising=False)
        patch.chdir(folder)
        patch.setenv("ASSISTANT_HOSTS", "chat.example")
        patch.setenv("ASSISTANT_VOICE", "false")
        patch.setenv("ASSISTANT_HOT_RELOAD", "false")
        async with _helpdesks(told) as helpdesk:
            for name in SECRET_WORDS:
                _make_folder(folder / "tenants" / name, name, helpdesk, site)
            installation = load_installation()
            tenants = load_tenants(installation)
            async with open_assistants(installation, tenants) as assistants:
                app = web_application(installation, tenants, assistants, [None, None], host="127.0.0.1")
                assert isinstance(app, TenantServers)
                async with _served(app) as port:
                    acme, globex = (
                        Company(name=one.settings.tenant, port=port, assistant=one) for one in assistants
                    )
                    for company in (acme, globex):
                        await _talk(company)
                    yield Installation(application=app, acme=acme, globex=globex, told=told)


def _make_folder(folder: Path, name: str, helpdesk: str, site: str | None) -> None:
    secret = SECRET_WORDS[name]
    for sub in ("tools", "knowledge"):
        (folder / sub).mkdir(parents=True)
    (folder / "tools" / "notes.py").write_text(_TOOLS.replace("SECRET", secret))
    (folder / "knowledge" / "terms.md").write_text(f"# Terms\n\nThe word of the house is {secret}.\n")
    settings = {
        "HOSTS": f"chat.{name}.example",
        "ALLOWED_ORIGINS": site or f"https://www.{name}.example",
        "SITE_SECRET": _secret(name, "site"),
        "OPERATOR_TOKEN": _secret(name, "operator"),
        "HANDOFF_WEBHOOK_URL": f"{helpdesk}/{name}",
        "HANDOFF_WEBHOOK_SECRET": _secret(name, "webhook"),
        "PHONE_URL": f"https://phone.{name}.example",
        "PHONE_AUTH_TOKEN": _secret(name, "phone"),
    }
    lines = (f"ASSISTANT_{key}={value}\n" for key, value in settings.items())
    (folder / ".env").write_text("".join(lines))


@asynccontextmanager
async def _helpdesks(told: Mapping[str, list[str]]) -> AsyncGenerator[str]:
    async def hear(request: web.Request) -> web.Response:
        told[request.match_info["company"]].append(await request.text())
        return web.json_response({})

    app = web.Application()
    app.router.add_post("/{company}", hear)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


@asynccontextmanager
async def _served(app: TenantServers) -> AsyncGenerator[int]:
    server = WebServer(uvicorn_config(app, port=0))
    serving = asyncio.create_task(server.serve())
    await server.ready.wait()
    try:
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = True
        await serving


async def _sign_in(assistant: Assistant) -> str:
    """Begin a session of its admin in the console."""
    staff = staff_of(assistant.settings, assistant.storage, assistant.clock, assistant.ids)
    return (await staff.use_link(await staff.make_operators_link())).token


async def _first_request(company: Company) -> int:
    """The number of the entry with the first request to a model."""
    key = ConversationKey(tenant=company.name, customer="demo", conversation=company.ids["conversation"])
    entries = await company.assistant.storage.log.read(key)
    return next(logged.seq for logged in entries if isinstance(logged.entry, ModelAsked))


async def _talk(company: Company) -> None:
    """Fill it: conversations, a file, a document, an open question, a long call, a handoff, a telephone call."""
    ids, word = company.ids, company.secret_word
    ids["staff session"] = await _sign_in(company.assistant)
    async with company.socket("host") as socket:
        welcome = await hello(socket)
        ids |= {"token": welcome["token"], "conversation": welcome["conversation_id"]}
        _, uploaded = await company.request(
            "host", "POST", "/v1/uploads?name=letter.txt", company.by_visitor(), word.encode()
        )
        ids["upload"] = orjson.loads(uploaded)["ref"]
        await say(socket, f"My code is {word}", ids["upload"])
        ids["request"] = str(await _first_request(company))
        frames = await say(socket, "Fetch my note")
        completed = [frame for frame in frames if frame["type"] == "message.completed"]
        [response] = [frame for frame in completed if frame.get("attachments")]
        ids |= {"turn": frames[-1]["turn_id"], "message": response["message_id"]}
        ids["attachment"] = response["attachments"][0]["url"]
        await say(socket, "Prepare my export")
        frames = await say(socket, "Close my account")
        [asked] = [frame for frame in frames if frame["type"] == "confirmation.requested"]
        ids["confirmation"] = asked["confirmation_id"]
    async with company.socket("host") as socket:
        ids["other conversation"] = (await hello(socket))["conversation_id"]
        await say(socket, f"I want to talk to a person about {word}")
    async with company.socket("host") as socket:
        ids["customer"] = (await hello(socket, user=company.user_token()))["customer"]["id"]
        await say(socket, f"My code is {word}")
    _, listed = await company.request("host", "GET", "/v1/operators/conversations", company.by_operator())
    [waiting] = [one for one in orjson.loads(listed)["conversations"] if one["handoff_id"]]
    ids |= {"handoff": waiting["handoff_id"], "handed over": waiting["conversation_id"]}
    _, stored = await company.request(
        "host", "PUT", f"/v1/documents/{word}.txt", company.by_operator(), word.encode()
    )
    ids["document"] = orjson.loads(stored)["ref"]
    await _call(company)


async def _call(company: Company) -> None:
    form, path = {"CallSid": CALL, "From": "+46701234567"}, "/v1/phone/incoming"
    url = f"https://phone.{company.name}.example"
    headers = company.by_twilio(url + path, form) | {"Content-Type": "application/x-www-form-urlencoded"}
    body = f"CallSid={CALL}&From=%2B46701234567".encode()

    async def admitted() -> str:
        _, twiml = await company.request("host", "POST", path, headers, body)
        found = re.search(r'name="token" value="([^"]+)"', twiml)
        assert found, twiml
        return found[1]

    signed = company.by_twilio(f"wss{url.removeprefix('https')}/v1/phone/relay", {})
    async with company.socket("host", "/v1/phone/relay", None, **signed) as socket:
        await send(socket, type="setup", callSid=CALL, customParameters={"token": await admitted()})
        await send(socket, type="prompt", voicePrompt=f"My code is {company.secret_word}", last=True)
        async with asyncio.timeout(20):
            while not orjson.loads(await socket.recv()).get("last"):
                pass
    company.ids["call token"] = await admitted()  # of its next socket


async def hello(socket: ClientConnection, **fields: Any) -> Frame:
    """Say hello; the first answer."""
    await send(socket, type="hello", **fields)
    return orjson.loads(await socket.recv())


async def say(socket: ClientConnection, text: str, *files: str) -> Sequence[Frame]:
    """Say something; all frames up to the end of the turn."""
    await send(socket, type="message", id=uuid4().hex, text=text, attachments=[{"ref": ref} for ref in files])
    return await frames_until(socket, "turn.completed")


async def frames_until(socket: ClientConnection, type_: str) -> Sequence[Frame]:
    """All frames up to the first one of this type."""
    frames = list[Frame]()
    async with asyncio.timeout(20):
        while not frames or frames[-1]["type"] != type_:
            frames.append(orjson.loads(await socket.recv()))
    return frames


async def send(socket: ClientConnection, **frame: Any) -> None:
    """Send a frame."""
    await socket.send(orjson.dumps(frame).decode())
