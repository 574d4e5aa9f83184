"""One conversation of the benchmark: the real turn and session in process, a scripted model, a fixed day."""

import re
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Literal

from assistant.conversation.chunks import Chunk
from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import CallStarted, ModelAsked, SentenceSuppressed
from assistant.conversation.turn_state import TurnState
from assistant.conversation.values import JsonObject
from assistant.memory.retrieval_tools import with_retrieval_tools
from assistant.ports import Clock, ModelRequest
from assistant.prompts.narration import Narration
from assistant.sessions.config_version import FixedConfig
from assistant.sessions.handoff_registry import HandoffRegistry
from assistant.sessions.handoff_tool import with_handoff_tool
from assistant.sessions.session import Session
from assistant.store.memory_log import MemoryLog
from assistant.testing.chat import deps_for
from assistant.testing.counted_ids import CountedIds
from assistant.testing.script import calls, says
from assistant.testing.scripted_model import ScriptedModel
from assistant.testing.virtual_time import VirtualClock
from assistant.tools.registry import Tools
from benchmarks.proof.rows import Call, TradeName
from benchmarks.proof.trades import NOW, TENANT, Trades, as_offered, book, customer, documents
from tests.support.handoff_scenario import FakeHandoffBackend

_PIECE = re.compile(r"\s*\S{1,5}|\s+$")
_BETWEEN_S = 0.01
_PERSON_S = 60.0
_MOST_REQUESTS = 24
"""A turn has a few rounds; more requests than this are a loop."""


@dataclass(slots=True)
class PlannedModel:
    """Plays both roles: first it makes the planned calls, and says the planned text to whatever it is asked next.

    ``asked`` counts the requests since the last plan.
    """

    clock: Clock
    asked: int = 0
    _calls: tuple[Call, ...] = ()
    _text: str = ""

    @property
    def name(self) -> str:
        """What it calls itself."""
        return "planned"

    def plan(self, wanted: Sequence[Call], text: str) -> None:
        """What comes next."""
        self._calls, self._text, self.asked = as_offered(wanted), text, 0

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Chunk, None]:
        """The calls once, then the text in small pieces, as often as it is asked."""
        self.asked += 1
        if self.asked > _MOST_REQUESTS:
            raise AssertionError(f"the model was asked {self.asked} times in one turn")
        wanted, self._calls = (self._calls, ()) if request.tools else ((), self._calls)
        line = calls(*wanted) if wanted else says(_PIECE.findall(self._text))
        async with aclosing(ScriptedModel(line).stream(request)) as chunks:
            async for chunk in chunks:
                await self.clock.sleep(_BETWEEN_S)
                yield chunk

    async def close(self) -> None:
        """Nothing to give back."""


@dataclass(slots=True)
class Talk:
    """A customer's conversation with one of the companies."""

    session: Session
    model: PlannedModel
    locale: str
    _said: int = field(default=0)

    async def says(
        self, text: str, *, spoken: bool = False, button: Literal["yes"] | None = None
    ) -> list[TurnState]:
        """Say something and wait for the whole answer; gives the turns that it took.

        What is ``spoken`` comes after everything before it was heard to its end.
        """
        turns = self.session.state.turns
        if spoken:
            for message in turns[-1].messages:
                await self.session.heard(message.id, len(message.text))
        before = len(turns)
        self._said += 1
        await self.session.say(
            client_message_id=f"m{self._said}", text=text, locale=self.locale, spoken=spoken, button=button
        )
        await self.session.answered()
        return self.session.state.turns[before:]

    @property
    def seq(self) -> int:
        """How many entries there are."""
        return len(self.session.entries)

    def changes_since(self, seq: int) -> list[Call]:
        """The changes that ran since then, with what they ran with."""
        tools = self.session.config.deps.tools
        ran = [
            (logged.entry.tool, self._arguments(logged.turn_id, logged.entry))
            for logged in self.session.entries[seq:]
            if isinstance(logged.entry, CallStarted) and tools.get(logged.entry.tool).spec.effect == "write"
        ]
        return self.checked(ran)

    def model_asked_since(self, seq: int) -> bool:
        """Whether a model was asked since then."""
        return any(isinstance(logged.entry, ModelAsked) for logged in self.session.entries[seq:])

    def kept_back_since(self, seq: int) -> list[SentenceSuppressed]:
        """What guards kept back since then."""
        return [
            each.entry for each in self.session.entries[seq:] if isinstance(each.entry, SentenceSuppressed)
        ]

    def checked(self, wanted: Sequence[Call]) -> list[Call]:
        """Calls with their arguments as the tools read them, so that they can be compared."""
        tools = self.session.config.deps.tools
        return [(name, tools.get(name).validate(arguments)) for name, arguments in as_offered(wanted)]

    def _arguments(self, turn_id: str, started: CallStarted) -> JsonObject:
        if started.arguments is not None:
            return started.arguments
        turn = next(turn for turn in self.session.state.turns if turn.id == turn_id)
        return turn.requested[started.call_id].arguments


@asynccontextmanager
async def open_talk(
    trades: Trades, trade: TradeName, locale: str, *, closed: bool = False, known: bool = True
) -> AsyncGenerator[Talk]:
    """A new conversation, in a virtual loop. ``closed``: its people are not there at this hour."""
    clock, prompts = VirtualClock(NOW), book(trade, locale, closed=closed)
    model = PlannedModel(clock)
    handoffs = HandoffRegistry(FakeHandoffBackend(clock=clock), CountedIds("h"), _PERSON_S)
    tools = with_handoff_tool(Tools(trades.tools(trade)), prompts, handoffs)
    tools = with_retrieval_tools(tools, prompts, documents(trade, locale))
    narrate = Narration(prompts).narrate_outcomes
    deps = replace(
        deps_for(model, list(tools), prompts, clock, narrate=narrate),
        can_hand_over=True,
    )
    who = customer(trade, known=known)
    session = Session(
        key=ConversationKey(tenant=TENANT, customer=who.id, conversation="c-1"),
        entries=(),
        configs=FixedConfig(deps),
        log=MemoryLog(),
        epoch="proof",
        takeover=handoffs.attach,
    )
    await session.welcome(who)
    try:
        yield Talk(session, model, locale)
    finally:
        await handoffs.close()
        await session.close()
