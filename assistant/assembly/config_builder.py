"""Reads the files of prompts, tools and policies, and builds a configuration from them.

A configuration is built when a file changes. It is also rebuilt from stored files, for conversations that began
with an earlier configuration.
"""

import hashlib
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, TypedDict

import structlog

from assistant.assembly.library import passages_of
from assistant.assembly.models import Providers, build_models, embedded_may_decide, summariser_of
from assistant.assembly.time_limit import named_when_slow
from assistant.conversation.entries import ModelRole
from assistant.formats.tools import check_names
from assistant.ids import SystemIds
from assistant.mcp.approval import APPROVAL_FILE
from assistant.mcp.config import MCP_FILE
from assistant.mcp.supervisor import McpServers
from assistant.mcp.tool import McpFolder, read_mcp_folder
from assistant.memory.library import Library
from assistant.memory.retrieval_tools import with_retrieval_tools
from assistant.policies.choose import PolicyFinder
from assistant.policies.escalation import (
    ESCALATION_FILE,
    NO_ESCALATION,
    Escalation,
    check_escalation,
    read_escalation,
)
from assistant.policies.folder import Server, check_policies, read_policies, server_of
from assistant.policies.policy import NO_POLICIES, Policies
from assistant.ports import Clock
from assistant.prompts.book import PromptBook
from assistant.prompts.folder import display_path, is_hidden, read_prompts
from assistant.prompts.narration import Narration
from assistant.resilience import jitter_from
from assistant.sessions.config_version import ConfigVersion
from assistant.sessions.handoff_registry import HandoffRegistry
from assistant.sessions.handoff_tool import with_handoff_tool
from assistant.sessions.stop_tool import with_stop_tool
from assistant.settings import Settings, TenantSettings
from assistant.settings_sources import environment
from assistant.shipped import own_or_shipped
from assistant.staff.live_pauses import LivePauses
from assistant.store.storage import StoredBundle
from assistant.tools.concurrency import ConcurrencyLimiters
from assistant.tools.discovery import discover, import_problem, package_of, rediscover
from assistant.tools.http.service import Connections
from assistant.tools.media import chain_transforms, scale_down
from assistant.tools.registry import Tools
from assistant.turn.context import Limits, RoleModel, TurnDependencies
from assistant.turn.spending import Spending

if TYPE_CHECKING:
    from assistant.telemetry.observer import TenantTelemetry

_PROMPTS = frozenset((".j2", ".toml"))
_TOOLS = frozenset((".py", ".sql", ".j2", ".toml", ".yaml", ".yml"))
"""Suffixes of the files that tools consist of. Other files next to them may be data that the tools write."""

_POLICIES = frozenset((".md",))

