"""What the assistant is made of: tools, prompts, the page."""

from pathlib import Path

from assistant.assembly.folders import Folders
from assistant.assembly.tool_warnings import tool_warnings
from assistant.clock import SystemClock
from assistant.doctor.findings import Doubtful, Finding, Fine, Wrong
from assistant.errors import AssistantError
from assistant.ids import SystemIds
from assistant.mcp.folder import read_mcp_folder
from assistant.mcp.servers import Servers
from assistant.prompts.book import PromptBook
from assistant.resilience import jitter_from
from assistant.settings import Settings, environment
from assistant.shipped import own_or_shipped, shipped
from assistant.tooling.discovery import discover
from assistant.tooling.registry import Tools

_PAGE = ("index.html", "meanwhile-chat.js")


def tool_findings(settings: Settings) -> list[Finding]:
    """Whether the tools can be loaded. Raises what ``discover`` raises, a line for each mistake."""
    folder = own_or_shipped(settings.tools_dir, "tools")
    tools = discover(folder)
    specs = tools.specs
    if not specs:
        cure = "declare a tool there, or set ASSISTANT_TOOLS_DIR to the folder that has them"
        return [Doubtful("tools", f"none in {folder}, so nothing can be looked up", cure)]
    writes = sum(spec.effect == "write" for spec in specs)
    counted = f"{len(specs)} in {folder}: {len(specs) - writes} look up, {writes} change something"
    return [Fine("tools", counted), *_warnings(tools, folder, settings)]


def _warnings(tools: Tools, folder: Path, settings: Settings) -> list[Finding]:
    """What may be wrong with tools that are offered, those of servers included. Nothing is connected."""
    try:
        servers = read_mcp_folder(folder, Servers(SystemClock(), jitter_from(SystemIds()), environment))
        tools = Tools([*tools, *servers.tools])
        book = PromptBook.load(Folders.of(settings).prompts)
    except AssistantError:
        return []  # That is told where servers and prompts are looked at.
    cure = "put it right, or leave it if it is meant; 'assistant tools check' shows it, too"
    found: list[Finding] = [Doubtful("tools", str(one), cure) for one in tool_warnings(tools, book)]
    own = [spec.name for spec in tools.specs if spec.credential]
    if own and settings.site_secret is None:
        says = f"{', '.join(own)}: denied to everybody, for no site can give a customer's own credential"
        found.append(
            Doubtful("tools", says, "set ASSISTANT_SITE_SECRET here and on your site: docs/identity.md")
        )
    return found


def prompt_findings(settings: Settings) -> list[Finding]:
    """Whether the prompts can be loaded. Raises what loading them raises."""
    folders = Folders.of(settings)
    book = PromptBook.load(folders.prompts)
    bundle = folders.contents().bundle(book.bundle)
    return [
        Fine("prompts", f"{len(book.sources)} files in {folders.prompts}; with the tools, bundle {bundle}")
    ]


def page_findings(web: Path | None = None) -> list[Finding]:
    """Whether the page and the widget's bundle are there; ``web``: the package's own when left out."""
    from assistant.server.pages import folders

    web = web or shipped("web")
    places = folders(web)
    missing = [name for name in _PAGE if not any((place / name).is_file() for place in places)]
    if missing:
        says = f"{' and '.join(missing)} not found in {web}"
        return [Wrong("page", says, "install the package again; in a checkout, build the widget")]
    return [Fine("page", f"the page and the widget are in {web}")]
