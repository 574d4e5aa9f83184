"""What a whole turn costs and how fast it speaks, beside the bare loop: ``python -m benchmarks.turn``.

The floor, the engine without a log on disk, with and without guardrails, with metrics, with metrics and traces,
with the SQLite log, and with the PostgreSQL log (on this machine, where the tests' server is installed) do the same
turn in rounds that alternate: a decision with two calls, two tools that answer at once, an answer of thirty tokens.
CPU figures are this process's own, medians over the rounds; compare the ratios.
"""

import argparse
import asyncio
import gc
import logging
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping, Sequence
from contextlib import ExitStack, aclosing, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import median
from typing import cast
from unittest.mock import patch

import structlog
import uvloop

from assistant.clock import SystemClock
from assistant.conversation.chunks import CallArguments, CallNamed, Chunk
from assistant.conversation.customer import ConversationKey, Customer
from assistant.conversation.entries import Logged, MessageText, ModelAsked, TurnEnded
from assistant.conversation.tool_spec import Hint, ToolSpec
from assistant.conversation.values import Json, JsonObject
from assistant.formats.registry import formatter
from assistant.models.http_client import Connections
from assistant.models.openai import OpenAIModel
from assistant.ports import Model, ModelRequest
from assistant.prompts.book import PromptBook, shipped_book
from assistant.sessions.config_version import FixedConfig
from assistant.sessions.session import Session
from assistant.storage_ports import Log
from assistant.store.memory_log import MemoryLog
from assistant.store.postgres.database import ConnectionPool, migrate, read_address
from assistant.store.postgres.log import PostgresLog
from assistant.store.sqlite.log import SqliteLog
from assistant.telemetry.metrics import Metrics
from assistant.telemetry.observer import TenantTelemetry
from assistant.telemetry.traces import Traces
from assistant.tools.registry import Tools
from assistant.tools.tool import ToolContext, ToolResult
from assistant.turn.context import RoleModel, TurnDependencies
from benchmarks.engine import floor
from benchmarks.fake_model import fake_model
from tests.support.postgres import make_database, postgres, programs

ANA = Customer(tenant="bench", id="ana", level="verified")
WILLS = {"list_upcoming_appointments": "look up your appointments", "get_open_invoices": "check your billing"}


OTLP = "opentelemetry.exporter.otlp.proto.http.trace_exporter"

Turn = Callable[[], Awaitable[None]]


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
        return ToolResult(cast("Json", await floor.TOOLS[self.spec.name]()))

    async def read_back(self, arguments: JsonObject, *, customer: Customer, book: PromptBook) -> str | None:
        return None


class NoLog(MemoryLog):
    """Forgets at once: what the engine costs without any log."""

    async def append(self, key: ConversationKey, entries: Sequence[Logged]) -> None:
        pass


class Engine:
    """The product without its server: a new conversation for every turn."""

    def __init__(self, url: str, model: str, log: Log, telemetry: TenantTelemetry | None = None) -> None:
        self.log, self.telemetry = log, telemetry
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
        self.deps = TurnDependencies(
            models={"decider": role, "narrator": role},
            tools=Tools([InstantTool(name) for name in WILLS]),
            book=shipped_book(),
            narrate=lambda outcomes, specs, locale: "",
            clock=self.clock,
        )
        self._number = 0

    def open(self) -> Session:
        """A new conversation."""
        self._number += 1
        key = ConversationKey(tenant="bench", customer="ana", conversation=f"{id(self)}-{self._number}")
        session = Session(
            key=key,
            entries=(),
            configs=FixedConfig(self.deps),
            log=self.log,
            epoch="1",
            telemetry=self.telemetry,
        )
        session.customer = ANA
        return session

    async def turn(self, session: Session) -> None:
        """One message, until its listener hears that the turn is over."""
        over = asyncio.get_running_loop().create_future()

        def listener(batch: Sequence[Logged]) -> None:
            if isinstance(batch[-1].entry, TurnEnded):
                over.set_result(batch[-1].entry.how)

        session.listen(listener)
        await session.say(client_message_id="m1", text=floor.QUESTION, locale="en")
        assert await over == "answered"

    async def check(self) -> None:
        """Raise ``SystemExit`` if a turn is not one decision and one answer."""
        session = self.open()
        await self.turn(session)
        asked = [each.entry.role for each in session.entries if isinstance(each.entry, ModelAsked)]
        if asked != ["decider", "narrator"]:
            raise SystemExit(f"the turn asked {asked}, and should ask the decider and the narrator once each")

    async def close(self) -> None:
        """Close its connections; the log may serve another engine."""
        await self.connections.close()


async def unguarded(engine: Engine, session: Session) -> None:
    """The same turn without guardrails: what is between it and "log off" is what they cost."""
    with patch("assistant.turn.decision_stream.guardrails_for", return_value=()):
        await engine.turn(session)


async def cpu_ms(open_turn: Callable[[], Turn], turns: int) -> float:
    """CPU time of one turn, the mean of so many, threads included; conversations are opened before."""
    ready = [open_turn() for _ in range(turns)]
    began = time.process_time()
    for turn in ready:
        await turn()
    return (time.process_time() - began) * 1000 / turns


