"""A tool of an MCP server, and the tools of a folder: its servers, and their approved tools."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Protocol, cast

import structlog

from assistant.conversation.customer import Customer, Level
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import Effect, Json, JsonObject
from assistant.errors import BadArguments, CredentialError
from assistant.formats.tools import wire_name
from assistant.language.sanitize import sanitize, sanitize_data
from assistant.mcp.approval import Approved, Definition, read_approved, schema_problem
from assistant.mcp.config import (
    MCP_FILE,
    HttpTransport,
    McpConfig,
    ProcessTransport,
    ServerConfig,
    ToolConfig,
    TransportConfig,
    is_of_sign_in,
    read_config,
)
from assistant.prompts.book import PromptBook
from assistant.tools.arguments import Checker, Violation, checker_of, cut, shown
from assistant.tools.confirmation import clause_of
from assistant.tools.declaration_errors import (
    Lines,
    Mistake,
    declaration_error,
    line_of,
    source_location,
    toml_lines,
)
from assistant.tools.hints import read_hints
from assistant.tools.options import Options, approval_problems, by_locale, is_locale, template_problem
from assistant.tools.schema import simplify_schema
from assistant.tools.tool import ToolContext, ToolResult

_MOST = 8


def check_arguments(
    tool: str, arguments: JsonObject, checker: Checker, not_theirs: Collection[str] = ()
) -> None:
    """Raise ``BadArguments``, with one line for each problem, if the arguments do not match the schema.

    ``not_theirs`` are arguments that a model may not set.
    """
    problems = [f"{name} is not one of the tool's parameters" for name in not_theirs if name in arguments]
    problems += [line for violation in checker.iter_errors(arguments) for line in _lines(violation)]
    if problems:
        raise BadArguments(tool, list(dict.fromkeys(problems))[:_MOST])


def _lines(violation: Violation) -> Iterator[str]:
    within = ".".join(map(str, violation.absolute_path))
    given = violation.instance
    if violation.validator == "required" and isinstance(given, dict):
        # For missing names there is one violation for each name, which only its message contains.
        yield f"{_joined(within, violation.message.split(chr(39))[1])} is missing"
    elif violation.validator == "additionalProperties" and violation.validator_value is False:
        yield f"{within or 'the arguments'}: {cut(violation.message)}"
    else:
        yield f"{within or 'the arguments'} does not fit: {cut(violation.message)} (given: {shown(given)})"


def _joined(within: str, name: str) -> str:
    return f"{within}.{name}" if within else name


class ToolServers(Protocol):
    """The part of :class:`McpServers` that tools use."""

    async def call(
        self, server: str, definition: Definition, arguments: JsonObject, effect: Effect, token: str = ""
    ) -> ToolResult:
        """Call an approved tool of a server that has not changed since the approval. Raises ``ToolError``.

        With the customer's ``token`` the call has a connection of its own that uses the token.
        """
        ...


@dataclass(frozen=True, kw_only=True, eq=False)
class McpTool:
    """A :class:`assistant.tools.tool.Tool` with the approved ``definition``.

    ``fill`` maps arguments that models do not see to the sources of their values. ``read_backs`` are
    templates of the question's clause, by locale. ``signs_in`` is True if calls use the customer's own token.
    """

    spec: ToolSpec
    server: str
    definition: Definition
    callees: ToolServers
    fill: Mapping[str, str] = field(default_factory=dict[str, str])
    signs_in: bool = False
    read_backs: Mapping[str, str] = field(default_factory=dict[str, str])

    def validate(self, arguments: JsonObject) -> JsonObject:
        """Returns the arguments unchanged, because the server fills in defaults. Raises ``BadArguments``."""
        check_arguments(self.spec.name, arguments, self._checker, self.fill)
        return arguments

    async def run(self, arguments: JsonObject, *, customer: Customer, context: ToolContext) -> ToolResult:
        """Call the tool. Raises ``ToolError``."""
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
            raise CredentialError(refused=False)  # the site has not passed on this claim
        filled = {name: sources[source] for name, source in self.fill.items()}
        token = held.token if held is not None and self.signs_in else ""
        return await self.callees.call(
            self.server, self.definition, {**arguments, **filled}, self.spec.effect, token
        )

    @property
    def _needs_token(self) -> bool:
        return self.signs_in or "customer.token" in self.fill.values()

    async def read_back(self, arguments: JsonObject, *, customer: Customer, book: PromptBook) -> str | None:
        """Returns the clause that says what would be done, in ``customer.locale``, or None if there is no
        template in that language.
        """
        return clause_of(self.read_backs, self.spec, arguments, customer.locale, book)

    @cached_property
    def _checker(self) -> Checker:
        return checker_of(self.spec.parameters)


def spec_of(
    server: str,
    definition: Definition,
    written: ToolConfig,
    *,
    timeout_s: float,
    where: str,
    signs_in: bool = False,
) -> tuple[ToolSpec, list[str]]:
    """Returns the declaration of a tool, and the problems of its settings in ``mcp.toml``.

    ``signs_in`` is True if calls use the customer's own token. Without a setting, a tool counts as a side
    effect that must be confirmed. The server's own claims about this are not trusted.
    """
    parameters = parameters_of(definition, written)
    effect = written.effect or "write"
    confirm = written.confirm if written.confirm is not None else effect == "write"
    hints, hint_problems = read_hints(_spoken(written))
    narrations = dict(by_locale(written.narration)) if written.narration is not None else {}
    credential = signs_in or any(map(is_of_sign_in, written.fill.values()))
    spec = ToolSpec(
        name=tool_name(server, definition.name, written),
        description=sanitize(definition.description),
        parameters=parameters,
        hints=hints,
        effect=effect,
        timeout_s=written.timeout_s or timeout_s,
        confirm=bool(confirm),
        acknowledge=written.acknowledge,
        narration=narrations.pop("en", None),
        narrations=narrations,
        examples=written.examples,
        requires="signed_in" if credential else written.requires or _required_by(written),
        credential=credential,
        idempotent=written.idempotent,
        retries=written.retries,
        cache_ttl_s=written.cache_ttl_s,
        max_concurrency=written.max_concurrency,
        instructions=written.instructions,
        trusted=written.trusted,
        approve=written.approve,
        approve_when=written.when.strip(),
        foreign=True,
        where=where,
    )
    problems = [*hint_problems, *_problems(definition, written, parameters)]
    properties = cast("Mapping[str, Json]", parameters.get("properties", {}))
    problems += approval_problems(
        written.approve, written.when, writes=effect == "write", long=False, parameters=properties.keys()
    )
    if credential and written.requires not in (None, "signed_in"):
        problems.append(
            f"requires {written.requires!r} does not go with a signed-in customer's own token or claims;"
            " leave it out"
        )
    return spec, problems


def tool_name(server: str, tool: str, written: ToolConfig) -> str:
    """Returns the tool's name in this application: the server's name and the tool's, unless the settings have
    another name.

    All models accept names of this form, so logs, cassettes and models use the same name.

    >>> tool_name("crm", "orders.find", ToolConfig())
    'crm_orders_find'
    """
    return written.rename or wire_name(f"{server}_{tool}")


def parameters_of(definition: Definition, written: ToolConfig) -> JsonObject:
    """Returns the schema of the arguments that a model chooses."""
    schema = cast("JsonObject", sanitize_data(simplify_schema(definition.input)))
    properties = cast("Mapping[str, Json]", schema.get("properties", {}))
    required = [name for name in cast("list[str]", schema.get("required", [])) if name not in written.fill]
    left = {name: one for name, one in properties.items() if name not in written.fill}
    rest = {name: one for name, one in schema.items() if name != "required"}
    return {**rest, "type": "object", "properties": left, **({"required": required} if required else {})}


def _spoken(written: ToolConfig) -> Options:
    hints = {locale: (hint.doing, hint.will) for locale, hint in written.hints.items()}
    return Options(waiting_hint=written.waiting_hint, will=written.will, hints=hints)


def _required_by(written: ToolConfig) -> Level:
    return (
        "verified" if any(source.startswith("customer.") for source in written.fill.values()) else "anonymous"
    )


def _problems(definition: Definition, written: ToolConfig, parameters: JsonObject) -> Iterator[str]:
    known = set(cast("Mapping[str, Json]", definition.input.get("properties", {})))
    for name in sorted(set(written.fill) - known):
        yield f"fill: {name!r} is not one of its arguments; they are: {', '.join(sorted(known)) or 'none'}"
    left = set(cast("Mapping[str, Json]", parameters["properties"]))
    if written.narration is not None:
        yield from _template_problems("narration", written.narration, {"value", "arguments"}, left)
    if isinstance(written.confirm, str | Mapping):
        yield from _template_problems("confirm", written.confirm, {"arguments"}, left)


def _template_problems(
    option: str, templates: str | Mapping[str, str], variables: set[str], arguments: set[str]
) -> Iterator[str]:
    for locale, template in by_locale(templates).items():
        if not is_locale(locale):
            yield f"{option}: {locale!r} should be a locale such as 'de'"
        elif problem := template_problem(template, variables, sorted(arguments)):
            yield f"{option} {problem}"


log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class McpFolder:
    """The contents of a folder's ``mcp.toml`` and ``mcp.approved.json``. It makes no connections."""

    path: Path
    written: McpConfig = field(default_factory=McpConfig)
    approved: Approved = field(default_factory=dict[str, Mapping[str, Definition]])
    tools: tuple[McpTool, ...] = ()

    def reach(self, server: str) -> TransportConfig:
        """Returns the transport of a server in this folder's mcp.toml."""
        written = self.written.servers[server]
        if written.url is not None:
            return HttpTransport(
                url=written.url,
                headers=tuple(written.headers.items()),
                auth=written.auth,
                customer_auth=written.customer_auth,
            )
        return ProcessTransport(
            command=written.command or "",
            args=written.args,
            env=written.env,
            plain=tuple(written.env_plain.items()),
            folder=self.path.resolve(),
        )


