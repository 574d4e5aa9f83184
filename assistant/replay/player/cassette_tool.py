"""A tool that looks like the real one, and brings what the cassette holds."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import assert_never

from assistant.conversation.people import Customer
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import JsonObject
from assistant.errors import AssistantError, BadArguments, ToolError
from assistant.ports import Clock
from assistant.prompts.book import PromptBook
from assistant.replay.cassette.runs import Run
from assistant.replay.player.notes import Notes
from assistant.replay.player.runs import Runs
from assistant.tooling.declared import DeclaredTool
from assistant.tooling.result import ToolResult
from assistant.tooling.tool import Tool, ToolContext

_NOT_RECORDED = "that was not recorded"


@dataclass(frozen=True, slots=True, eq=False)
class CassetteTool:
    """Declared as ``real`` is, and takes its arguments; what it does is in the ``runs``.

    A run is what came of a call in the end: it is not tried again, and nobody asks what became of it.
    """

    real: Tool
    runs: Runs
    clock: Clock
    notes: Notes
    spec: ToolSpec = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "spec", replace(self.real.spec, retries=0, checked=False))

    def validate(self, arguments: JsonObject) -> JsonObject:
        """As the real tool does. Raises ``BadArguments``."""
        return self.real.validate(arguments)

    async def run(self, arguments: JsonObject, *, customer: Customer, context: ToolContext) -> ToolResult:  # noqa: ARG002
        """Do what the cassette says of this call. A call it does not know fails."""
        run = self.runs.take(self.spec.name, arguments, self._canonical)
        if run is None or run.does == "asks":
            raise ToolError(_NOT_RECORDED)
        try:
            await self.clock.sleep(run.after_ms / 1000)
            if run.does == "hangs":
                await asyncio.get_running_loop().create_future()
        except asyncio.CancelledError:
            if self.spec.effect == "read" and run.does != "hangs":
                self.runs.cut_off(run)
            raise
        brought = _brought(run)
        return _identified(brought, customer) if self.spec.role == "identifies" else brought

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
