"""A conversation that agents can take over, with a fake handoff backend."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import Handoff, HandoffState, Logged
from assistant.ports import Clock, HandoffAnswer, HandoffBackend, HandoffRequest, Queued
from assistant.prompts.book import PromptBook, shipped_book
from assistant.sessions.config_version import FixedConfig
from assistant.sessions.handoff import SessionHandoff
from assistant.sessions.handoff_registry import HandoffRegistry
from assistant.sessions.handoff_tool import with_handoff_tool
from assistant.sessions.session import Session
from assistant.storage_ports import Log
from assistant.store.memory_log import MemoryLog
from assistant.testing.chat import ANA, KEY, Chat, deps_for
from assistant.testing.counted_ids import CountedIds
from assistant.testing.script import Line
from assistant.testing.scripted_model import ScriptedModel
from assistant.testing.virtual_time import VirtualClock
from assistant.tools.registry import Tools
from assistant.tools.tool import Tool


@dataclass(slots=True, kw_only=True)
class FakeHandoffBackend:
    """Answers each request with ``answer`` after ``after_s`` seconds; an exception is raised.

    ``told`` has all calls in order: "request h1", "pass_on h1", "ticket h1 T-ID1", "close h1".
    """

    clock: Clock
    answer: HandoffAnswer | Exception = field(default_factory=Queued)
    after_s: float = 0.0
    asked: list[HandoffRequest] = field(default_factory=list[HandoffRequest])
    told: list[str] = field(default_factory=list[str])
    on_ticket: Callable[[], None] | None = None

    async def request(self, asked: HandoffRequest) -> HandoffAnswer:
        """Note the request, wait, and answer."""
        self.told.append(f"request {asked.handoff_id}")
        self.asked.append(asked)
        await self.clock.sleep(self.after_s)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    async def pass_on(self, key: ConversationKey, handoff_id: str) -> None:
        """Note the call."""
        self.told.append(f"pass_on {handoff_id}")

    async def ticket(self, asked: HandoffRequest, number: str) -> None:
        """Note the call."""
        self.told.append(f"ticket {asked.handoff_id} {number}")

    async def close(self, key: ConversationKey, handoff_id: str) -> None:
        """Note the call."""
        self.told.append(f"close {handoff_id}")

    async def erase(self, tenant: str, customer: str) -> None:
        """Note the call."""
        self.told.append(f"erase {tenant} {customer}")

    async def stop(self) -> None:
        """Do nothing: there are no resources."""


WAIT_S = 60.0


@dataclass(slots=True)
class HandoffScenario:
    """Runs one process after another on one log. ``tools`` are the company's; the built-in one is added.

    ``other_backend`` is used instead of the fake one, if given. ``changes`` replace dependencies of the turns.
    """

    tools: Sequence[Tool] = ()
    book: PromptBook = field(default_factory=shipped_book)
    clock: VirtualClock = field(default_factory=VirtualClock)
    log: Log = field(default_factory=MemoryLog)
    backend: FakeHandoffBackend = field(init=False)
    other_backend: HandoffBackend | None = None
    changes: dict[str, Any] = field(default_factory=dict[str, Any])
    handoffs: HandoffRegistry = field(init=False)
    models: list[ScriptedModel] = field(default_factory=list[ScriptedModel])

    def __post_init__(self) -> None:
        self.backend = FakeHandoffBackend(clock=self.clock)

    async def opens(self, *lines: Line, wait_s: float = WAIT_S) -> Chat:
        """Start a new process that continues the conversation; its model follows these lines."""
        self.handoffs = HandoffRegistry(
            self.other_backend or self.backend, CountedIds(f"n{len(self.models)}"), wait_s
        )
        model = ScriptedModel(*lines, clock=self.clock)
        self.models.append(model)
        tools = with_handoff_tool(Tools(self.tools), self.book, self.handoffs)
        deps = replace(deps_for(model, list(tools), self.book, self.clock), **self.changes)
        entries = await self.log.read(KEY)
        session = Session(
            key=KEY,
            entries=entries,
            configs=FixedConfig(deps),
            log=self.log,
            epoch="test",
            takeover=self.handoffs.attach,
        )
        chat = Chat(session, _said=len(session.state.said))
        await session.welcome(ANA)
        return chat

    async def stops(self, chat: Chat) -> None:
        """End the process as if it were cut off: it does nothing more."""
        await self.handoffs.close()
        await chat.session.close()

    @property
    def handoff(self) -> SessionHandoff:
        """The handoff of the conversation."""
        handoff = self.handoffs.find_handoff(KEY.tenant, KEY.conversation)
        assert handoff is not None
        return handoff

    async def states(self) -> list[HandoffState]:
        """The states of the handoff so far, in order."""
        return [one.state for one in _handoffs(await self.log.read(KEY))]


def _handoffs(entries: Sequence[Logged]) -> list[Handoff]:
    return [logged.entry for logged in entries if isinstance(logged.entry, Handoff)]
