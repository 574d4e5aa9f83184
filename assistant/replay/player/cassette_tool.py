"""A tool that looks like the real one, and brings what the cassette holds."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import assert_never

from assistant.conversation.customer import Customer
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import JsonObject
from assistant.errors import AssistantError, BadArguments, ToolError
from assistant.ports import Clock
from assistant.prompts.book import PromptBook
from assistant.replay.player.notes import Notes
from assistant.replay.player.runs import Runs
from assistant.replay.replies import Run
from assistant.tooling.decorator import DeclaredTool
from assistant.tooling.tool import Tool, ToolContext, ToolResult

_NOT_RECORDED = "that was not recorded"


@dataclass(frozen=True, slots=True, eq=False)
class CassetteTool:
    """Declared as ``real`` is, and takes its arguments; what it does is in the ``runs``.

    A run is what came of a call in the end: it is tried again, or asked for afterwards, only where it says so.
    """

    real: Tool
    runs: Runs
    clock: Clock
    notes: Notes
    spec: ToolSpec = field(init=False)
    _taken: dict[str, Run | None] = field(default_factory=dict[str, Run | None], init=False)

    def __post_init__(self) -> None:
        spec = self.real.spec
        runs = self.runs.of(spec.name)
        retries = spec.retries if any(run.fails_first for run in runs) else 0
        checked = spec.checked and any(run.check or self._found_late(run) for run in runs)
        object.__setattr__(self, "spec", replace(spec, retries=retries, checked=checked))

    def validate(self, arguments: JsonObject) -> JsonObject:
        """As the real tool does. Raises ``BadArguments``."""
        return self.real.validate(arguments)

    async def run(self, arguments: JsonObject, *, customer: Customer, context: ToolContext) -> ToolResult:
        """Do what the cassette says of this call. A call it does not know fails."""
        if context.attempt == 1:
            self._taken[context.key] = self.runs.take(self.spec.name, arguments, self._canonical)
        run = self._taken[context.key]
        if run is None or run.does == "asks":
            raise ToolError(_NOT_RECORDED)
        if context.attempt <= run.fails_first:
            raise ConnectionError("the cassette's service is away")
        try:
            await self.clock.sleep(run.after_ms / 1000)
            if run.does == "hangs":
                await asyncio.get_running_loop().create_future()
        except asyncio.CancelledError:
            # What is begun anew after a restart finds its run again.
            if (self.spec.effect == "read" or self.spec.idempotent) and run.does != "hangs":
                self.runs.cut_off(run)
            raise
        brought = _brought(run)
        return _identified(brought, customer) if self.spec.role == "identifies" else brought

    async def check(
        self,
        arguments: JsonObject,  # noqa: ARG002 - the run was found by them
        *,
        customer: Customer,  # noqa: ARG002
        context: ToolContext,
    ) -> ToolResult | None:
        """What the cassette says became of a side effect. Raises ``LookupError`` where it cannot be told."""
        run = self._taken.get(context.key)
        if run is not None and self._found_late(run):
            await self.clock.sleep(run.after_ms / 1000 - self.spec.timeout_s)
            return ToolResult(run.gives)
        match run.check if run is not None else None:
            case "done":
                return ToolResult(run.gives if run is not None else None)
            case "not_done":
                return None
            case _:
                raise LookupError("nobody can tell")

    async def read_back(self, arguments: JsonObject, *, customer: Customer, book: PromptBook) -> str | None:
        """The cassette's clause or refusal, or else the real tool's where that needs nothing but the arguments.

        Raises ``ToolError`` where the cassette refuses: the tool need not run to know that it cannot.
        """
        name = self.spec.name
        clause = self.runs.clause(name, arguments, self._canonical)
        if clause is not None:
            return clause
        if _asks_elsewhere(self.real):
            refusal = self.runs.refusal(name, arguments, self._canonical)
            if refusal is not None:
                raise ToolError(refusal.refuses, for_model=refusal.for_model)
            self.notes.add(f"{name} was asked about, and the cassette has no clause for it")
            return None
        try:
            return await self.real.read_back(arguments, customer=customer, book=book)
        except AssistantError as error:
            self.notes.add(f"{name} could not be asked about: {error}; the cassette has no clause for it")
            return None

    def _found_late(self, run: Run) -> bool:
        """Whether what a side effect gave can only have been found out afterwards: its time was up before."""
        return (
            self.real.spec.effect == "write"
            and run.does == "gives"
            and run.after_ms >= self.real.spec.timeout_s * 1000
        )

    def _canonical(self, arguments: JsonObject) -> JsonObject:
        try:
            return self.real.validate(arguments)
        except BadArguments:
            return arguments


def _brought(run: Run) -> ToolResult:
    match run.does:
        case "gives" | "hangs" | "asks":
            return ToolResult(run.gives)
        case "refuses":
            raise ToolError(run.refuses, for_model=run.for_model)
        case "breaks":
            raise RuntimeError(run.breaks or "the cassette's tool breaks")
        case _:
            assert_never(run.does)


def _identified(brought: ToolResult, customer: Customer) -> ToolResult:
    """Whom a run has identified: it holds their name, as models are told it, and their number is any."""
    told = brought.value
    if not isinstance(told, Mapping) or not told.get("verified"):
        return ToolResult(None)
    name = told.get("name")
    return ToolResult(None, identified=replace(customer, name=name if isinstance(name, str) else None))


def _asks_elsewhere(tool: Tool) -> bool:
    """Whether its clause comes from a function: that may look into the company's books."""
    return isinstance(tool, DeclaredTool) and callable(tool.confirm)
