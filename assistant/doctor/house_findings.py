"""What the assistant is made of: tools, prompts, the page."""

from pathlib import Path

from assistant.assembly.folders import Folders
from assistant.doctor.findings import Doubtful, Finding, Fine, Wrong
from assistant.prompts.book import PromptBook
from assistant.settings import Settings
from assistant.shipped import own_or_shipped, shipped
from assistant.tooling.discover.discover import discover

_PAGE = ("index.html", "meanwhile-chat.js")


def tool_findings(settings: Settings) -> list[Finding]:
    """Whether the tools can be loaded. Raises what ``discover`` raises, a line for each mistake."""
    folder = own_or_shipped(settings.tools_dir, "tools")
    specs = discover(folder).specs
    if not specs:
        cure = "declare a tool there, or set ASSISTANT_TOOLS_DIR to the folder that has them"
        return [Doubtful("tools", f"none in {folder}, so nothing can be looked up", cure)]
    writes = sum(spec.effect == "write" for spec in specs)
    return [
        Fine("tools", f"{len(specs)} in {folder}: {len(specs) - writes} look up, {writes} change something")
    ]


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