async def compare(
    url: str, model: str, logs: Mapping[str, Log], collector: str, *, rounds: int, turns: int
) -> None:
    """CPU per turn of each, and their ratios. The time of a database's own processes is not counted."""
    session = floor.open_session()
    engines = {name: Engine(url, model, log) for name, log in logs.items()}
    off = engines["log off"]
    await off.check()
    traces = Traces(collector, release="bench")
    logging.getLogger(OTLP).setLevel(logging.CRITICAL)
    engines["metrics"] = Engine(url, model, logs["log off"], TenantTelemetry("bench", Metrics()))
    engines["traces"] = Engine(url, model, logs["log off"], TenantTelemetry("bench", Metrics(), traces))

    async def bare() -> None:
        start: list[floor.Message] = [
            {"role": "system", "content": floor.SYSTEM},
            {"role": "user", "content": floor.QUESTION},
        ]
        await floor.take_turn(session, url, model, start, lambda _: None)

    contenders: dict[str, Callable[[], Turn]] = {
        "floor": lambda: bare,
        "unguarded": lambda: partial(unguarded, off, off.open()),
    }
    for name, engine in engines.items():
        contenders[name] = lambda engine=engine: partial(engine.turn, engine.open())
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
        print(f"{model:16} {name:9} {median(values):7.2f} ms CPU a turn  {ratio:5.2f} x floor")
    await session.close()
    await traces.close()
    for engine in engines.values():
        await engine.close()


class Marks:
    """When things happened in one turn, in ms after the customer's message; the first time of each counts."""

    def __init__(self) -> None:
        self.ms: dict[str, float] = {}
        self._began = time.perf_counter()

    def mark(self, what: str) -> None:
        self.ms.setdefault(what, (time.perf_counter() - self._began) * 1000)

    def published(self, batch: Sequence[Logged]) -> None:
        if any(isinstance(logged.entry, MessageText) for logged in batch):
            self.mark("words")


class MarkedModel:
    """Notes when the first name and the first complete arguments arrive from the wire."""

    def __init__(self, model: Model, marks: Marks) -> None:
        self.name, self._model, self._marks = model.name, model, marks

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Chunk, None]:
        async with aclosing(self._model.stream(request)) as chunks:
            async for chunk in chunks:
                if isinstance(chunk, CallNamed):
                    self._marks.mark("name")
                elif isinstance(chunk, CallArguments) and chunk.fragment.endswith("}"):
                    self._marks.mark("arguments")
                yield chunk

    async def close(self) -> None:
        await self._model.close()


class MarkedTool(InstantTool):
    """Notes when it starts."""

    def __init__(self, name: str, marks: Marks) -> None:
        super().__init__(name)
        self._marks = marks

    async def run(self, arguments: JsonObject, *, customer: Customer, context: ToolContext) -> ToolResult:
        self._marks.mark("tool")
        return await super().run(arguments, customer=customer, context=context)


async def milestones(url: str, logs: Mapping[str, Log], *, turns: int) -> None:
    """How soon it speaks and how soon tools start, p50: the model's first token at 300 ms, arguments 150 ms
    after each name.
    """
    for name, log in logs.items():
        engine = Engine(url, "fake-t300-i10-a150", log)
        await engine.turn(engine.open())
        rows = [await _marked_turn(engine) for _ in range(turns)]
        words, tool, visible, total = (median(column) for column in zip(*rows, strict=True))
        print(
            f"{name:10} first words {words:5.2f} ms after the first tool's name, tool start {tool:5.2f} ms after"
            f" its arguments, first visible text at {visible:6.1f} ms, turn complete at {total:6.1f} ms"
        )
        await engine.close()


async def _marked_turn(engine: Engine) -> tuple[float, float, float, float]:
    marks = Marks()
    plain = engine.deps
    role = RoleModel(model=MarkedModel(engine.model, marks))
    engine.deps = replace(
        plain,
        models={"decider": role, "narrator": role},
        tools=Tools([MarkedTool(name, marks) for name in WILLS]),
    )
    session = engine.open()
    session.listen(marks.published)
    await engine.turn(session)
    marks.mark("over")
    engine.deps = plain
    at = marks.ms
    return at["words"] - at["name"], at["tool"] - at["arguments"], at["words"], at["over"]


@contextmanager
def refusing_collector() -> Generator[str]:
    """The address of a process that takes spans and keeps none: they are made and sent all the same."""
    command = [sys.executable, "-u", "-m", "http.server", "0", "--bind", "127.0.0.1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        port = process.stdout.readline().split("port ")[1].split()[0]
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()


async def main(rounds: int, turns: int, database: str | None) -> None:
    with fake_model() as url, refusing_collector() as collector, tempfile.TemporaryDirectory() as folder:
        logs: dict[str, Log] = {"log off": NoLog(), "sqlite": SqliteLog(Path(folder) / "log.db")}
        connections = None
        if database is not None:
            connections = ConnectionPool(read_address(database), migrate)
            logs["postgresql"] = PostgresLog(connections)
        await compare(url, "fake", logs, collector, rounds=rounds, turns=turns)
        await compare(
            url, "fake-t2-i1", logs, collector, rounds=max(2, rounds // 4), turns=max(5, turns // 4)
        )
        await milestones(url, logs, turns=10)
        for log in logs.values():
            await log.close()
        if connections is not None:
            await connections.close()


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=10)
    options.add_argument("--turns", type=int, default=40)
    chosen = options.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    with ExitStack() as in_the_end:
        address = None
        if (found := programs()) is not None:
            address = make_database(in_the_end.enter_context(postgres(found, durable=True)), "turns")
        uvloop.run(main(chosen.rounds, chosen.turns, address))
