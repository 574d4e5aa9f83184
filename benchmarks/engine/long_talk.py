"""A conversation of any length, with a model in this process that answers at once: two lookups in every turn."""

import asyncio
from collections.abc import AsyncGenerator, Iterable, Sequence
from dataclasses import dataclass, replace

from assistant.clock import SystemClock
from assistant.conversation.chunks import CallArguments, CallNamed, Chunk, StreamEnded, TextDelta
from assistant.conversation.customer import ConversationKey, Customer
from assistant.conversation.entries import Logged, Snapshot, TurnEnded
from assistant.conversation.tool_spec import Hint, ToolSpec
from assistant.conversation.values import Json, JsonObject
from assistant.memory.budget import Budget
from assistant.ports import Model, ModelRequest
from assistant.prompts.book import PromptBook, shipped_book
from assistant.sessions.config_version import FixedConfig
from assistant.sessions.session import Session
from assistant.storage_ports import Log
from assistant.tools.registry import Tools
from assistant.tools.tool import ToolContext, ToolResult
from assistant.turn.context import RoleModel, TurnDependencies

ANA = Customer(tenant="bench", id="ana", level="verified")
WILLS = {"list_upcoming_appointments": "look up your appointments", "get_open_invoices": "check your billing"}
ANSWER = (
    "You have an eye test on Tuesday, November {0} at 2 pm with Dr. Lee, and a lens fitting with Dr. Novak after "
    "that. Invoice {1} over $120.00 is open until December 3, and another one over $30.00 until December 13."
)


class Lookup:
    """A tool that answers at once: about 500 characters, as lookups in a shop do."""

    def __init__(self, name: str, rows: int = 6) -> None:
        self._rows, will = rows, WILLS.get(name, name)
        self.spec = ToolSpec(
            name=name,
            description=f"{name}: all there are of this customer, the next one first.",
            parameters={"type": "object", "properties": {}},
            hints={"en": Hint(doing=will, will=will)},
        )

    def validate(self, arguments: JsonObject) -> JsonObject:
        return arguments

    async def run(self, arguments: JsonObject, *, customer: Customer, context: ToolContext) -> ToolResult:
        rows: list[Json] = [
            {
                "id": f"{context.key[-8:]}-{n}",
                "when": "2026-12-01T14:00",
                "what": "monthly contact lenses",
                "n": n,
            }
            for n in range(self._rows)
        ]
        return ToolResult(rows)

    async def read_back(self, arguments: JsonObject, *, customer: Customer, book: PromptBook) -> str | None:
        return None


class Replies:
    """Decides on both lookups, and tells them in two sentences. ``asked`` is the decider's last request."""

    name = "at once"

    def __init__(self) -> None:
        self.asked: ModelRequest | None = None
        self._turn = 0

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Chunk, None]:
        if request.role == "narrator":
            for word in ANSWER.format(self._turn % 28 + 1, 2000 + self._turn).split(" "):
                yield TextDelta(word + " ")
            yield StreamEnded("stop", input_tokens=1000, output_tokens=60)
            return
        self.asked = request
        self._turn += 1
        for index, name in enumerate(WILLS):
            yield CallNamed(index, name, None)
            yield CallArguments(index, "{}")
        yield StreamEnded("tool_calls", input_tokens=1000, output_tokens=40)

    async def close(self) -> None:
        pass


@dataclass
class Talk:
    """A customer who asks the same kind of thing again and again."""

    session: Session
    replies: Replies
    said: int = 0

    async def turn(self) -> None:
        """One message, until the turn is over."""
        over = asyncio.get_running_loop().create_future()

        def listener(batch: Sequence[Logged]) -> None:
            if any(isinstance(logged.entry, TurnEnded) for logged in batch) and not over.done():
                over.set_result(None)

        stop = self.session.listen(listener)
        self.said += 1
        text = (
            f"Question {self.said}: when is my appointment in week {self.said % 52 + 1}, and what do I owe?"
        )
        await self.session.say(client_message_id=f"m{self.said}", text=text, locale="en")
        await over
        stop()


async def talk(
    log: Log, budget: Budget | None, past: Sequence[Logged] = (), summariser: Model | None = None
) -> Talk:
    """A conversation that goes on after ``past``, which the log is given first."""
    replies, clock = Replies(), SystemClock()
    role = RoleModel(model=replies, budget=budget)
    deps = TurnDependencies(
        models={"decider": role, "narrator": role},
        tools=Tools([Lookup(name) for name in WILLS]),
        book=shipped_book(),
        narrate=lambda outcomes, specs, locale: "",
        clock=clock,
        summariser=None if summariser is None else RoleModel(model=summariser, budget=budget),
    )
    key = ConversationKey(tenant="bench", customer="ana", conversation=f"{id(replies)}")
    if past:
        await log.append(key, past)
    session = Session(key=key, entries=past, configs=FixedConfig(deps), log=log, epoch="1")
    session.customer = ANA
    said = sum(isinstance(logged.entry, TurnEnded) for logged in past)
    return Talk(session, replies, said)


def first_turns(entries: Iterable[Logged], turns: int, *, remembered: bool) -> list[Logged]:
    """So many turns of a conversation, with their snapshots or without."""
    kept: list[Logged] = []
    for logged in entries:
        if remembered or not isinstance(logged.entry, Snapshot):
            kept.append(replace(logged, seq=len(kept) + 1))
        if isinstance(logged.entry, TurnEnded):
            turns -= 1
            if not turns:
                break
    return kept
