"""What is known of a document that waits to be written into the store."""

from dataclasses import dataclass

from assistant.conversation.documents import Listed


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A document that waits, without its text.

    ``number`` is its place in the queue: asking anew for the same document gives it a new one. It is not tried
    before ``due_ms``; None: it has failed for good. ``tries`` have failed so far, the last for ``problem``, words
    for whoever looks after the documents.
    """

    number: int
    tenant: str
    listed: Listed
    due_ms: int | None
    tries: int = 0
    problem: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """The tenant and the reference, which are the document's alone."""
        return self.tenant, self.listed.ref

    @property
    def whose(self) -> tuple[str, str, str]:
        """The tenant, the customer and the reference."""
        return self.tenant, self.listed.customer, self.listed.ref
