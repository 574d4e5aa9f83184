"""Reads a tools folder's MCP servers: which there are, which of their tools are approved, and those tools."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import structlog

from assistant.mcp.approval import Approved, Definition, read_approved, schema_problem
from assistant.mcp.config import (
    MCP_FILE,
    HttpTransport,
    McpConfig,
    ProcessTransport,
    ServerConfig,
    ToolConfig,
    TransportConfig,
    read_config,
)
from assistant.mcp.tool import McpTool, ToolServers, spec_of
from assistant.tools.declaration_errors import (
    Lines,
    Mistake,
    declaration_error,
    line_of,
    source_location,
    toml_lines,
)
from assistant.tools.options import by_locale

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class McpFolder:
    """Everything that ``mcp.toml`` and ``mcp.approved.json`` of one folder say. Nothing is connected by it."""

    path: Path
    written: McpConfig = field(default_factory=McpConfig)
    approved: Approved = field(default_factory=dict[str, Mapping[str, Definition]])
    tools: tuple[McpTool, ...] = ()

    def reach(self, server: str) -> TransportConfig:
        """How a server of this folder is reached."""
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
    """Read it, and make a tool of each one that is approved.

    Raises:
        DeclarationError: a line for each mistake, with file, place and cure.
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
