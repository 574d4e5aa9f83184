"""What is paused now, and the launch mode, as every server of the installation sees it within a second."""

from collections.abc import Callable, Sequence
from math import inf
from typing import Final

import structlog

from assistant.errors import LogError
from assistant.ports import Clock
from assistant.staff.launch import USUAL, Launch, launch_text
from assistant.staff.pauses import Pause, Paused, PausedKind, StoredKind
from assistant.staff.store import PauseStore

log: structlog.stdlib.BoundLogger = structlog.get_logger(__name__)

FRESH_S: Final = 1.0
"""What is known is used for this time. So a pause takes effect on all servers within two seconds."""

_STORE_S: Final = 0.5
"""How long a customer waits for the storage. Then what was known before counts."""


class LivePauses:
    """The pauses of one tenant.

    They are read when a turn needs them, so an idle server asks nothing. If the storage does not answer, what this
    server read last stays true.

    Args:
        tenant: whose pauses they are.
        store: where they are stored; all servers share it.
        clock: what times are measured by.
    """

    def __init__(self, tenant: str, store: PauseStore, clock: Clock) -> None:
        self.tenant = tenant
        self._store, self._clock = store, clock
        self._known = Paused()
        self._read_at = -inf
        self._listeners: list[Callable[[Paused], None]] = []

    @property
    def known(self) -> Paused:
        """What was paused when it was last read."""
        return self._known

    def listen(self, listener: Callable[[Paused], None]) -> None:
        """Call ``listener`` each time something else is paused than before. It must not raise."""
        self._listeners.append(listener)

    async def now(self) -> Paused:
        """What is paused; at most ``FRESH_S`` old if the storage answers. Never raises for the storage."""
        if self._clock.monotonic() - self._read_at >= FRESH_S:
            # First, so that concurrent turns do not all ask.
            self._read_at = self._clock.monotonic()
            try:
                async with self._clock.timeout(_STORE_S):
                    self._learn(await self._store.list_pauses(self.tenant))
            except (LogError, TimeoutError) as error:
                log.warning(
                    "what is paused is not known anew", why=str(error) or f"no answer in {_STORE_S:g} s"
                )
        return self._known

    async def pause(self, kind: PausedKind, name: str, *, account: str, by: str, why: str = "") -> bool:
        """Pause something; returns False if it was paused already. Raises ``LogError``."""
        added = await self._add(kind, name, account, by, why)
        await self._read_anew()
        return added

    async def resume(self, kind: PausedKind, name: str) -> bool:
        """Resume something; returns False if it was not paused. Raises ``LogError``."""
        ended = await self._store.end_pause(self.tenant, kind, name)
        await self._read_anew()
        return ended

    async def choose_launch(self, launch: Launch, *, account: str, by: str, why: str = "") -> bool:
        """Choose the launch mode; returns False if it is chosen already. Raises ``LogError``.

        The new mode is stored before the old one is deleted, so there is no moment in between without one.
        """
        stored, name = await self._store.list_pauses(self.tenant), launch_text(launch)
        before = [one.name for one in stored if one.kind == "launch"]
        changed = before != ([] if launch == USUAL else [name])
        if launch != USUAL and changed:
            await self._store.end_pause(self.tenant, "launch", name)
            await self._add("launch", name, account, by, why)
        for old in before:
            if launch == USUAL or old != name:
                await self._store.end_pause(self.tenant, "launch", old)
        await self._read_anew()
        return changed

    async def _add(self, kind: StoredKind, name: str, account: str, by: str, why: str) -> bool:
        return await self._store.add_pause(
            Pause(
                tenant=self.tenant,
                kind=kind,
                name=name,
                account=account,
                by=by,
                since_ms=self._clock.now_ms(),
                why=why.strip(),
            )
        )

    async def _read_anew(self) -> None:
        self._read_at = self._clock.monotonic()
        self._learn(await self._store.list_pauses(self.tenant))

    def _learn(self, pauses: Sequence[Pause]) -> None:
        before, self._known = self._known, Paused(tuple(pauses))
        if self._known != before:
            for listener in self._listeners:
                listener(self._known)
