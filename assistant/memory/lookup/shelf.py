"""What the tools of this room need of whoever keeps documents."""

from typing import Protocol

from assistant.conversation.documents import Document, Finding


class Shelf(Protocol):
    """Documents, as one customer may read them: their own and everybody's.

    Both methods raise ``StoreError`` or ``EmbeddingError`` when it cannot be looked into.
    """

    async def search(self, tenant: str, customer: str, question: str, *, limit: int = 5) -> list[Finding]:
        """The passages nearest to a question, nearest first."""
        ...

    async def load(self, tenant: str, customer: str, ref: str) -> Document | None:
        """The whole document; None for one that is not there, has expired, or is another customer's."""
        ...
