"""Tools with the declarations of the real tools that return the results of a cassette."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf

from assistant.conversation.customer import Customer
from assistant.conversation.tool_spec import Hint, ToolSpec
from assistant.conversation.values import Json, JsonObject
from assistant.errors import AssistantError, BadArguments, ToolError
from assistant.formats.json_text import json_text
from assistant.ports import Clock
from assistant.prompts.book import PromptBook
from assistant.replay.cassette import Cassette
from assistant.replay.played import Mismatches
from assistant.replay.replies import Declared, Run
from assistant.testing.fake_tool import FakeTool, Gives, fake_spec
from assistant.tools.decorator import DeclaredTool
from assistant.tools.hints import infinitive
from assistant.tools.tool import Tool, ToolContext, ToolResult

Canonical = Callable[[JsonObject], JsonObject]
"""Normalizes a call's arguments as its tool does."""


@dataclass(slots=True, eq=False)
class _Placed:
    turn: int
    run: Run
    ran: bool = False
    asked: bool = False


class CassetteRuns:
    """The runs of a cassette. ``restarting`` tells whether the server is restarting.

    Each run is used for one call: first the runs with the call's own arguments, then the tool's next run.
    The runs of turns from ``reusable_from`` on are used for any number of calls, for models that may ask in another
    order. Those that no call has used come first.
    """

    def __init__(
        self, cassette: Cassette, mismatches: Mismatches, *, reusable_from: int | None = None
    ) -> None:
        self.restarting: Callable[[], bool] = lambda: False
        self._mismatches = mismatches
        self._reusable_from = inf if reusable_from is None else reusable_from
        self._runs = [
            _Placed(number, run) for number, turn in enumerate(cassette.turns, 1) for run in turn.results
        ]
        self._asked: list[tuple[str, JsonObject, str]] = []

    def runs_of(self, tool: str) -> Sequence[Run]:
        """Returns all runs of this tool, used or not."""
        return [one.run for one in self._runs if one.run.tool == tool]

    def use_run(self, tool: str, arguments: JsonObject, canonical: Canonical) -> Run | None:
        """Returns the run for this call. If there is none, it reports this and returns None."""
        placed = self._next_run(tool, arguments, canonical)
        if placed is not None:
            placed.ran = True
            return placed.run
        given = [json_text(one.run.arguments) for one in self._left(tool) if one.run.arguments is not None]
        if self._mismatches.turn_now() >= self._reusable_from:
            why = ", which was not recorded"
        elif given:
            why = f"; the cassette has it with {' and '.join(given)}"
        else:
            why = "; the cassette has no run of it left"
        self._mismatches.add(f"{tool} ran with {json_text(arguments)}{why}")
        return None

    def clause(self, tool: str, arguments: JsonObject, canonical: Canonical) -> str | None:
        """Returns the clause of the question before this call, or None if the cassette has none.

        A repeated question gets the same clause.
        """
        left = [
            one
            for one in self._runs
            if one.run.tool == tool and one.run.confirm is not None and (self._reusable(one) or not one.asked)
        ]
        placed = next((one for one in left if _is_meant(one.run, arguments, canonical)), None)
        if placed is None:
            same = (clause for name, asked, clause in self._asked if (name, asked) == (tool, arguments))
            if (again := next(same, None)) is not None:
                return again
            placed = next((one for one in left if one.run.arguments is None), None)
        if placed is None or placed.run.confirm is None:
            return None
        placed.asked = True
        self._asked.append((tool, arguments, placed.run.confirm))
        return placed.run.confirm

    def refusal(self, tool: str, arguments: JsonObject, canonical: Canonical) -> Run | None:
        """Returns the run that refuses this call before the customer is asked; the run then counts as used.

        Returns None if no run refuses the call.
        """
        placed = self._next_run(tool, arguments, canonical)
        if placed is None or placed.run.does != "fails":
            return None
        placed.ran = True
        return placed.run

    def cut_off(self, run: Run) -> None:
        """Make a run available again, because a restart of the server ended its call before the run was over."""
        if self.restarting():
            for placed in self._runs:
                placed.ran = placed.ran and placed.run is not run

    def note_unused(self) -> None:
        """Report each unused run and clause, except those that are reusable."""
        for placed in self._runs:
            if self._reusable(placed):
                continue
            tool, asks = placed.run.tool, placed.run.does == "asks"
            if asks and not placed.asked:
                self._mismatches.add(f"the customer was never asked about {tool}", placed.turn)
            elif not asks and not placed.ran:
                with_ = "" if placed.run.arguments is None else f" with {json_text(placed.run.arguments)}"
                told = f"{tool} never ran{with_}, and the cassette has a run of it"
                self._mismatches.add(told, placed.turn)

    def _reusable(self, placed: _Placed) -> bool:
        return placed.turn >= self._reusable_from

    def _left(self, tool: str) -> list[_Placed]:
        of_tool = (one for one in self._runs if one.run.tool == tool and one.run.does != "asks")
        left = [one for one in of_tool if self._reusable(one) or not one.ran]
        return sorted(left, key=lambda one: one.ran)

    def _next_run(self, tool: str, arguments: JsonObject, canonical: Canonical) -> _Placed | None:
        left = self._left(tool)
        equal = (one for one in left if _is_meant(one.run, arguments, canonical))
        any_ = (one for one in left if self._reusable(one) or one.run.arguments is None)
        return next(equal, next(any_, None))


def _is_meant(run: Run, arguments: JsonObject, canonical: Canonical) -> bool:
    return run.arguments is not None and arguments in (run.arguments, canonical(run.arguments))


