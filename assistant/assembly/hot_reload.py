"""Watches the files of prompts, tools and policies, and loads edits while conversations continue.

If there are several servers, each publishes its edits, and the others use the edited prompts, too.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing, suppress
from dataclasses import replace
from pathlib import Path
from weakref import WeakValueDictionary

import structlog

from assistant.assembly.config_builder import BuiltConfig, ConfigBuilder, Contents
from assistant.assembly.time_limit import TookTooLong, in_time
from assistant.assembly.tool_warnings import tool_warnings
from assistant.errors import AssistantError, LogError
from assistant.ports import Clock
from assistant.prompts.folder import display_path
from assistant.sessions.config_version import ConfigVersion
from assistant.sessions.listeners import Notice, Notices
from assistant.staff.pauses import Paused
from assistant.store.storage import BundleStore, SharedEdits
from assistant.tools.discovery import STARTS_S

log = structlog.get_logger(__name__)

EVERY_S = 5.0
"""The folders are checked at this interval in any case: not every file system reports its changes."""

_STEP_MS = 50

_MOST_VERSIONS = 50
"""How many earlier versions are looked at for one that is not paused."""


async def watch(
    folders: Sequence[Path], look: Callable[[], Awaitable[None]], clock: Clock, every_s: float = EVERY_S
) -> None:
    """Call ``look`` after each change in these folders, and at an interval without a change; never returns.

    A folder may be missing for a while, or be replaced.
    """
    told = ""
    while True:
        try:
            await look()
            await _watch(folders, look, every_s)
        except Exception as error:
            # A missing folder, too many watches on this machine, or our own bug: continue at the interval.
            if str(error) != told:
                log.warning("edits are looked for now and then only", every_s=every_s, why=str(error))
            told = str(error)
            await clock.sleep(every_s)


async def _watch(folders: Sequence[Path], look: Callable[[], Awaitable[None]], every_s: float) -> None:
    """Watch until one of the folders is removed or replaced."""
    # Only a running server needs it.
    from watchfiles import awatch  # pyright: ignore[reportUnknownVariableType]

    watched = [folder.stat().st_ino for folder in folders]
    changes = awatch(
        *folders, watch_filter=None, step=_STEP_MS, rust_timeout=int(every_s * 1000), yield_on_timeout=True
    )
    async with aclosing(changes):
        async for _ in changes:
            await look()
            if [folder.stat().st_ino for folder in folders] != watched:
                return


STILL_S = 0.2
"""Seconds without a change before the folders are read: an editor may still be saving."""

SURE_S = 0.5
"""Seconds that a mistake must remain before it is reported."""

READING_S = 20.0
"""Time limit in seconds for each step: reading the folders, importing the tools in another process, and
building a version.
"""


class LiveConfig:
    """Holds the newest configuration version, and each earlier version that an open conversation uses.

    Create it with :meth:`open`.
    """

    def __init__(
        self,
        builder: ConfigBuilder,
        bundles: BundleStore,
        clock: Clock,
        first: BuiltConfig,
        reading_s: float = READING_S,
        edits: SharedEdits | None = None,
    ) -> None:
        self._builder, self._bundles, self._clock, self._reading_s = builder, bundles, clock, reading_s
        self._current = first
        self._instead: ConfigVersion | None = None
        self._edits, self._began_on = edits, first.version.bundle
        self._own_prompts = first.version.deps.book.sources
        self._passed_over: str = ""
        self._not_published: str | None = None
        self._seen = first.contents
        self._left_out: tuple[str, ...] = ()
        self._serves = False
        self._open: WeakValueDictionary[str, ConfigVersion] = WeakValueDictionary()
        self._open[first.version.bundle] = first.version
        self._warned: set[str] = set()
        self._warn(first.version)
        self._looking, self._finding = asyncio.Lock(), asyncio.Lock()
        self.notices = Notices()
        builder.servers.listen(self.notices.mention)

    @classmethod
    async def open(
        cls,
        builder: ConfigBuilder,
        bundles: BundleStore,
        clock: Clock,
        reading_s: float = READING_S,
        edits: SharedEdits | None = None,
    ) -> "LiveConfig":
        """Build and store the first version; with ``edits``, use the prompts of the newest edit on any server.

        Raises ``DeclarationError`` if the first version has a mistake.
        """
        first = builder.build_first()
        await bundles.keep(builder.tenant, first.to_keep(clock.now_ms()))
        live = cls(builder, bundles, clock, first, reading_s, edits)
        await live._follow_others()
        with suppress(LogError):
            await live._follow_pauses()
        return live

    @property
    def newest(self) -> ConfigVersion:
        """The version for new conversations: that of the folders, or an earlier one while staff have paused it."""
        current, pauses = self._current.version, self._builder.pauses
        if self._instead is not None and pauses is not None and pauses.known.has("version", current.bundle):
            return self._instead
        return current

    @property
    def own(self) -> ConfigVersion:
        """The version of the folders, also while it is paused."""
        return self._current.version

    async def version_instead(self, version: ConfigVersion, paused: Paused) -> ConfigVersion:
        """The newest version that is not paused, rebuilt from its stored files; this one if there is none."""
        for bundle, _ in await self._bundles.newest(self._builder.tenant, _MOST_VERSIONS):
            if not paused.has("version", bundle):
                found = await self.version_of(bundle)
                if found.bundle == bundle:
                    return found
        log.warning("no version can be used in place of the paused one", bundle=version.bundle)
        return version

    async def _follow_pauses(self) -> None:
        """Let new conversations begin with another version while this one is paused."""
        if self._builder.pauses is None:
            return
        paused, current = await self._builder.pauses.now(), self._current.version
        instead = None
        if paused.has("version", current.bundle):
            instead = await self.version_instead(current, paused)
            if instead is not self._instead:
                await warm(instead)
        self._instead = instead

    @property
    def problem(self) -> str | None:
        """The problems of the last edit, one line for each mistake; None if the edit was loaded."""
        return self.notices.problem

    def use_servers(self) -> None:
        """Begin to connect to the MCP servers, and follow edits of their list; does not wait."""
        self._serves = True
        self._builder.servers.use(self._current.mcp)

    async def version_of(self, bundle: str) -> ConfigVersion:
        """The version with this bundle id, rebuilt from its stored files.

        The newest version if no files were stored or this release cannot use them. Raises ``LogError``.
        """
        async with self._finding:
            version = self._open.get(bundle)
            if version is None:
                version = await self._made_again(bundle)
        return version

    async def look(self) -> None:
        """Load edits, also those of other servers, or report their mistakes and keep the current version.

        Returns when the folders have not changed for a moment. The same problem is reported once.
        """
        async with self._looking:
            while (contents := await self._standing_still()) != self._seen:
                came_of_it = await self._tried(contents)
                if isinstance(came_of_it, str):
                    await self._clock.sleep(SURE_S)
                if await self._contents() != contents:
                    continue
                if isinstance(came_of_it, str):
                    self._refuse(came_of_it)
                else:
                    await self._take_up(came_of_it)
                self._seen = contents
            await self._follow_others()
            with suppress(LogError):
                await self._follow_pauses()

    async def _follow_others(self) -> None:
        """Use the prompts of the newest edit on any server, if that server has the same tools and policies."""
        if self._edits is None:
            return
        if self._not_published is not None:
            await self._publish(self._not_published)
        if self._not_published is not None:
            return  # an edit on this server must not be undone because the other servers have not received it
        try:
            newest = await self._edits.newest(self._builder.tenant, self._began_on)
            if newest in (self._current.version.bundle, self._passed_over):
                return
            kept = await self._bundles.read(self._builder.tenant, newest)
            if kept is None or kept.tools != self._current.contents.tools_hash:
                self._passed_over = newest
                log.warning("another server has other tools or policies: give both the same", bundle=newest)
                return
            version = await self.version_of(newest)
        except LogError as error:
            log.warning("edits on other servers are not known", why=str(error))
            return
        if version.bundle == newest:
            await warm(version)
            self._current = replace(self._current, version=version)
            own, prompts = self._own_prompts, self._builder.folders.prompts
            unused = [
                f"{display_path(prompts)}/{name}"
                for name in sorted({*own, *kept.prompts})
                if own.get(name) != kept.prompts.get(name)
            ]
            log.info("edit of another server loaded", bundle=newest, own_files_not_used=unused)
            files = f"; not used: this server's own {', '.join(unused)}" if unused else ""
            self.notices.mention(f"loaded: prompts from another server{files}")
        else:
            self._passed_over = newest

    async def _publish(self, before: str) -> None:
        """Publish the edit that came after the bundle ``before`` to the other servers; if that fails, retry
        later.
        """
        if self._edits is not None:
            try:
                after = (self._began_on, before)
                await self._edits.publish(self._builder.tenant, after, self._current.version.bundle)
                self._not_published = None
            except LogError as error:
                self._not_published = before
                log.warning(
                    "other servers do not get this edit yet",
                    bundle=self._current.version.bundle,
                    why=str(error),
                )

    async def _standing_still(self) -> Contents:
        contents = await self._contents()
        while contents != self._seen:
            await self._clock.sleep(STILL_S)
            again = await self._contents()
            if again == contents:
                break
            contents = again
        return contents

    async def _contents(self) -> Contents:
        read = self._builder.folders.contents
        contents = await in_time(read, self._reading_s, self._clock, interrupts=False)
        for name in contents.left_out:
            if name not in self._left_out:
                log.warning("left out: only regular files are read", file=name)
        self._left_out = contents.left_out
        return contents

    async def _tried(self, contents: Contents) -> BuiltConfig | str:
        try:
            if contents.code != self._current.contents.code:
                problem = await in_time(
                    lambda: self._builder.import_problem(self._reading_s),
                    STARTS_S + self._reading_s + 1,
                    self._clock,
                )
                if problem is not None:
                    return problem
            built = await in_time(lambda: self._try(contents), self._reading_s, self._clock)
            if not isinstance(built, str):
                await self._bundles.keep(self._builder.tenant, built.to_keep(self._clock.now_ms()))
        except TimeoutError as error:
            changes = ", ".join(self._builder.folders.changes(self._seen, contents))
            return f"{changes}: {error}"
        except LogError as error:
            return str(error)
        return built

    def _try(self, contents: Contents) -> BuiltConfig | str:
        """The version of these contents, or the text of its problem. Runs in a thread."""
        try:
            return self._builder.build_next(contents, self._current)
        except AssistantError as error:
            return str(error)
        except TookTooLong:
            raise
        except BaseException as error:
            # Editors' and CRM teams' files are third-party code: no error in them may stop the service.
            log.exception("edit failed")
            return f"{type(error).__name__}: {error}"

    def _refuse(self, why: str) -> None:
        if why != self.problem:
            for line in why.splitlines():
                log.warning("edit refused; the previous version stays", why=line)
            self.notices.notify(Notice(problem=True, message=why))

    def _warn(self, version: ConfigVersion) -> None:
        """Log possible mistakes in the tools. Each warning is logged once per process."""
        for warning in tool_warnings(version.deps.tools, version.deps.book):
            if (line := str(warning)) not in self._warned:
                self._warned.add(line)
                log.warning("look at this tool", warning=line)

    async def _take_up(self, built: BuiltConfig) -> None:
        was_wrong = self.problem is not None
        edited = ", ".join(self._builder.folders.changes(self._current.contents, built.contents))
        known = self._open.get(built.version.bundle)
        if known is not None:
            built = replace(built, version=known)
        else:
            await warm(built.version)
        self._warn(built.version)
        before, self._current = self._current.version.bundle, built
        self._own_prompts = built.version.deps.book.sources
        await self._publish(before)
        if self._serves:
            self._builder.servers.use(built.mcp)
        self._open[built.version.bundle] = built.version
        if not edited:
            # A mistake was undone.
            log.info("edit taken back", bundle=self._current.version.bundle)
            message = "as it was before the mistake"
        else:
            log.info("edit loaded", bundle=self._current.version.bundle, edited=edited, repaired=was_wrong)
            message = f"repaired and loaded: {edited}" if was_wrong else f"loaded: {edited}"
        self.notices.notify(Notice(problem=False, message=message))

    async def _made_again(self, bundle: str) -> ConfigVersion:
        kept = await self._bundles.read(self._builder.tenant, bundle)
        if kept is None:
            log.warning("bundle was not kept; the newest is used", bundle=bundle)
            return self.newest
        try:
            version = await asyncio.to_thread(self._builder.rebuild, kept, self._current)
        except AssistantError as error:
            log.warning("bundle cannot be used any more; the newest is", bundle=bundle, why=str(error))
            return self.newest
        self._open[bundle] = version
        return version


async def warm(version: ConfigVersion) -> None:
    """Let models load their data before a customer has to wait, the decider's model first."""
    roles = version.deps.models.values()
    models = {id(model): model for role in roles for model in (role.model, role.cheaper) if model is not None}
    for model in models.values():
        load = getattr(model, "warm", None)
        if load is not None:
            await load()
