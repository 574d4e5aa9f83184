"""Stands in for a library where there is none."""

from assistant.conversation.documents import Document, Finding


class NoDocuments:
    """Nothing is found in it."""

    async def search(self, tenant: str, customer: str, question: str, *, limit: int = 5) -> list[Finding]:  # noqa: ARG002 - as the port has it
        """No passages."""
        return []

    async def load(self, tenant: str, customer: str, ref: str) -> Document | None:  # noqa: ARG002
        """No document."""
        return None
