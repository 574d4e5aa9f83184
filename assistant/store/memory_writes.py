"""The queue of documents that wait to be written, in memory: for tests, and where nothing is to be kept."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import count

from assistant.conversation.documents import EVERYBODY, Document, DocumentKind, listed
from assistant.conversation.writes import Waiting


@dataclass(slots=True)
class _Kept:
    waiting: Waiting
    document: Document


class MemoryWrites:
    """The queue as a dictionary; everything is gone with the process."""

    def __init__(self) -> None:
        self._kept: dict[int, _Kept] = {}
        self._numbers = count(1)

    async def add(self, document: Document, now_ms: int) -> None:
        """Let a document wait, in place of the one with its ``ref``."""
        await self.delete(document.tenant, document.ref)
        number = next(self._numbers)
        waiting = Waiting(number=number, tenant=document.tenant, listed=listed(document), due_ms=now_ms)
        self._kept[number] = _Kept(waiting, document)

    async def next(self, kinds: Sequence[DocumentKind], now_ms: int) -> Waiting | None:
        """Of these kinds the one that has been due the longest; None while none is."""
        due = [
            (one.waiting.due_ms, number)
            for number, one in self._kept.items()
            if one.document.kind in kinds and one.waiting.due_ms is not None and one.waiting.due_ms <= now_ms
        ]
        return self._kept[min(due)[1]].waiting if due else None

    async def waiting(self, tenant: str | None = None, customer: str | None = None) -> list[Waiting]:
        """All that waits or has failed for good, longest first: of one customer alone, or of all for None."""
        return [
            one.waiting
            for one in self._kept.values()
            if tenant in (None, one.document.tenant) and customer in (None, one.document.customer)
        ]

    async def read(self, number: int) -> Document | None:
        """The document that waits under this number, whole; None when it does not any more."""
        one = self._kept.get(number)
        return one.document if one is not None else None

    async def get(self, tenant: str, customer: str, ref: str) -> Document | None:
        """The document, whole, if it waits or has failed, and this customer may read it."""
        for one in self._kept.values():
            if one.waiting.key == (tenant, ref) and one.document.customer in (EVERYBODY, customer):
                return one.document
        return None

    async def put_off(self, number: int, problem: str, due_ms: int | None) -> None:
        """It failed: not again before then; None: never again."""
        if (one := self._kept.get(number)) is not None:
            one.waiting = replace(one.waiting, tries=one.waiting.tries + 1, problem=problem, due_ms=due_ms)

    async def remove(self, number: int) -> None:
        """It need not wait any longer; nothing happens when it does not."""
        self._kept.pop(number, None)

    async def delete(self, tenant: str, ref: str) -> bool:
        """Forget a document; whether it was there."""
        return bool(self._forget(lambda document: (document.tenant, document.ref) == (tenant, ref)))

    async def erase(self, tenant: str, customer: str) -> list[str]:
        """Forget all that waits of a customer; gives the documents' references."""
        return self._forget(lambda document: (document.tenant, document.customer) == (tenant, customer))

    async def expire(self, now_ms: int) -> int:
        """Forget what has expired; gives the number of documents."""
        return len(self._forget(lambda it: it.expires_ms is not None and it.expires_ms <= now_ms))

    async def close(self) -> None:
        """Nothing to let go of."""

    def _forget(self, which: Callable[[Document], bool]) -> list[str]:
        numbers = [number for number, one in self._kept.items() if which(one.document)]
        return [self._kept.pop(number).document.ref for number in numbers]
