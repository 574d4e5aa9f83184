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
from assistant.errors import Fenced
from assistant.prompts.book import PromptBook, shipped_book
from assistant.server.app import build_server, uvicorn_config
from assistant.server.auth import VisitorIdentity, VisitorTokens
from assistant.server.phone.phone_context import PhoneContext, PhoneLimits, Signatures, Via, conversation_of
from assistant.server.server_context import AssistantInfo, ServerContext
from assistant.sessions.cluster import Cluster
from assistant.sessions.config_version import FixedConfig
from assistant.sessions.handoff_registry import HandoffRegistry
from assistant.sessions.handoff_tool import with_handoff_tool
from assistant.sessions.session_registry import SessionRegistry
from assistant.storage_ports import Log
from assistant.store.memory_log import MemoryLog
from assistant.testing.chat import deps_for
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
from tests.support.memory_leases import MemoryLeases, SharedLeases
from tests.support.memory_used_tokens import MemoryUsedTokens, call_registry
from tests.support.spoken_chat import FakeSpeechToText, FakeTextToSpeech, FakeVoiceActivity

TENANT = "shop"
TOKEN = "the-auth-token-of-the-account"
URL = "https://talk.example.com"
COLLEAGUES = "+4681234567"

SECRET = b"a secret for tests that is long enough"


@dataclass(slots=True, kw_only=True)
class Company:
    """One process that takes calls. ``server`` is there once it is open.

    With ``shared`` it is one of several servers, called ``name``, which share ``log`` and ``used``.
    """

    clock: VirtualClock = field(default_factory=VirtualClock)
    log: Log = field(default_factory=MemoryLog)
    book: PromptBook = field(default_factory=shipped_book)
    backend: FakeHandoffBackend = field(init=False)
    handoffs: HandoffRegistry = field(init=False)
    model: ScriptedModel | None = None
    text_to_speech: FakeTextToSpeech = field(init=False)
    name: str = ""
    shared: SharedLeases | None = None
    used: MemoryUsedTokens = field(default_factory=MemoryUsedTokens)
    cluster: Cluster | None = None
    sessions: SessionRegistry = field(init=False)
    server: uvicorn.Server = field(init=False)
    _running: asyncio.Task[None] | None = None

    def tool(self, name: str, doing: str, **options: Any) -> FakeTool:
        """A tool that anonymous callers may use."""
        behaviour = options.pop("behaviour", Gives("nine to five"))
        clause = options.pop("clause", None)
        will = f"{doing.split()[0].removesuffix('ing')} {doing.partition(' ')[2]}"
        spec = fake_spec(name, doing, will, needs_customer=False, **options)
        return FakeTool(spec, behaviour, self.clock, clause=clause)

    @property
    def port(self) -> int:
        """Where it takes calls."""
        return int(self.server.servers[0].sockets[0].getsockname()[1])

    def __post_init__(self) -> None:
        self.backend = FakeHandoffBackend(clock=self.clock)
        self.handoffs = HandoffRegistry(self.backend, CountedIds(f"{self.name}n"), 60.0)
        if self.shared is not None:
            assert isinstance(self.log, MemoryLog)
            leases = MemoryLeases(self.shared, self.log, self.name)
            self.cluster = Cluster(leases, self.log, self.clock, self.shared.lease_s)

    def context(
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
        deps = deps_for(self.model, list(offered), self.book, self.clock)
        tokens, ids = VisitorTokens(SECRET, self.clock), CountedIds(f"{self.name}i")
        self.sessions = SessionRegistry(
            FixedConfig(deps), self.log, "e1", takeover=self.handoffs.attach, cluster=self.cluster
        )
        return ServerContext(
            sessions=self.sessions,
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
                calls=call_registry(self.clock, self.used, server=self.name, secret=SECRET),
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
        context = self.context(
            lines,
            tools,
            via=via,
            transfer=transfer,
            limits=limits or PhoneLimits(),
            voice=voice,
        )
        async with self._among_others(), served(context) as self.server:
            yield self
        await self.handoffs.close()

    @asynccontextmanager
    async def _among_others(self) -> AsyncGenerator[None]:
        if self.cluster is None:
            yield
            return
        await self.cluster.beat()
        self._running = asyncio.create_task(self.cluster.run(self.sessions))
        yield
        await self._freeze()

    async def _freeze(self) -> None:
        """Cut this server off from the others."""
        if self._running is not None:
            self._running.cancel()
            await asyncio.wait({self._running})

    async def die(self) -> None:
        """End this server as kill -9 would: it records nothing any more, and its sockets end."""
        await self._freeze()
        for session in self.sessions.open_sessions().values():
            session.stop_recording(Fenced("dead"))
        await self._end_sockets()

    async def stop(self) -> None:
        """Stop this server as SIGTERM would: its sockets end, and others may have its conversations."""
        await self._end_sockets()
        await self._freeze()
        await self.sessions.close(0.0)
        if self.cluster is not None:
            await self.cluster.close()

    async def _end_sockets(self) -> None:
        for connection in list(self.server.server_state.connections):
            connection.shutdown()
        await asyncio.gather(*self.server.server_state.tasks)

    def speaking(self, *understood: str) -> VoiceSessionFactory:
        """Speech models: transcription returns these texts in order; the length of speech depends on its text."""
        self.text_to_speech = FakeTextToSpeech(self.clock)
        switchboard = VoiceSessionFactory("loading")
        switchboard.set_services(
            VoiceServices(
                speech_to_text=FakeSpeechToText(self.clock, understood),
                text_to_speech=self.text_to_speech,
                voice_activity=FakeVoiceActivity(),
                clock=self.clock,
                ids=CountedIds(f"{self.name}said-"),
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
async def served(context: ServerContext) -> AsyncGenerator[uvicorn.Server]:
    """The server of this context on a loopback port of this loop."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listening:
        listening.bind(("127.0.0.1", 0))
        config = uvicorn_config(build_server(context), limits=context.limits)
        server = uvicorn.Server(config)
        config.load()
        server.lifespan = config.lifespan_class(config)
        await server.startup(sockets=[listening])
        try:
            yield server
        finally:
            for one in server.servers:
                one.close()
            with contextlib.suppress(TimeoutError):
                await asyncio.gather(*server.server_state.tasks)
