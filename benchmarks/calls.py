"""What the house itself takes for each call of a decision: ``python -m benchmarks.calls``.

Two, 8 and 64 calls at once, in a chain (each takes its argument from the one before it) and of side effects, with
tools that answer at once and no log: from complete arguments to the last outcome, everything between included, what
is announced as well. Beside it stands the floor, ``asyncio.gather`` over the same bare coroutines. CPU figures are
this process's own, medians over rounds that alternate.
"""

import argparse
import asyncio
import gc
import time
from collections.abc import Callable, Sequence
from statistics import median
from typing import TypeAlias

import uvloop

from assistant.clock import SystemClock
from assistant.conversation.calls import Call, call_id
from assistant.conversation.customer import ConversationKey, Customer
from assistant.conversation.entries import CustomerMessage, Entry, Logged, TurnStarted
from assistant.conversation.outcomes import CallSucceeded
from assistant.conversation.state import ConversationState
from assistant.conversation.tool_spec import Hint, ToolSpec
from assistant.conversation.values import Effect, Json, JsonObject
from assistant.prompts.book import PromptBook, shipped_book
from assistant.sessions.tool_tasks import ToolTasks
from assistant.testing.scripted_model import ScriptedModel
from assistant.tools.registry import Tools
from assistant.tools.tool import ToolContext, ToolResult
from assistant.turn.context import RoleModel, RunningTurn, TurnDependencies
from assistant.turn.decision_stream import DecisionStreamHandler
from assistant.turn.finish import close_round
from assistant.turn.run_tools import run_tools
from assistant.turn.view_builder import ViewBuilder

ANA = Customer(tenant="bench", id="ana", level="verified")
COUNTS = (2, 8, 64)
AIM_US = 100

Decide: TypeAlias = Callable[[int], list[Call]]


class InstantTool:
    """Gives back what it was given, at once."""

    def __init__(self, name: str, effect: Effect) -> None:
        self.spec = ToolSpec(
            name=name,
            description=name,
            parameters={"type": "object", "properties": {"of": {"type": "string"}}},
            hints={"en": Hint(doing="looking it up", will="look it up")},
            effect=effect,
        )

    def validate(self, arguments: JsonObject) -> JsonObject:
        return arguments

    async def run(self, arguments: JsonObject, *, customer: Customer, context: ToolContext) -> ToolResult:
        return ToolResult({"id": await answer(arguments["of"])})

    async def read_back(self, arguments: JsonObject, *, customer: Customer, book: PromptBook) -> str | None:
        return None


async def answer(of: Json) -> Json:
    return of


def at_once(count: int) -> list[Call]:
    """Lookups that know nothing of one another."""
    return [_call(number, "find", {"of": f"thing {number}"}) for number in range(1, count + 1)]


def in_a_chain(count: int) -> list[Call]:
    """Lookups that each need the one before."""
    rest = range(2, count + 1)
    links: list[JsonObject] = [
        {"of": {"$from": f"find#{number - 1}", "path": "id"}, "n": number} for number in rest
    ]
    return [
        _call(number, "find", arguments)
        for number, arguments in enumerate([{"of": "thing"}, *links], start=1)
    ]


def side_effects(count: int) -> list[Call]:
    """Side effects, which run one after the other."""
    return [_call(number, "change", {"of": f"thing {number}"}) for number in range(1, count + 1)]


def _call(number: int, tool: str, arguments: JsonObject) -> Call:
    return Call(id=call_id(1, number), tool=tool, arguments=arguments)


async def take(decided: Sequence[Call]) -> None:
    """Hear of these calls and see each to its outcome, in a conversation of its own."""
    state = ConversationState()
    turn_id = ""

    async def record(entry: Entry, *, durable: bool = False) -> None:
        state.apply(Logged(state.seq + 1, CLOCK.now_ms(), turn_id, entry))

    await record(CustomerMessage(message_id="u1", client_message_id="m1", text="Look at all of them"))
    turn_id = "t1"
    await record(TurnStarted(turn_id=turn_id, message_id="u1", cause="message", bundle=""))
    turn = RunningTurn(
        key=KEY,
        vouched=ANA,
        state=state.turns[0],
        conversation=state,
        views=ViewBuilder(KEY.conversation),
        tasks=ToolTasks(CLOCK),
        deadline=CLOCK.monotonic() + 30,
    )
    hearing = DecisionStreamHandler(turn, 1, DEPS, record)
    for call in decided:
        await hearing.named(call.id, call.tool)
        await hearing.requested(call)
    decision = await close_round(turn, 1, hearing, "acknowledgement", record)
    await run_tools(turn, decision, DEPS, record)
    assert all(isinstance(outcome, CallSucceeded) for outcome in turn.state.outcomes.values())
    assert len(turn.state.outcomes) == len(decided)


async def floor(count: int) -> None:
    """The same coroutines, and nothing else."""
    await asyncio.gather(*(answer(number) for number in range(count)))


async def us_of_calls(decide: Decide, count: int, turns: int) -> float:
    """CPU of each of so many calls, in microseconds."""
    decided = decide(count)
    began = time.process_time()
    for _ in range(turns):
        await take(decided)
    return (time.process_time() - began) * 1e6 / turns / count


async def us_of_floor(count: int, turns: int) -> float:
    """The same for the floor."""
    began = time.process_time()
    for _ in range(turns):
        await floor(count)
    return (time.process_time() - began) * 1e6 / turns / count


async def main(rounds: int, turns: int) -> None:
    kinds: tuple[Decide, ...] = (at_once, in_a_chain, side_effects)
    for decide in kinds:
        await us_of_calls(decide, 8, turns)
    gc.collect()
    gc.freeze()
    rows: dict[tuple[Decide, int], list[float]] = {
        (decide, count): [] for decide in kinds for count in COUNTS
    }
    floors: dict[int, list[float]] = {count: [] for count in COUNTS}
    for _ in range(rounds):
        for count, each in floors.items():
            each.append(await us_of_floor(count, 20 * turns))
        for (decide, count), each in rows.items():
            each.append(await us_of_calls(decide, count, turns))
    for (decide, count), each in rows.items():
        print(
            f"{decide.__name__.replace('_', ' '):12} {count:3} calls  {median(each):6.1f} us CPU a call "
            f"(aim: under {AIM_US})  bare gather {median(floors[count]):5.1f} us"
        )


CLOCK = SystemClock()
KEY = ConversationKey(tenant="bench", customer="ana", conversation="c-1")
NOBODY = RoleModel(model=ScriptedModel())
DEPS = TurnDependencies(
    models={"decider": NOBODY, "narrator": NOBODY},
    tools=Tools([InstantTool("find", "read"), InstantTool("change", "write")]),
    book=shipped_book(),
    narrate=lambda outcomes, specs, locale: "",
    clock=CLOCK,
)


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=9)
    options.add_argument("--turns", type=int, default=40)
    chosen = options.parse_args()
    uvloop.run(main(chosen.rounds, chosen.turns))