_OF_SERVERS = frozenset((MCP_FILE, APPROVAL_FILE))
"""Files that describe tools of MCP servers. A change in them does not change the tools' code."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """The hash of each file, by its path in its folder.

    ``left_out`` are pipes, devices and sockets with a matching name. They are not read, because a read may
    never end.
    """

    prompts: Mapping[str, str]
    tools: Mapping[str, str]
    policies: Mapping[str, str] = field(default_factory=dict[str, str])
    left_out: tuple[str, ...] = field(default=(), compare=False)

    @property
    def code(self) -> Mapping[str, str]:
        """The files of the local Python tools."""
        return {name: content for name, content in self.tools.items() if name not in _OF_SERVERS}

    @property
    def tools_hash(self) -> str:
        """One hash of all files of the tools and the policies; the same on each machine."""
        policies = sorted(self.policies.items())
        return _hash(f"{sorted(self.tools.items())!r}{policies or ''}".encode())

    def bundle(self, prompts: str) -> str:
        """Returns the id of the configuration with these tools and the prompts with this hash: 16 hex digits."""
        return _hash(f"{prompts} {self.tools_hash}".encode())


@dataclass(frozen=True, slots=True, kw_only=True)
class Folders:
    """The folders of prompts, tools and policies. The policies folder may not exist."""

    prompts: Path
    tools: Path
    policies: Path

    @classmethod
    def of(cls, settings: Settings) -> "Folders":
        """The folders from the settings, or the package's folders.

        Policies are about tools, so the package's policies are used only with the package's tools.
        """
        tools = own_or_shipped(settings.tools_dir, "tools")
        return cls(
            prompts=own_or_shipped(settings.prompts_dir, "prompts"),
            tools=tools,
            policies=settings.policies_dir or tools.parent / "policies",
        )

    def contents(self) -> Contents:
        """The current contents. A folder or file that is missing, or disappears during the read, is left out."""
        left_out: list[str] = []
        return Contents(
            prompts=_hashes(self.prompts, _PROMPTS, left_out),
            tools=_hashes(self.tools, _TOOLS, left_out, _OF_SERVERS),
            policies=_hashes(self.policies, _POLICIES, left_out, (ESCALATION_FILE,)),
            left_out=tuple(left_out),
        )

    def changes(self, before: Contents, after: Contents) -> list[str]:
        """The files that were added, edited or removed between two contents, in words for an editor."""
        return [
            f"{display_path(folder)}/{name}"
            for folder, old, new in (
                (self.prompts, before.prompts, after.prompts),
                (self.tools, before.tools, after.tools),
                (self.policies, before.policies, after.policies),
            )
            for name in sorted({*old, *new})
            if old.get(name) != new.get(name)
        ]


def _hashes(
    folder: Path, kinds: Collection[str], left_out: list[str], also: Collection[str] = ()
) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder)
        if (path.suffix not in kinds and name.as_posix() not in also) or is_hidden(name):
            continue
        try:
            if path.exists() and not (path.is_file() or path.is_dir()):
                left_out.append(f"{display_path(folder)}/{name.as_posix()}")
                continue
            found[name.as_posix()] = _hash(path.read_bytes())
        except FileNotFoundError:  # an editor is about to replace the file
            continue
        except OSError as error:
            # Treated like any change: reading the file will report the error.
            found[name.as_posix()] = f"unreadable: {error.strerror}"
    return found


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


def deps_of(
    settings: Settings,
    tools: Tools,
    book: PromptBook,
    narration: Narration,
    models: Mapping[ModelRole, RoleModel],
    clock: Clock,
    gates: ConcurrencyLimiters,
    *,
    can_hand_over: bool,
    summariser: RoleModel | None = None,
    policies: Policies = NO_POLICIES,
    finder: PolicyFinder | None = None,
    spending: Spending | None = None,
    pauses: LivePauses | None = None,
    escalation: Escalation = NO_ESCALATION,
) -> TurnDependencies:
    """Returns what a turn depends on, with the limits from the settings."""
    return TurnDependencies(
        models=models,
        tools=tools,
        book=book,
        narrate=narration.narrate_outcomes,
        clock=clock,
        limits=Limits(
            tools_s=settings.tools_timeout_s,
            reply_s=settings.reply_timeout_s,
            unattended_s=settings.disconnected_timeout_s,
        ),
        confirm_every_write=embedded_may_decide(settings),
        trust_knowledge=settings.knowledge_trusted,
        new_message=settings.new_message,
        can_hand_over=can_hand_over,
        summariser=summariser,
        gates=gates,
        transform=chain_transforms(*tools.changes, scale_down(settings.max_image_pixels)),
        policies=policies,
        finder=finder,
        spending=spending,
        pauses=pauses,
        escalation=escalation,
    )


log = structlog.get_logger(__name__)

_SLOW_S = 10.0
"""If an import at the start takes longer than this, its line is logged; again after each further interval."""

Models: TypeAlias = Mapping[ModelRole, RoleModel]
MakeModels: TypeAlias = Callable[[Settings, Tools, PromptBook, Narration, Clock], Models]


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltConfig:
    """A configuration version, with the contents of the folders when it was built.

    ``written`` are the local Python tools; ``mcp`` is the configuration of the MCP servers' tools.
    """

    version: ConfigVersion
    contents: Contents
    written: Tools
    mcp: McpFolder

    def to_keep(self, now_ms: int) -> StoredBundle:
        """The data that are stored so that this version can be rebuilt."""
        return StoredBundle(
            bundle=self.version.bundle,
            kept_ms=now_ms,
            tools=self.contents.tools_hash,
            prompts=self.version.deps.book.sources,
        )


class _OwnTools(TypedDict):
    package: str
    secrets: Mapping[str, str]


class ConfigBuilder:
    """Builds configuration versions. They share what is known about providers and servers, and all components
    that were not edited.

    A build reads, compiles and imports, so run it in a thread while the server serves customers.

    Args:
        models: builds the models that the settings name; None: ``build_models`` does.
        handoffs: the handoffs; None: handoff is off, and there is no tool for it.
        secret: the application's secret, for codes that must not be guessable. A new one when left out.
        library: the document library; None: there is none, and no tool searches it.
        telemetry: counts the requests that are repeated; None: nothing is counted.
        spending: the budgets; None: there are none.
        pauses: what staff have paused; None: nothing can be.

    Attributes:
        pauses: what staff have paused.
        clock: what times are measured by.
        servers: MCP servers that run tools. Building does not wait for them; the server decides which are used.
        tenant: the tenant that uses these versions.
    """

    def __init__(
        self,
        settings: Settings,
        clock: Clock,
        models: MakeModels | None = None,
        handoffs: HandoffRegistry | None = None,
        secret: str | None = None,
        library: Library | None = None,
        telemetry: "TenantTelemetry | None" = None,
        spending: Spending | None = None,
        pauses: LivePauses | None = None,
    ) -> None:
        self.folders = Folders.of(settings)
        self._settings, self._handoffs = settings, handoffs
        self.clock = clock
        self._library, self.tenant, self._spending = library, settings.tenant, spending
        self.pauses = pauses
        self._finder: PolicyFinder | None = None
        self._found_in = NO_POLICIES
        self._providers = Providers(
            clock, environment(settings), settings.model_options, secret, telemetry=telemetry
        )
        passages = passages_of(library, settings.tenant) if library is not None else None
        self._make_models: MakeModels = models or partial(
            build_models, providers=self._providers, passages=passages
        )
        # A caller who passes models wants no request to another model.
        self._summarises = models is None
        jitter = jitter_from(SystemIds())
        self.servers = McpServers(clock, jitter, partial(environment, settings))
        # It belongs to no version: an edit of a tool does not restore a service that is down.
        self._gates = ConcurrencyLimiters(clock, jitter)
        self._connections = Connections()

    def build_first(self) -> BuiltConfig:
        """Build the version at the start. Raises ``DeclarationError`` for each mistake in the folders."""
        contents = self.folders.contents()
        book = self._read_prompts()
        # No test import in another process, as for edits: it would take half a second, and no customer is
        # served yet.
        with named_when_slow(str(self.folders.tools.resolve()), _SLOW_S, _tell_slow):
            written = discover(self.folders.tools, self._connections, **self._own())
        return self._built(contents, book, written, self._read_mcp())

    def import_problem(self, longest_s: float) -> str | None:
        """The problem of importing the tools, tested in another process; None if they can be imported here."""
        return import_problem(self.folders.tools, longest_s, **self._own())

    def build_next(self, contents: Contents, last: BuiltConfig) -> BuiltConfig:
        """Build the version after ``last``. If it raises ``DeclarationError``, nothing has changed."""
        deps = last.version.deps
        same_prompts = contents.prompts == last.contents.prompts
        same_code = contents.code == last.contents.code
        same_tools = contents.tools == last.contents.tools
        book = deps.book if same_prompts else self._read_prompts()
        # Imported only when they were edited: a module may hold connections that must not exist twice.
        written = (
            last.written if same_code else rediscover(self.folders.tools, self._connections, **self._own())
        )
        mcp = last.mcp if same_tools else self._read_mcp()
        return self._built(contents, book, written, mcp)

    def rebuild(self, kept: StoredBundle, last: BuiltConfig) -> ConfigVersion:
        """Rebuild an earlier version from its stored prompts and the current tools.

        Raises ``DeclarationError`` if this release can no longer use those prompts.
        """
        deps = last.version.deps
        same = deps.book.sources == kept.prompts
        book = deps.book if same else PromptBook(kept.prompts, f"bundle {kept.bundle}")
        if kept.tools != last.contents.tools_hash:
            log.info("conversation continues with today's tools", bundle=kept.bundle)
        return self._version(kept.bundle, book, deps.tools, deps.policies, deps.escalation)

    def _own(self) -> "_OwnTools":
        """The package name and the secrets of one tenant's tools."""
        tenant = self._settings.tenant if isinstance(self._settings, TenantSettings) else None
        return {"package": package_of(tenant), "secrets": environment(self._settings)}

    def _read_prompts(self) -> PromptBook:
        return PromptBook(read_prompts(self.folders.prompts), display_path(self.folders.prompts))

    def _read_policies(self) -> Policies:
        named = self._settings.policies_dir is not None
        return read_policies(self.folders.policies, must_exist=named)

    def _read_mcp(self) -> McpFolder:
        return read_mcp_folder(self.folders.tools, self.servers)

    async def close(self) -> None:
        """Stop the servers and close the models' connections."""
        await self.servers.close()
        await self._connections.close()
        await self._providers.close()

    def _built(self, contents: Contents, book: PromptBook, written: Tools, mcp: McpFolder) -> BuiltConfig:
        policies, escalation = self._read_policies(), read_escalation(self.folders.policies)
        tools = Tools([*written, *mcp.tools], written.changes) if mcp.tools else written
        if not len(tools):
            log.warning(
                "no tools, so nothing can be looked up",
                folder=str(self.folders.tools),
                setting="ASSISTANT_TOOLS_DIR",
            )
        check_names(tools.specs)
        version = self._version(contents.bundle(book.bundle), book, tools, policies, escalation)
        return BuiltConfig(version=version, contents=contents, written=written, mcp=mcp)

    def _version(
        self, bundle: str, book: PromptBook, tools: Tools, policies: Policies, escalation: Escalation
    ) -> ConfigVersion:
        narration = Narration(book)
        if self._handoffs is not None:
            tools = with_handoff_tool(tools, book, self._handoffs)
        if self._library is not None:
            tools = with_retrieval_tools(tools, book, self._library)
        tools = with_stop_tool(tools, book)
        check_policies(policies, tools, self._server(tools))
        check_escalation(escalation, tools, policies)
        models = self._make_models(self._settings, tools, book, narration, self.clock)
        deps = deps_of(
            self._settings,
            tools,
            book,
            narration,
            models,
            self.clock,
            self._gates,
            can_hand_over=self._handoffs is not None,
            summariser=self._summariser(book),
            policies=policies,
            finder=self._finder_of(policies),
            spending=self._spending,
            pauses=self.pauses,
            escalation=escalation,
        )
        return ConfigVersion(bundle=bundle, deps=deps)

    def _server(self, tools: Tools) -> Server | None:
        """The server's features that policies may rely on; None outside a server, which has no customers."""
        if self._library is None:
            return None
        return server_of(self._settings, tools)

    def _finder_of(self, policies: Policies) -> PolicyFinder | None:
        """The finder of policies by meaning. Vectors of policies that were not edited are reused."""
        if self._library is None:
            return None
        if self._finder is None or self._found_in != policies:
            self._found_in = policies
            self._finder = PolicyFinder(policies, self._library.embedder, self.clock)
        return self._finder

    def _summariser(self, book: PromptBook) -> RoleModel | None:
        if not self._summarises:
            return None
        return summariser_of(self._settings, book, self._providers, self.clock)


def _tell_slow(line: str) -> None:
    log.warning("still importing; code at import must not wait or run forever", at=line)