def declared_tool(declared: Declared, clock: Clock) -> Tool:
    """Returns a tool with this declaration. The cassette defines its results."""
    will = declared.will if declared.will is not None else infinitive(declared.waiting_hint)
    spec = fake_spec(
        declared.name,
        declared.waiting_hint,
        will,
        effect=declared.effect,
        confirm=declared.confirm,
        acknowledge=declared.acknowledge,
        needs_customer=declared.needs_customer,
        timeout_s=declared.timeout_s,
        arguments=declared.arguments,
        required=declared.required,
        narration=declared.narration,
    )
    hints = {locale: Hint(doing=doing, will=to_do) for locale, (doing, to_do) in declared.hints.items()}
    spec = replace(
        spec,
        hints={**(spec.hints if declared.waiting_hint else {}), **hints},
        description=declared.description or spec.description,
        requires=declared.requires or spec.requires,
        max_concurrency=declared.max_concurrency,
        retries=declared.retries,
        cache_ttl_s=declared.cache_ttl_s,
        idempotent=declared.idempotent,
        checked=declared.reconciles,
        trusted=declared.trusted,
        long=declared.long,
    )
    return FakeTool(spec, Gives(None), clock)


_NOT_RECORDED = "that was not recorded"


@dataclass(frozen=True, slots=True, eq=False)
class CassetteTool:
    """A tool with the declaration and validation of ``real`` whose behaviour comes from ``runs``.

    A run is the final result of a call. It is retried or reconciled only if the run says so.
    """

    real: Tool
    runs: CassetteRuns
    clock: Clock
    mismatches: Mismatches
    spec: ToolSpec = field(init=False)
    _taken: dict[str, Run | None] = field(default_factory=dict[str, Run | None], init=False)

    def __post_init__(self) -> None:
        spec = self.real.spec
        runs = self.runs.runs_of(spec.name)
        retries = spec.retries if any(run.fails_first for run in runs) else 0
        checked = spec.checked and any(run.reconcile or self._found_late(run) for run in runs)
        object.__setattr__(self, "spec", replace(spec, retries=retries, checked=checked))

    def validate(self, arguments: JsonObject) -> JsonObject:
        """Validate as the real tool does. Raises ``BadArguments``."""
        return self.real.validate(arguments)

    async def run(self, arguments: JsonObject, *, customer: Customer, context: ToolContext) -> ToolResult:
        """Do what the cassette says for this call. A call without a run fails."""
        if context.attempt == 1:
            self._taken[context.key] = self.runs.use_run(self.spec.name, arguments, self._canonical)
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
            # A call that starts again after a restart finds its run again.
            if (self.spec.effect == "read" or self.spec.idempotent) and run.does != "hangs":
                self.runs.cut_off(run)
            raise
        match run.does:
            case "fails":
                raise ToolError(run.fails, for_model=run.for_model)
            case "raises":
                raise RuntimeError(run.raises or "the cassette's tool raises")
            case _ if self.spec.role == "identifies":
                return _identified(run.returns, customer)
            case _:
                return ToolResult(run.returns)

    async def check(
        self,
        arguments: JsonObject,  # noqa: ARG002 - the run was chosen by them
        *,
        customer: Customer,  # noqa: ARG002
        context: ToolContext,
    ) -> ToolResult | None:
        """Returns the cassette's result of reconciling a side effect.

        Raises ``LookupError`` if the result is unknown.
        """
        run = self._taken.get(context.key)
        if run is not None and self._found_late(run):
            await self.clock.sleep(run.after_ms / 1000 - self.spec.timeout_s)
            return ToolResult(run.returns)
        if run is None or run.reconcile in (None, "unknown"):
            raise LookupError("the cassette cannot tell")
        return ToolResult(run.returns) if run.reconcile == "done" else None

    async def read_back(self, arguments: JsonObject, *, customer: Customer, book: PromptBook) -> str | None:
        """Returns the clause of the cassette, or else the real tool's clause if that needs only the
        arguments.

        Raises ``ToolError`` if the cassette refuses the call, because a refusal needs no run of the tool.
        """
        name = self.spec.name
        clause = self.runs.clause(name, arguments, self._canonical)
        if clause is not None:
            return clause
        if _asks_by_function(self.real):
            refusal = self.runs.refusal(name, arguments, self._canonical)
            if refusal is not None:
                raise ToolError(refusal.fails, for_model=refusal.for_model)
            self.mismatches.add(f"{name} was asked about, and the cassette has no clause for it")
            return None
        try:
            return await self.real.read_back(arguments, customer=customer, book=book)
        except AssistantError as error:
            self.mismatches.add(
                f"{name} could not be asked about: {error}; the cassette has no clause for it"
            )
            return None

    def _found_late(self, run: Run) -> bool:
        """Whether the result can only come from reconciling: the run takes longer than the tool's time limit."""
        return (
            self.real.spec.effect == "write"
            and run.does == "returns"
            and run.after_ms >= self.real.spec.timeout_s * 1000
        )

    def _canonical(self, arguments: JsonObject) -> JsonObject:
        try:
            return self.real.validate(arguments)
        except BadArguments:
            return arguments


def _identified(told: Json, customer: Customer) -> ToolResult:
    """Returns the customer whom a run has identified, with the name that models are told.

    The id is arbitrary.
    """
    if not isinstance(told, Mapping) or not told.get("verified"):
        return ToolResult(None)
    name = told.get("name")
    return ToolResult(None, identified=replace(customer, name=name if isinstance(name, str) else None))


def _asks_by_function(tool: Tool) -> bool:
    """Whether a function makes the tool's question to the customer.

    A replay does not call it, because it may read the company's data.
    """
    return isinstance(tool, DeclaredTool) and callable(tool.confirm)
