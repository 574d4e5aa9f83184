"""Several servers in one process, with one log and the test's clock."""

import asyncio
from collections.abc import Callable
from dataclasses import replace

from assistant.conversation.customer import Customer
from assistant.conversation.transcript import transcript
from assistant.errors import Fenced
from assistant.handoff.backends import BuiltinInbox
from assistant.ports import Model
from assistant.prompts.book import shipped_book
from assistant.sessions.cluster import Cluster
from assistant.sessions.config_version import FixedConfig
from assistant.sessions.handoff_registry import HandoffRegistry
from assistant.sessions.handoff_tool import with_handoff_tool
from assistant.sessions.session import Session
from assistant.sessions.session_registry import SessionRegistry
from assistant.testing.chat import ANA, KEY, deps_for
from assistant.testing.counted_ids import CountedIds
from assistant.testing.script import Line
from assistant.testing.scripted_model import ScriptedModel
from assistant.tools.registry import Tools
from assistant.turn.context import RoleModel
from tests.support.memory_leases import FencedLog, MemoryLeases, SharedLeases
from tests.turn.conftest import Company

LEASE_S = 10.0


class Server:
    """One of the servers. Its model follows the given lines."""

    def __init__(
        self,
        name: str,
        company: Company,
        shared: SharedLeases,
        log: FencedLog,
        *lines: Line,
        summariser: Model | None = None,
    ) -> None:
        model, book = ScriptedModel(*lines, clock=company.clock), shipped_book()
        self.handoffs = HandoffRegistry(BuiltinInbox(), CountedIds(name), wait_s=600)
        tools = with_handoff_tool(Tools(company.tools), book, self.handoffs)
        deps = deps_for(model, list(tools), book, company.clock)
        if summariser is not None:
            deps = replace(deps, summariser=RoleModel(model=summariser))
        self.cluster = Cluster(MemoryLeases(shared, log, name), log, company.clock, LEASE_S)
        self.sessions = SessionRegistry(
            FixedConfig(deps), log, "1", takeover=self.handoffs.attach, cluster=self.cluster
        )
        self.handoffs.open_elsewhere = self.sessions.open_for_agents
        self.cluster.agents_of = self.handoffs.tenants_heard
        self._running: asyncio.Task[None] | None = None
        self.leave: Callable[[], None] = lambda: None

    async def begin(self) -> "Server":
        await self.cluster.beat()
        self._running = asyncio.create_task(self.cluster.run(self.sessions))
        return self

    async def freeze(self) -> None:
        """Cut it off from the other servers and the database; its turns go on."""
        if self._running is not None:
            self._running.cancel()
            await asyncio.wait({self._running})

    async def die(self) -> None:
        """End it as kill -9 would: it records nothing any more."""
        await self.freeze()
        for session in self.sessions.open_sessions().values():
            session.stop_recording(Fenced("dead"))

    async def stop(self) -> None:
        """Stop it as SIGTERM would."""
        await self.freeze()
        await self.sessions.close(0.0)
        await self.cluster.close()

    async def opened(self, customer: Customer = ANA) -> Session:
        """Open the conversation with a client's socket."""
        session = await self.sessions.open(KEY, customer)
        self.leave = session.listen(lambda _: None)
        return session


class Servers:
    """All servers, with one log."""

    def __init__(self, company: Company) -> None:
        self.company = company
        self.shared = SharedLeases(company.clock, LEASE_S)
        self.log = FencedLog(self.shared)
        self.every: list[Server] = []
        self.summariser: Model | None = None

    async def start(self, *lines: Line) -> Server:
        name = f"server {len(self.every)}"
        server = Server(name, self.company, self.shared, self.log, *lines, summariser=self.summariser)
        self.every.append(server)
        # As after a heartbeat: each server knows the others.
        await server.begin()
        for one in self.every:
            if self.shared.alive.get(one.cluster.leases.server, 0) > self.company.clock.monotonic():
                await one.cluster.beat()
        return server

    async def told(self) -> list[str]:
        """The messages of the whole conversation, from the log."""
        session = Session(
            key=KEY,
            entries=await self.log.read(KEY),
            configs=FixedConfig(
                deps_for(ScriptedModel(clock=self.company.clock), [], shipped_book(), self.company.clock)
            ),
            log=self.log,
            epoch="1",
        )
        return [f"{line.speaker}: {line.text}" for line in transcript(session.state)]
