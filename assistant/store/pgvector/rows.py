"""Documents and passages as rows, and back."""

from typing import Any, cast

from assistant.conversation.documents import Document, DocumentKind, Finding, Listed, Passage
from assistant.store.pgvector.driver import Row, Value


def document_values(document: Document, passages: int, embedder: str, width: int) -> tuple[Value, ...]:
    """In the order of the statement that puts a document; ``passages`` is how many it has."""
    text = (document.ref, document.tenant, document.customer, document.kind, document.title, document.text)
    about = (document.mime, document.conversation, document.origin)
    times = (document.kept_ms, document.expires_ms)
    return (*map(storable, (*text, *about)), *times, len(document.text), passages, embedder, width)


def passage_values(
    kept: int, document: Document, passage: Passage, embedder: str, width: int
) -> tuple[Value, ...]:
    """In the order of the statement that puts a passage; ``kept`` is the document's number in the database."""
    whose = (kept, passage.number, document.tenant, document.customer)
    found_by = (embedder, width, document.expires_ms)
    where = (passage.start, passage.end, storable(passage.place))
    return (*whose, *found_by, *where, storable(passage.text), passage.vector)


def document_of(row: Row) -> Document:
    """A document, from a row of all its columns."""
    return Document(**cast("dict[str, Any]", dict(row)))


def listed_of(row: Row) -> Listed:
    """A document without its text."""
    return Listed(**cast("dict[str, Any]", dict(row)))


def finding_of(row: Row) -> Finding:
    """A passage that was found."""
    found = cast("dict[str, Any]", dict(row))
    passage = Passage(
        number=found["number"],
        start=found["starts"],
        end=found["ends"],
        text=found["text"],
        place=found["place"],
    )
    kind: DocumentKind = found["kind"]
    return Finding(ref=found["ref"], kind=kind, title=found["title"], passage=passage, score=found["score"])


def storable(text: str) -> str:
    """The text without the one character that PostgreSQL cannot keep; a sign takes its place.

    >>> storable("a" + chr(0) + "b") == "a" + chr(0xFFFD) + "b"
    True
    """
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}")
