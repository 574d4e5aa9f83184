"""A shelf for documents that prepares nothing: what is kept waits, until a test says how it went."""

from dataclasses import asdict, replace

from assistant.conversation.documents import Document, listed
from assistant.errors import StoreError
from assistant.memory.library import Shelved, State

_DAY_MS = 24 * 3600 * 1000


class FakeShelf:
    """Documents in memory, by tenant and ref. ``upload_days``: so long a customer's file is kept."""

    upload_days = 90

    def __init__(self) -> None:
        self.held: dict[tuple[str, str], Document] = {}
        self._stands: dict[str, Shelved] = {}
        self.away = False

    @property
    def texts(self) -> list[str]:
        """What is kept, in the order in which it came."""
        return [document.text for document in self.held.values()]

    async def keep(self, document: Document) -> None:
        """Keep it, in the place of the one with its ``ref``."""
        if document.kind == "upload" and document.expires_ms is None:
            document = replace(document, expires_ms=document.kept_ms + self.upload_days * _DAY_MS)
        self.held[document.tenant, document.ref] = document
        self._stands[document.ref] = Shelved(**asdict(listed(document)), state="waiting")

    def went(self, ref: str, state: State, problem: str = "") -> None:
        """Say what became of a document."""
        self._stands[ref] = replace(self._stands[ref], state=state, problem=problem)

    async def documents(self, tenant: str, customer: str | None = None) -> list[Shelved]:
        """A tenant's documents; ``customer``: this one's alone. Raises ``StoreError`` while it is ``away``."""
        if self.away:
            raise StoreError("nobody answers")
        return [
            self._stands[document.ref]
            for document in self.held.values()
            if document.tenant == tenant and customer in (None, document.customer)
        ]

    async def delete(self, tenant: str, ref: str) -> bool:
        """Forget it; whether it was there."""
        return self.held.pop((tenant, ref), None) is not None
