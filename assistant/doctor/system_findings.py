"""The systems behind tools that nobody wrote in Python: their secrets, their drafts, and the servers of others."""

import asyncio
from collections.abc import Mapping

from assistant.clock import SystemClock
from assistant.doctor.findings import Doubtful, Finding, Fine, Wrong
from assistant.errors import DeclarationError
from assistant.ids import SystemIds
from assistant.mcp.changes import changes
from assistant.mcp.definition import Definition
from assistant.mcp.folder import McpFolder, read_mcp_folder
from assistant.mcp.servers import Servers
from assistant.mcp.unreachable import Unreachable
from assistant.resilience import jitter_from
from assistant.settings import Settings, environment
from assistant.shipped import own_or_shipped
from assistant.tooling.discovery import discover
from assistant.tooling.http.review import drafts, unset_secrets


def http_findings(settings: Settings) -> list[Finding]:
    """Which HTTP tools wait for review, and which secrets are not set. Nothing where there are none."""
    try:
        tools = discover(own_or_shipped(settings.tools_dir, "tools"), drafts=True)
    except DeclarationError:
        return []  # That is told where tools are counted.
    found: list[Finding] = []
    if unreviewed := drafts(tools):
        says = f"not offered before they are reviewed: {', '.join(unreviewed)}"
        found.append(Doubtful("drafts", says, "take 'draft = true' out of each that is as it should be"))
    for name, service in unset_secrets(tools):
        cure = "put it into the environment or into .env, in one line"
        found.append(Doubtful("secrets", f"{name} is not set, and {service} needs it", cure))
    return found


async def server_findings(settings: Settings, *, offline: bool) -> list[Finding]:
    """Whether each server of other makers' tools can be reached, and what of it waits for approval.

    ``offline``: none is started or asked. Raises ``DeclarationError`` for what is wrong in ``mcp.toml``.
    """
    path = own_or_shipped(settings.tools_dir, "tools")
    if not path.is_dir():
        return []  # That is told where tools are counted.
    servers = Servers(SystemClock(), jitter_from(SystemIds()), environment)
    folder = read_mcp_folder(path, servers)
    names = list(folder.written.servers)
    if offline:
        return [Fine("server", f"{name}: not asked; its lines in the file are in order") for name in names]
    servers.use(folder)
    try:
        return await asyncio.gather(*(_found(name, folder, servers) for name in names))
    finally:
        await servers.close()


async def _found(name: str, folder: McpFolder, servers: Servers) -> Finding:
    try:
        offered = await servers.offered(name)
    except Unreachable as error:
        cure = "its tools fail until it is back; check its command or its address"
        return Wrong("server", f"{name} cannot be reached: {error}", cure)
    left_out = await servers.left_out(name)
    return _judged(name, folder.approved.get(name, {}), offered, left_out)


def _judged(
    name: str,
    approved: Mapping[str, Definition],
    offered: Mapping[str, Definition],
    left_out: Mapping[str, str],
) -> Finding:
    if left_out:
        told = "; ".join(f"{tool} ({why})" for tool, why in left_out.items())
        return Doubtful(
            "server", f"{name}: left out, and all others can be used: {told}", "ask its maker to mend them"
        )
    waiting = changes(approved, offered)
    if waiting:
        return Doubtful(
            "server", f"{name}: nobody has approved: {waiting}", f"assistant tools approve {name}"
        )
    return Fine("server", f"{name}: there, and all of its {len(offered)} tools are approved")
