"""The pauses of an installation, in memory. Several servers may share them."""

from assistant.errors import LogError
from assistant.staff.pauses import Pause, StoredKind


class MemoryPauses:
    """Stores pauses; ``fails`` makes each question fail, and ``asked`` counts the questions."""

    def __init__(self) -> None:
        self.kept: list[Pause] = []
        self.fails = False
        self.asked = 0

    async def add_pause(self, pause: Pause) -> bool:
        if any(self._is(one, pause.tenant, pause.kind, pause.name) for one in self.kept):
            return False
        self.kept.append(pause)
        return True

    async def end_pause(self, tenant: str, kind: StoredKind, name: str) -> bool:
        before = len(self.kept)
        self.kept = [one for one in self.kept if not self._is(one, tenant, kind, name)]
        return len(self.kept) < before

    async def list_pauses(self, tenant: str) -> list[Pause]:
        self.asked += 1
        if self.fails:
            raise LogError("the database does not answer")
        return [one for one in self.kept if one.tenant == tenant]

    @staticmethod
    def _is(pause: Pause, tenant: str, kind: StoredKind, name: str) -> bool:
        return (pause.tenant, pause.kind, pause.name) == (tenant, kind, name)