def read_mcp_folder(path: Path, callees: ToolServers) -> McpFolder:
    """Read the folder, and make a tool for each approved definition.

    Raises:
        DeclarationError: one line for each mistake, with the file, the line and what to do.
    """
    written = read_config(path)
    if not written.servers:
        return McpFolder(path=path)
    approved = read_approved(path)
    tools: list[McpTool] = []
    mistakes: list[Mistake] = []
    lines = toml_lines((path / MCP_FILE).read_text(encoding="utf-8"))
    for name, server in written.servers.items():
        for tool, problems in _tools(name, server, approved.get(name, {}), callees, path / MCP_FILE, lines):
            tools.append(tool)
            mistakes += [Mistake(tool.spec.where, problem, tool.spec.name) for problem in problems]
    if mistakes:
        raise declaration_error(mistakes)
    return McpFolder(path=path, written=written, approved=approved, tools=tuple(tools))


def _tools(
    server: str,
    written: ServerConfig,
    approved: Mapping[str, Definition],
    callees: ToolServers,
    file: Path,
    lines: Lines,
) -> Iterator[tuple[McpTool, list[str]]]:
    for name, definition in approved.items():
        wishes = written.tools.get(name, ToolConfig())
        if not wishes.offered:
            continue
        if problem := schema_problem(definition.input):
            log.warning("mcp tool is not offered", server=server, tool=name, why=problem)
            continue
        path = ["servers", server, *(["tools", name] if name in written.tools else [])]
        where = source_location(file, line_of(path, lines))
        signs_in = written.customer_auth is not None
        spec, problems = spec_of(
            server, definition, wishes, timeout_s=written.timeout_s, where=where, signs_in=signs_in
        )
        yield (
            McpTool(
                spec=spec,
                server=server,
                definition=definition,
                callees=callees,
                fill=wishes.fill,
                signs_in=signs_in,
                read_backs=_read_backs(wishes),
            ),
            problems,
        )


def _read_backs(wishes: ToolConfig) -> Mapping[str, str]:
    if wishes.confirm is None or isinstance(wishes.confirm, bool):
        return {}
    return by_locale(wishes.confirm)
