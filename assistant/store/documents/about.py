"""How a document is written into its row, but for its numbers: names as a digest, words as bytes."""

import hashlib
from dataclasses import dataclass

import orjson

from assistant.conversation.documents import Document, DocumentKind


@dataclass(frozen=True, slots=True)
class About:
    """What is told of a document beside its text and its numbers; the fields are the document's."""

    ref: str
    customer: str
    kind: DocumentKind
    title: str
    mime: str
    conversation: str
    origin: str


def digest(tenant: str, name: str) -> bytes:
    """Stands in an index for a ref or a customer of a tenant."""
    # The tenant's length says where it ends: there is no sign that it could not hold.
    both = f"{len(tenant)} {tenant}{name}".encode("utf-8", "surrogatepass")
    return hashlib.blake2b(both, digest_size=16).digest()


def about(document: Document) -> bytes:
    """What is told of a document, to be kept. Raises ``TypeError`` for what is not text."""
    return orjson.dumps(
        About(
            ref=document.ref,
            customer=document.customer,
            kind=document.kind,
            title=document.title,
            mime=document.mime,
            conversation=document.conversation,
            origin=document.origin,
        )
    )


def about_of(kept: bytes) -> About:
    """What was kept, read again."""
    return About(**orjson.loads(kept))
