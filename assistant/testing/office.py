"""A company with people, for tests: conversations that can be handed over, in virtual time."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from assistant.conversation.entries import Handoff, HandoffState, Logged
from assistant.ports import Desk, Log
from assistant.prompts.book import PromptBook
from assistant.prompts.shipped import shipped_book
from assistant.sessions.config_version import OneEdition
from assistant.sessions.handoff import Handoffs, SessionHandoff
from assistant.sessions.handoff_tool import with_person
from assistant.sessions.session import Session
from assistant.store.memory_log import MemoryLog
from assistant.testing.chat import ANA, KEY, Chat, parts_for
from assistant.testing.counted_ids import CountedIds
from assistant.testing.fake_desk import FakeDesk
from assistant.testing.script import Line
from assistant.testing.scripted_model import ScriptedModel
from assistant.testing.virtual_time import VirtualClock
from assistant.tooling.registry import Tools
from assistant.tooling.tool import Tool

WAIT_S = 60.0


@dataclass(slots=True)
class Office:
    """One process after the other on one log. ``tools`` are those of the company, beside the built-in one.

    ``other_desk`` takes the place of the fake one.
    """

    tools: Sequence[Tool] = ()
    book: PromptBook = field(default_factory=shipped_book)
    clock: VirtualClock = field(default_factory=VirtualClock)
    log: Log = field(default_factory=MemoryLog)
    desk: FakeDesk = field(init=False)
    other_desk: Desk | None = None
    handoffs: Handoffs = field(init=False)
    models: list[ScriptedModel] = field(default_factory=list[ScriptedModel])

    def __post_init__(self) -> None:
        self.desk = FakeDesk(clock=self.clock)

    async def opens(self, *lines: Line, wait_s: float = WAIT_S) -> Chat:
        """A new process, in which the conversation goes on and the model follows these lines."""
        self.handoffs = Handoffs(self.other_desk or self.desk, CountedIds(f"n{len(self.models)}"), wait_s)
        model = ScriptedModel(*lines, clock=self.clock)
        self.models.append(model)
        tools = with_person(Tools(self.tools), self.book, self.handoffs)
        parts = parts_for(model, list(tools), self.book, self.clock)
        entries = await self.log.read(KEY)
        session = Session(
            key=KEY,
            entries=entries,
            editions=OneEdition(parts),
            log=self.log,
            epoch="test",
            somebody_else=self.handoffs.attach,
        )
        chat = Chat(session, _said=len(session.state.said))
        await session.welcome(ANA)
        return chat

    async def stops(self, chat: Chat) -> None:
        """The process ends as if it were cut off: nothing more is done."""
        await self.handoffs.close()
        await chat.session.close()

    @property
    def handoff(self) -> SessionHandoff:
        """The conversation's."""
        handoff = self.handoffs.of(KEY.tenant, KEY.conversation)
        assert handoff is not None  # noqa: S101
        return handoff

    async def states(self) -> list[HandoffState]:
        """How the handoff went so far."""
        return [one.state for one in _handoffs(await self.log.read(KEY))]


def _handoffs(entries: Sequence[Logged]) -> list[Handoff]:
    return [logged.entry for logged in entries if isinstance(logged.entry, Handoff)]
