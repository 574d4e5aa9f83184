"""Makes editions: of the folders as they stand, and again of what was kept of earlier ones."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import structlog

from assistant.assembly.folders import Contents, Folders
from assistant.assembly.in_time import named_when_slow
from assistant.assembly.library import passages_of
from assistant.assembly.models import build_models
from assistant.assembly.parts import parts_of
from assistant.assembly.providers import Providers
from assistant.assembly.summariser import summariser_of
from assistant.conversation.entries import ModelRole
from assistant.formats.tools import check_names
from assistant.ids import SystemIds
from assistant.mcp.folder import McpFolder, read_mcp_folder
from assistant.mcp.servers import Servers
from assistant.memory.library import Library
from assistant.memory.retrieval_tools import with_lookup
from assistant.ports import Clock
from assistant.prompts.book import PromptBook
from assistant.prompts.folder import read_prompts, shown
from assistant.prompts.narration import Narration
from assistant.resilience import jitter_from
from assistant.sessions.config_version import Edition
from assistant.sessions.handoff import Handoffs
from assistant.sessions.handoff_tool import with_person
from assistant.settings import Settings, environment
from assistant.store.bundles import KeptBundle
from assistant.tooling.concurrency import Gates
from assistant.tooling.discovery import discover, discover_anew, import_problem
from assistant.tooling.http.connections import Connections
from assistant.tooling.registry import Tools
from assistant.turn.parts import RoleModel

log = structlog.get_logger(__name__)

_SLOW_S = 10.0
"""After so long an import at the start is named, and again each time as long has passed."""

Models: TypeAlias = Mapping[ModelRole, RoleModel]
MakeModels: TypeAlias = Callable[[Settings, Tools, PromptBook, Narration, Clock], Models]


@dataclass(frozen=True, slots=True, kw_only=True)
class Printed:
    """An edition, with what the folders held when it was made.

    ``written`` are the tools whose code lies here, ``mcp`` is what is said of those that servers run.
    """

    edition: Edition
    contents: Contents
    written: Tools
    mcp: McpFolder

    def to_keep(self, now_ms: int) -> KeptBundle:
        """What must be kept so that the edition can be made again."""
        return KeptBundle(
            bundle=self.edition.bundle,
            kept_ms=now_ms,
            tools=self.contents.tools_hash,
            prompts=self.edition.parts.book.sources,
        )


class Press:
    """Makes editions. What is known about providers and servers, and whatever has not been edited, they share.

    Making one reads, compiles and imports: it belongs in a thread once customers are served.

    Args:
        models: makes the models that the settings name; from what is known about providers when left out.
        handoffs: how a person is asked for; None: there are none, and no tool asks for one.
        secret: the house's own; for what nobody may guess. A new one when left out.
        library: what is looked into; None: there is none, and no tool looks into it.
        tenant: whose documents in it are the company's own.

    Attributes:
        servers: those that run tools; no edition waits for them, and whoever serves says which are used.
    """

    def __init__(
        self,
        settings: Settings,
        clock: Clock,
        models: MakeModels | None = None,
        handoffs: Handoffs | None = None,
        secret: str | None = None,
        library: Library | None = None,
        tenant: str = "",
    ) -> None:
        self.folders = Folders.of(settings)
        self._settings, self._clock, self._handoffs = settings, clock, handoffs
        self._library = library
        self._providers = Providers(clock, environment(), settings.model_options, secret)
        passages = passages_of(library, tenant) if library is not None else None
        self._make_models: MakeModels = models or partial(
            build_models, providers=self._providers, passages=passages
        )
        # Whoever brings models of their own means that no other is asked.
        self._summarises = models is None
        jitter = jitter_from(SystemIds())
        self.servers = Servers(clock, jitter, environment)
        # Not an edition's: an edit of a tool does not make a service that is down come back.
        self._gates = Gates(clock, jitter)
        self._connections = Connections()

    def first(self) -> Printed:
        """The edition to start with. Raises ``DeclarationError`` for whatever is wrong in the folders."""
        contents = self.folders.contents()
        book = self._read_prompts()
        # Not tried in another process as edits are: that would take half a second, and no one is served yet.
        with named_when_slow(str(self.folders.tools.resolve()), _SLOW_S, _tell_slow):
            written = discover(self.folders.tools, self._connections)
        return self._printed(contents, book, written, self._read_mcp())

    def import_problem(self, longest_s: float) -> str | None:
        """What is wrong with the tools, found out in another process; None when they can be imported here."""
        return import_problem(self.folders.tools, longest_s)

    def next(self, contents: Contents, last: Printed) -> Printed:
        """The edition after ``last``. Raises ``DeclarationError``; then nothing has changed anywhere."""
        parts = last.edition.parts
        same_prompts = contents.prompts == last.contents.prompts
        same_code = contents.code == last.contents.code
        same_tools = contents.tools == last.contents.tools
        book = parts.book if same_prompts else self._read_prompts()
        # Imported only when they were edited: a module may hold connections that are not to be doubled.
        written = last.written if same_code else discover_anew(self.folders.tools, self._connections)
        return self._printed(contents, book, written, last.mcp if same_tools else self._read_mcp())

    def again(self, kept: KeptBundle, last: Printed) -> Edition:
        """An earlier edition, with the prompts that were kept and the tools that are there now.

        Raises ``DeclarationError`` when this release cannot use those prompts any more.
        """
        parts = last.edition.parts
        same = parts.book.sources == kept.prompts
        book = parts.book if same else PromptBook(kept.prompts, f"bundle {kept.bundle}")
        if kept.tools != last.contents.tools_hash:
            log.info("conversation goes on with today's tools", bundle=kept.bundle)
        return self._edition(kept.bundle, book, parts.tools)

    def _read_prompts(self) -> PromptBook:
        return PromptBook(read_prompts(self.folders.prompts), shown(self.folders.prompts))

    def _read_mcp(self) -> McpFolder:
        return read_mcp_folder(self.folders.tools, self.servers)

    async def close(self) -> None:
        """End the servers, and give back the models' connections."""
        await self.servers.close()
        await self._connections.close()
        await self._providers.close()

    def _printed(self, contents: Contents, book: PromptBook, written: Tools, mcp: McpFolder) -> Printed:
        tools = Tools([*written, *mcp.tools], written.changes) if mcp.tools else written
        if not len(tools):
            log.warning(
                "no tools, so nothing can be looked up",
                folder=str(self.folders.tools),
                setting="ASSISTANT_TOOLS_DIR",
            )
        check_names(tools.specs)
        edition = self._edition(contents.bundle(book.bundle), book, tools)
        return Printed(edition=edition, contents=contents, written=written, mcp=mcp)

    def _edition(self, bundle: str, book: PromptBook, tools: Tools) -> Edition:
        narration = Narration(book)
        if self._handoffs is not None:
            tools = with_person(tools, book, self._handoffs)
        if self._library is not None:
            tools = with_lookup(tools, book, self._library)
        models = self._make_models(self._settings, tools, book, narration, self._clock)
        parts = parts_of(
            self._settings,
            tools,
            book,
            narration,
            models,
            self._clock,
            self._gates,
            can_hand_over=self._handoffs is not None,
            summariser=self._summariser(book),
        )
        return Edition(bundle=bundle, parts=parts)

    def _summariser(self, book: PromptBook) -> RoleModel | None:
        if not self._summarises:
            return None
        return summariser_of(self._settings, book, self._providers, self._clock)


def _tell_slow(line: str) -> None:
    log.warning("still importing; nothing may wait or go on for ever at import", at=line)
