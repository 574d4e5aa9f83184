"""A tool made of a decorated function."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Generic, ParamSpec, TypeVar, cast

from assistant.conversation.customer import Customer
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import JsonObject
from assistant.prompts.book import PromptBook
from assistant.tooling.context import ToolContext
from assistant.tooling.declare.check import Check, ask_check
from assistant.tooling.declare.options import Confirm, PerLocale, by_locale
from assistant.tooling.declare.parameters import Parameters
from assistant.tooling.declare.read_back import ask_for_clause, clause_of
from assistant.tooling.mistakes import Mistake, declaration_error
from assistant.tooling.result import ToolResult, to_json
from assistant.tooling.running.call_through import call_through
from assistant.tooling.running.identity import customer_of

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True, kw_only=True, eq=False)
class DeclaredTool(Generic[P, R]):
    """A :class:`assistant.tooling.tool.Tool` that can still be called as the plain function it was.

    ``mistakes`` is what is wrong with the declaration. A tool with mistakes never runs, and no registry
    takes it; it exists so that all mistakes of all files can be told at once.
    """

    function: Callable[P, R]
    spec: ToolSpec
    parameters: Parameters
    confirm: Confirm
    checking: Check | None = None
    mistakes: tuple[Mistake, ...] = ()

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Call the function itself: nothing is validated, injected or turned into JSON."""
        return self.function(*args, **kwargs)

    def validate(self, arguments: JsonObject) -> JsonObject:
        """The arguments as they will be used. Raises ``BadArguments``."""
        self._refuse_mistakes()
        return self.parameters.canonical(self.spec.name, arguments)

    async def run(self, arguments: JsonObject, *, customer: Customer, context: ToolContext) -> ToolResult:
        """Call the function with what it asks for. Raises whatever it raises."""
        self._refuse_mistakes()
        values = self.parameters.values(self.spec.name, arguments)
        injected = self.parameters.inject(*self._handed(customer, context))
        result = await call_through(self.function, {**values, **injected}, to_the_end=True)
        if self.spec.role == "identifies":
            return ToolResult(None, identified=customer_of(result))
        return _as_json(result, context)

    async def check(
        self, arguments: JsonObject, *, customer: Customer, context: ToolContext
    ) -> ToolResult | None:
        """What the function given as ``check`` says became of it; it must have one. Raises whatever it raises."""
        self._refuse_mistakes()
        assert self.checking is not None  # noqa: S101 - the spec says whether it has one
        values = self.parameters.values(self.spec.name, arguments)
        done = await ask_check(self.checking, values, *self._handed(customer, context))
        return None if done is None else _as_json(done, context)

    async def read_back(self, arguments: JsonObject, *, customer: Customer, book: PromptBook) -> str | None:
        """The clause that tells what would be done, in ``customer.locale``; None without a wording in it."""
        self._refuse_mistakes()
        if isinstance(self.confirm, bool):
            return None
        if isinstance(self.confirm, str | Mapping):
            templates = by_locale(cast("PerLocale", self.confirm))
            return clause_of(templates, self.spec, arguments, customer.locale, book)
        values = self.parameters.values(self.spec.name, arguments)
        return await ask_for_clause(self.confirm, values, replace(customer, credential=None))

    def _handed(self, customer: Customer, context: ToolContext) -> tuple[Customer, ToolContext]:
        """The credential goes to the tools that ask for it, through the context alone."""
        if customer.credential is None:
            return customer, context
        held = customer.credential if self.spec.credential else None
        return replace(customer, credential=None), replace(context, held=held)

    def _refuse_mistakes(self) -> None:
        if self.mistakes:
            raise declaration_error(self.mistakes)


def _as_json(result: object, context: ToolContext) -> ToolResult:
    if isinstance(result, ToolResult):
        found = cast("ToolResult[object]", result)
        return ToolResult(to_json(found.value, context.log), found.media)
    return ToolResult(to_json(result, context.log))
