"""A tool that a server of somebody else's runs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

from assistant.conversation.customer import Customer
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import Effect, Json, JsonObject
from assistant.errors import CredentialError
from assistant.mcp.arguments import check_arguments
from assistant.mcp.definition import Definition
from assistant.prompts.book import PromptBook
from assistant.tooling.arguments import Checker, checker_of
from assistant.tooling.confirmation import clause_of
from assistant.tooling.tool import ToolContext, ToolResult


class Callees(Protocol):
    """The servers, as those see them who have something done by one."""

    async def call(
        self, server: str, definition: Definition, arguments: JsonObject, effect: Effect, token: str = ""
    ) -> ToolResult:
        """Have a server do what was approved, and nothing else. Raises ``ToolError``.

        ``token`` is the customer's own: the call goes over a connection of its own, which carries it.
        """
        ...


@dataclass(frozen=True, kw_only=True, eq=False)
class McpTool:
    """A :class:`assistant.tooling.tool.Tool`, approved as ``definition`` says.

    ``fill`` maps arguments that no model sees to where their values come from; ``read_backs`` has the
    question's clause as a template, by locale. ``signs_in``: its server is called with the customer's own token.
    """

    spec: ToolSpec
    server: str
    definition: Definition
    callees: Callees
    fill: Mapping[str, str] = field(default_factory=dict[str, str])
    signs_in: bool = False
    read_backs: Mapping[str, str] = field(default_factory=dict[str, str])

    def validate(self, arguments: JsonObject) -> JsonObject:
        """The arguments as they are: defaults are the server's matter. Raises ``BadArguments``."""
        check_arguments(self.spec.name, arguments, self._checker, self.fill)
        return arguments

    async def run(self, arguments: JsonObject, *, customer: Customer, context: ToolContext) -> ToolResult:
        """Have its server do it. Raises ``ToolError``."""
        held = customer.credential
        if self.spec.credential and (held is None or (self._needs_token and not held.token)):
            raise CredentialError(refused=False)
        sources: dict[str, Json] = {
            "customer.id": customer.id,
            "customer.name": customer.name or "",
            "customer.locale": customer.locale,
            "call.key": context.key,
        }
        if held is not None:
            sources["customer.token"] = held.token
            sources |= {f"customer.claims.{name}": value for name, value in held.claims.items()}
        if not sources.keys() >= set(self.fill.values()):
            raise CredentialError(refused=False)  # a claim that the site has not given
        filled = {name: sources[source] for name, source in self.fill.items()}
        token = held.token if held is not None and self.signs_in else ""
        return await self.callees.call(
            self.server, self.definition, {**arguments, **filled}, self.spec.effect, token
        )

    @property
    def _needs_token(self) -> bool:
        return self.signs_in or "customer.token" in self.fill.values()

    async def read_back(self, arguments: JsonObject, *, customer: Customer, book: PromptBook) -> str | None:
        """The clause that tells what would be done, in ``customer.locale``; None without a wording in it."""
        return clause_of(self.read_backs, self.spec, arguments, customer.locale, book)

    @cached_property
    def _checker(self) -> Checker:
        return checker_of(self.spec.parameters)
