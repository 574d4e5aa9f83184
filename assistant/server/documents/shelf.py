"""What the doors ask of the place where documents are kept."""

from collections.abc import Sequence
from typing import Protocol

from assistant.conversation.documents import Document
from assistant.memory.library import Shelved


class Shelf(Protocol):
    """All documents of all tenants; each is asked for by whose it is.

    Whatever it is asked raises ``StoreError`` where it cannot be reached.
    """

    async def keep(self, document: Document) -> None:
        """Keep a document, in the place of the one with its ``ref``; durable when this returns."""
        ...

    async def documents(self, tenant: str, customer: str | None = None) -> Sequence[Shelved]:
        """A tenant's documents; ``customer``: this one's alone."""
        ...

    async def delete(self, tenant: str, ref: str) -> bool:
        """Delete a document for good; False where there is none."""
        ...
