"""A company that can be called: real conversations behind a real server."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import uvicorn

from assistant.conversation.entries import DeliveryReceipt, Logged
from assistant.ports import Log
from assistant.prompts.book import PromptBook, shipped_book
from assistant.server.app import build_server, uvicorn_config
from assistant.server.auth import VisitorIdentity, VisitorTokens
from assistant.server.phone.phone_context import PhoneContext, PhoneLimits, Signatures, Via, conversation_of
from assistant.server.server_context import AssistantInfo, ServerContext
from assistant.sessions.config_version import FixedConfig
from assistant.sessions.handoff_registry import HandoffRegistry
from assistant.sessions.handoff_tool import with_handoff_tool
from assistant.sessions.session_registry import SessionRegistry
from assistant.store.memory_log import MemoryLog
from assistant.testing.chat import parts_for
from assistant.testing.counted_ids import CountedIds
from assistant.testing.fake_tool import FakeTool, Gives, fake_spec
from assistant.testing.script import Line
from assistant.testing.scripted_model import ScriptedModel
from assistant.testing.virtual_time import VirtualClock
from assistant.tools.registry import Tools
from assistant.tools.tool import Tool
from assistant.voice.ports import VoiceServices
from assistant.voice.session import VoiceSessionFactory
from tests.support.handoff_scenario import FakeHandoffBackend
from tests.support.spoken_chat import FakeSpeechToText, FakeTextToSpeech, FakeVoiceActivity

TENANT = "shop"
TOKEN = "the-auth-token-of-the-account"
URL = "https://talk.example.com"
COLLEAGUES = "+4681234567"

SECRET = b"a secret for tests that is long enough"


@dataclass(slots=True, kw_only=True)
class Company:
    """One process that takes calls. ``port`` is where, once it is open."""

    clock: VirtualClock = field(default_factory=VirtualClock)
    log: Log = field(default_factory=MemoryLog)
    book: PromptBook = field(default_factory=shipped_book)
    backend: FakeHandoffBackend = field(init=False)
    handoffs: HandoffRegistry = field(init=False)
    model: ScriptedModel | None = None
    port: int = 0
    mouth: FakeTextToSpeech = field(init=False)

    def tool(self, name: str, doing: str, **options: Any) -> FakeTool:
        """A tool that anonymous callers may use."""
        behaviour = options.pop("behaviour", Gives("nine to five"))
        clause = options.pop("clause", None)
        will = f"{doing.split()[0].removesuffix('ing')} {doing.partition(' ')[2]}"
        spec = fake_spec(name, doing, will, needs_customer=False, **options)
        return FakeTool(spec, behaviour, self.clock, clause=clause)

    def __post_init__(self) -> None:
        self.backend = FakeHandoffBackend(clock=self.clock)
        self.handoffs = HandoffRegistry(self.backend, CountedIds("n"), 60.0)

    def door(
        self,
        lines: Sequence[Line],
        tools: Sequence[Tool],
        *,
        via: Via,
        transfer: str | None,
        limits: PhoneLimits,
        voice: VoiceSessionFactory | None,
    ) -> ServerContext:
        self.model = ScriptedModel(*lines, clock=self.clock)
        offered = with_handoff_tool(Tools(tools), self.book, self.handoffs)
        parts = parts_for(self.model, list(offered), self.book, self.clock)
        tokens, ids = VisitorTokens(SECRET, self.clock), CountedIds("i")
        return ServerContext(
            sessions=SessionRegistry(FixedConfig(parts), self.log, "e1", takeover=self.handoffs.attach),
            identity=VisitorIdentity(tokens=tokens, ids=ids, tenant=TENANT),
            tokens=tokens,
            clock=self.clock,
            ids=ids,
            about=lambda locale: AssistantInfo(name="Robin", greeting="Hello!", disclosure=locale),
            handoffs=self.handoffs,
            voice=voice,
            phone=PhoneContext(
                url=URL,
                signatures=Signatures(TOKEN, URL),
                tenant=TENANT,
                via=via,
                book=lambda: self.book,
                transfer=transfer,
                limits=limits,
            ),
        )

    @asynccontextmanager
    async def open(
        self,
        *lines: Line,
        tools: Sequence[Tool] = (),
        via: Via = "relay",
        transfer: str | None = None,
        limits: PhoneLimits | None = None,
        voice: VoiceSessionFactory | None = None,
    ) -> AsyncGenerator["Company"]:
        """Take calls, with a model that follows these lines."""
        door = self.door(
            lines,
            tools,
            via=via,
            transfer=transfer,
            limits=limits or PhoneLimits(),
            voice=voice,
        )
        async with served(door) as self.port:
            yield self
        await self.handoffs.close()

    def speaking(self, *understood: str) -> VoiceSessionFactory:
        """Ears that understand these, one after the other, and a mouth whose words all take as long as they are."""
        self.mouth = FakeTextToSpeech(self.clock)
        switchboard = VoiceSessionFactory("loading")
        switchboard.set_services(
            VoiceServices(
                speech_to_text=FakeSpeechToText(self.clock, understood),
                text_to_speech=self.mouth,
                voice_activity=FakeVoiceActivity(),
                clock=self.clock,
                ids=CountedIds("said-"),
                book=lambda: self.book,
            )
        )
        return switchboard

    async def entries(self, call_sid: str) -> list[Logged]:
        """What the log holds of a call."""
        return await self.log.read(conversation_of(TENANT, call_sid))

    async def heard(self, call_sid: str) -> dict[str, int]:
        """How far each message was heard, by its id."""
        return {
            logged.entry.message_id: logged.entry.up_to
            for logged in await self.entries(call_sid)
            if isinstance(logged.entry, DeliveryReceipt)
        }


@asynccontextmanager
async def served(door: ServerContext) -> AsyncGenerator[int]:
    """The door on a loopback port of this loop; gives the port."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listening:
        listening.bind(("127.0.0.1", 0))
        config = uvicorn_config(build_server(door), limits=door.limits)
        server = uvicorn.Server(config)
        config.load()
        server.lifespan = config.lifespan_class(config)
        await server.startup(sockets=[listening])
        try:
            yield listening.getsockname()[1]
        finally:
            for one in server.servers:
                one.close()
            with contextlib.suppress(TimeoutError):
                await asyncio.gather(*server.server_state.tasks)
