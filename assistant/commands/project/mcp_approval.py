"""``assistant tools approve``: review a server's tools before a model can use them."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from assistant.conversation.values import Effect, JsonObject
    from assistant.mcp.approval import Definition
    from assistant.mcp.supervisor import McpServers
    from assistant.mcp.tool import McpFolder
    from assistant.settings import Settings
    from assistant.tools.registry import Tools
    from assistant.tools.tool import ToolResult


def approve(
    server: Annotated[str, typer.Argument(help="the server's name in mcp.toml")],
    tools: Annotated[list[str] | None, typer.Argument(help="only these tools of the server")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="approve without a question")] = False,
) -> None:
    """Show what is new or different in a server's tools, and offer them to models from now on.

    Approvals are written to mcp.approved.json, next to mcp.toml: keep both under version control.
    """
    from assistant.commands.logging import set_up_logging
    from assistant.mcp.approval import APPROVAL_FILE, write_approved

    set_up_logging("ERROR")
    folder, servers = _folder_and_servers()
    approved = folder.approved.get(server, {})
    offered, left_out = asyncio.run(_offered(server, folder, servers))
    for name, why in left_out.items():
        typer.echo(f"left out: {name}: {why}")
    wanted = _wanted(approved, offered, tools or ())
    for name in wanted:
        for line in _told(server, name, offered.get(name), approved.get(name)):
            typer.echo(line)
    usable = [name for name in wanted if name not in offered or _can_be_offered(offered[name])]
    if not usable:
        typer.echo("Nothing is left to approve.")
        return
    if not yes and not typer.confirm(f"Approve {', '.join(usable)}?"):
        raise typer.Exit(1)
    kept = {name: one for name, one in approved.items() if name not in usable}
    kept |= {name: offered[name] for name in usable if name in offered}
    write_approved(folder.path, {**folder.approved, server: kept})
    typer.echo(f"Approved. It is stored in {folder.path / APPROVAL_FILE}.")


def with_mcp(tools: "Tools", path: "Path", settings: "Settings") -> "Tools":
    """These tools plus the approved tools of the folder's servers.

    A server is connected for each call, and stopped after it.
    """
    from assistant.mcp.tool import read_mcp_folder
    from assistant.tools.registry import Tools

    callees = _ForOneCall(path, _servers(settings))
    mcp = read_mcp_folder(path, callees)
    return Tools([*tools, *mcp.tools], tools.changes) if mcp.tools else tools


def hints_to_write(tools: "Tools") -> Iterator[str]:
    """For each server tool without a waiting hint, a hint that you could write into ``mcp.toml``."""
    from assistant.mcp.approval import drafted_hint
    from assistant.mcp.tool import McpTool

    for tool in tools:
        if isinstance(tool, McpTool) and "en" not in tool.spec.hints:
            draft = drafted_hint(tool.definition)
            yield f'{tool.spec.where}: {tool.spec.name} could have waiting_hint = "{draft or "..."}"'


def _folder_and_servers() -> "tuple[McpFolder, McpServers]":
    from assistant.mcp.tool import read_mcp_folder
    from assistant.shipped import own_or_shipped
    from assistant.tenants import load_settings

    settings = load_settings()
    servers = _servers(settings)
    return read_mcp_folder(own_or_shipped(settings.tools_dir, "tools"), servers), servers


def _servers(settings: "Settings") -> "McpServers":
    from assistant.clock import SystemClock
    from assistant.ids import SystemIds
    from assistant.mcp.supervisor import McpServers
    from assistant.resilience import jitter_from
    from assistant.settings_sources import environment

    return McpServers(SystemClock(settings.time_zone), jitter_from(SystemIds()), environment)


async def _offered(
    server: str, folder: "McpFolder", servers: "McpServers"
) -> "tuple[Mapping[str, Definition], Mapping[str, str]]":
    from assistant.mcp.status import Unreachable

    if server not in folder.written.servers:
        known = ", ".join(folder.written.servers) or "none"
        raise typer.BadParameter(f"there is no server {server!r}; there are: {known}", param_hint="SERVER")
    servers.use(folder, only=server)
    try:
        return await servers.offered(server), await servers.left_out(server)
    except Unreachable as error:
        raise typer.BadParameter(f"{server} {error}", param_hint="SERVER") from error
    finally:
        await servers.close()


def _wanted(
    approved: "Mapping[str, Definition]", offered: "Mapping[str, Definition]", names: Sequence[str]
) -> list[str]:
    from assistant.mcp.approval import changes

    waiting = changes(approved, offered)
    all_of_them = [*waiting.changed, *waiting.removed, *waiting.new]
    for name in names:
        if name not in offered and name not in approved:
            known = ", ".join(sorted(offered)) or "none"
            raise typer.BadParameter(f"it has no tool {name!r}; it has: {known}", param_hint="TOOLS")
    return [name for name in all_of_them if not names or name in names]


def _told(server: str, name: str, now: "Definition | None", before: "Definition | None") -> "Iterator[str]":
    from assistant.mcp.approval import review_text

    if now is None:
        yield f"removed: {name}"
    else:
        yield from review_text(server, now, before)


def _can_be_offered(definition: "Definition") -> bool:
    from assistant.mcp.approval import schema_problem

    return schema_problem(definition.input) is None


class _ForOneCall:
    """Connects to a server for a call, and ends it after the call."""

    def __init__(self, path: Path, servers: "McpServers") -> None:
        self._path, self._servers = path, servers

    async def call(
        self,
        server: str,
        definition: "Definition",
        arguments: "JsonObject",
        effect: "Effect",
        token: str = "",
    ) -> "ToolResult":
        """Let the server run the approved call. Raises ``ToolError``."""
        from assistant.mcp.tool import read_mcp_folder

        self._servers.use(read_mcp_folder(self._path, self._servers), only=server)
        try:
            return await self._servers.call(server, definition, arguments, effect, token)
        finally:
            await self._servers.close()
