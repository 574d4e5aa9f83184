"""A tool that a server of somebody else's runs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

from assistant.conversation.people import Customer
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import Effect, JsonObject
from assistant.mcp.arguments import check_arguments
from assistant.mcp.definition import Definition
from assistant.mcp.written import Filling
from assistant.prompts.book import PromptBook
from assistant.tooling.context import ToolContext
from assistant.tooling.declare.read_back import clause_of
from assistant.tooling.result import ToolResult
from assistant.tooling.violations import Checker, checker_of


class Callees(Protocol):
    """The servers, as those see them who have something done by one."""

    async def call(
        self, server: str, definition: Definition, arguments: JsonObject, effect: Effect
    ) -> ToolResult:
        """Have a server do what was approved, and nothing else. Raises ``ToolError``."""
        ...


@dataclass(frozen=True, kw_only=True, eq=False)
class McpTool:
    """A :class:`assistant.tooling.tool.Tool`, approved as ``definition`` says.

    ``fill`` maps arguments that no model sees to where their values come from; ``read_backs`` has the
    question's clause as a template, by locale.
    """

    spec: ToolSpec
    server: str
    definition: Definition
    callees: Callees
    fill: Mapping[str, Filling] = field(default_factory=dict[str, Filling])
    read_backs: Mapping[str, str] = field(default_factory=dict[str, str])

    def validate(self, arguments: JsonObject) -> JsonObject:
        """The arguments as they are: defaults are the server's matter. Raises ``BadArguments``."""
        check_arguments(self.spec.name, arguments, self._checker, self.fill)
        return arguments

    async def run(self, arguments: JsonObject, *, customer: Customer, context: ToolContext) -> ToolResult:
        """Have its server do it. Raises ``ToolError``."""
        sources: Mapping[Filling, str] = {
            "customer.id": customer.id,
            "customer.name": customer.name or "",
            "customer.locale": customer.locale,
            "call.key": context.key,
        }
        filled = {name: sources[source] for name, source in self.fill.items()}
        return await self.callees.call(
            self.server, self.definition, {**arguments, **filled}, self.spec.effect
        )

    async def read_back(self, arguments: JsonObject, *, customer: Customer, book: PromptBook) -> str | None:
        """The clause that tells what would be done, in ``customer.locale``; None without a wording in it."""
        return clause_of(self.read_backs, self.spec, arguments, customer.locale, book)

    @cached_property
    def _checker(self) -> Checker:
        return checker_of(self.spec.parameters)
