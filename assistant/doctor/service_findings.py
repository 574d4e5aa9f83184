"""Checks the services behind the assistant: HTTP tools, MCP servers, speech and the telephone."""

import asyncio
from collections.abc import Mapping

from assistant.assembly.phone import phone_of
from assistant.clock import SystemClock
from assistant.doctor.findings import Doubtful, Finding, Fine, Wrong
from assistant.errors import DeclarationError
from assistant.ids import SystemIds
from assistant.mcp.approval import Definition, changes
from assistant.mcp.loader import McpFolder, read_mcp_folder
from assistant.mcp.status import Unreachable
from assistant.mcp.supervisor import McpServers
from assistant.models.speech.choose import hearing_of, missing, speech_of
from assistant.prompts.book import shipped_book
from assistant.resilience import jitter_from
from assistant.settings import Settings, environment
from assistant.shipped import own_or_shipped
from assistant.tools.discovery import discover
from assistant.tools.http.tool import drafts, unset_secrets


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
    servers = McpServers(SystemClock(), jitter_from(SystemIds()), environment)
    folder = read_mcp_folder(path, servers)
    names = list(folder.written.servers)
    if offline:
        return [Fine("server", f"{name}: not asked; its lines in the file are in order") for name in names]
    servers.use(folder)
    try:
        return await asyncio.gather(*(_found(name, folder, servers) for name in names))
    finally:
        await servers.close()


async def _found(name: str, folder: McpFolder, servers: McpServers) -> Finding:
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


_TENANT = "doctor"


def voice_findings(settings: Settings) -> list[Finding]:
    """What is to be said of voice. Nothing is loaded and nobody asked.

    Raises ``DeclarationError`` for a name or setting that is wrong, with its cure.
    """
    if not settings.voice:
        return [Fine("voice", "off: customers write")]
    problem = missing(settings.transcription_model, settings.speech_model)
    if problem is not None:
        says = "customers can only write, and the microphone's button says so"
        return [Doubtful("voice", says, f"{problem}; or set ASSISTANT_VOICE=false")]
    clock, jitter, environ = SystemClock(), jitter_from(SystemIds()), environment()
    hears = hearing_of(
        settings.transcription_model,
        clock=clock,
        jitter=jitter,
        environ=environ,
        whisper_dir=settings.whisper_dir,
        places=settings.transcribers,
    )
    speaks = speech_of(
        settings.speech_model, settings.speech_voice, clock=clock, jitter=jitter, environ=environ
    )
    ears = hears.name if hears.name != "offline" else "the embedded Whisper"
    mouth = speaks.name if speaks.name != "offline" else "the embedded voice"
    return [Fine("voice", f"{ears} hears, {mouth} speaks")]


def phone_findings(settings: Settings) -> list[Finding]:
    """What is to be said of the telephone; nothing where there is none. Raises ``DeclarationError``."""
    phone = phone_of(settings, shipped_book, _TENANT)
    if phone is None:
        return []
    passes_on = f"callers are passed on to {phone.transfer}" if phone.transfer else "nobody is passed on"
    return [Fine("phone", f"Twilio calls {phone.url}/v1/phone/incoming, by {phone.via}; {passes_on}")]
