"""What a whole turn costs and how fast it speaks, beside the bare loop: ``python -m benchmarks.turn``.

The floor, the engine without a log on disk, and the engine with the SQLite log do the same turn in rounds
that alternate: a decision with two calls, two tools that answer at once, an answer of thirty tokens. CPU
figures are this process's own, medians over the rounds; compare the ratios.
"""

import argparse
import gc
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from statistics import median

import uvloop

from assistant.clock import SystemClock
from assistant.conversation.entries import CallRequested, CallStarted, Logged, MessageText
from assistant.conversation.people import ConversationKey, Customer
from assistant.conversation.tool_spec import Hint, ToolSpec
from assistant.conversation.values import JsonObject
from assistant.formats.registry import formatter
from assistant.models.openai.connections import Connections
from assistant.models.openai.model import OpenAIModel
from assistant.ports import Log
from assistant.prompts.shipped import shipped_book
from assistant.sessions.session import Session
from assistant.store.memory_log import MemoryLog
from assistant.store.sqlite_log import SqliteLog
from assistant.tooling.registry import Tools
from assistant.tooling.result import ToolResult
from assistant.tooling.tool import ToolContext
from assistant.turn.parts import Parts, RoleModel
from benchmarks.engine import floor
from benchmarks.fake_model import fake_model

ANA = Customer(tenant="bench", id="ana", level="verified")
WILLS = {"list_upcoming_appointments": "look up your appointments", "get_open_invoices": "check your billing"}


class InstantTool:
    """One of the floor's tools, as the engine meets tools."""

    def __init__(self, name: str) -> None:
        self.spec = ToolSpec(
            name=name,
            description=name,
            parameters={"type": "object", "properties": {}},
            hints={"en": Hint(doing=WILLS[name], will=WILLS[name])},
        )

    def validate(self, arguments: JsonObject) -> JsonObject:
        return arguments

    async def run(self, arguments: JsonObject, *, customer: Customer, context: ToolContext) -> ToolResult:
        return ToolResult(await floor.TOOLS[self.spec.name]())  # pyright: ignore[reportArgumentType]

    async def read_back(self, arguments: JsonObject, *, customer: Customer) -> str | None:
        return None


class NoLog(MemoryLog):
    """Forgets at once: what the engine costs without any log."""

    async def append(self, key: ConversationKey, entries: Sequence[Logged]) -> None:
        pass


class Engine:
    """The product without its door: a new conversation for every turn."""

    def __init__(self, url: str, model: str, log: Log) -> None:
        self.log = log
        self.clock = SystemClock()
        self.connections = Connections(self.clock)
        connected = OpenAIModel(
            f"openai/{model}",
            base_url=url,
            api_key=None,
            clock=self.clock,
            formatter=formatter("openai"),
            connections=self.connections,
        )
        role = RoleModel(model=connected)
        self.model = connected
        self.parts = Parts(
            models={"decider": role, "narrator": role},
            tools=Tools([InstantTool(name) for name in WILLS]),
            book=shipped_book(),
            narrate=lambda outcomes, specs: "",
            clock=self.clock,
        )
        self._number = 0

    async def turn(self, listener: Callable[[Sequence[Logged]], None] | None = None) -> None:
        self._number += 1
        key = ConversationKey(tenant="bench", customer="ana", conversation=f"{id(self)}-{self._number}")
        session = Session(key=key, entries=(), parts=self.parts, log=self.log, epoch="1")
        session.customer = ANA
        if listener is not None:
            session.listen(listener)
        await session.say(client_message_id="m1", text=floor.QUESTION, locale="en")
        await session.answered()
        assert session.state.turns[-1].how == "answered"

    async def close(self) -> None:
        await self.connections.close()
        await self.log.close()


async def cpu_ms(turn: Callable[[], Awaitable[None]], turns: int) -> float:
    """CPU time of one turn, the mean of so many, threads included."""
    began = time.process_time()
    for _ in range(turns):
        await turn()
    return (time.process_time() - began) * 1000 / turns


async def compare(url: str, model: str, folder: Path, *, rounds: int, turns: int) -> None:
    """CPU per turn of the three, and their ratios."""
    session = floor.open_session()
    off, on = Engine(url, model, NoLog()), Engine(url, model, SqliteLog(folder / f"{model}.db"))
    async def bare() -> None:
        start: list[floor.Message] = [
            {"role": "system", "content": floor.SYSTEM},
            {"role": "user", "content": floor.QUESTION},
        ]
        await floor.take_turn(session, url, model, start, lambda _: None)

    contenders: dict[str, Callable[[], Awaitable[None]]] = {
        "floor": bare,
        "log off": off.turn,
        "log on": on.turn,
    }
    for turn in contenders.values():
        await cpu_ms(turn, turns)
    # As the server does after its start.
    gc.collect()
    gc.freeze()
    rows: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, turn in contenders.items():
            rows[name].append(await cpu_ms(turn, turns))
    for name, values in rows.items():
        ratio = median(value / base for value, base in zip(values, rows["floor"], strict=True))
        print(f"{model:16} {name:8} {median(values):7.2f} ms CPU a turn  {ratio:5.2f} x floor")
    await session.close()
    await off.close()
    await on.close()


async def milestones(url: str, folder: Path, *, turns: int) -> None:
    """How soon it speaks and starts, in ms, p50: from the chunk that made it possible to its durable entry."""
    model = "fake-t300-i10-a150"
    for name, log in (("log off", NoLog()), ("log on", SqliteLog(folder / "milestones.db"))):
        engine = Engine(url, model, log)
        await engine.turn()
        rows = [await _one(engine) for _ in range(turns)]
        first_words, tool_start, total = (median(column) for column in zip(*rows, strict=True))
        print(
            f"{model} {name:8} first visible {first_words:6.1f} ms after the message (the model's first token"
            f" comes at 300), first tool start {tool_start:5.2f} ms after its arguments, total {total:6.1f} ms"
        )
        await engine.close()


async def _one(engine: Engine) -> tuple[float, float, float]:
    seen: dict[str, float] = {}
    began = time.perf_counter()

    def listener(batch: Sequence[Logged]) -> None:
        now = (time.perf_counter() - began) * 1000
        for logged in batch:
            if isinstance(logged.entry, MessageText | CallRequested | CallStarted):
                seen.setdefault(type(logged.entry).__name__, now)

    await engine.turn(listener)
    total = (time.perf_counter() - began) * 1000
    return seen["MessageText"], seen["CallStarted"] - seen["CallRequested"], total


async def main(rounds: int, turns: int) -> None:
    with fake_model() as url, tempfile.TemporaryDirectory() as folder:
        await compare(url, "fake", Path(folder), rounds=rounds, turns=turns)
        await compare(url, "fake-t2-i1", Path(folder), rounds=max(2, rounds // 4), turns=max(5, turns // 4))
        await milestones(url, Path(folder), turns=10)


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=10)
    options.add_argument("--turns", type=int, default=40)
    chosen = options.parse_args()
    uvloop.run(main(chosen.rounds, chosen.turns))
