"""A library whose nearness is shared words: documents are found at once, without a store or a model."""

import re
from collections.abc import Iterator

from assistant.conversation.documents import EVERYBODY, Document, Finding, Listed, Passage, listed
from assistant.text.words import content_stems

_PARAGRAPH = re.compile(r"(?:[^\n]|\n(?!\n))+")


class FakeLibrary:
    """Documents of many customers, in memory; each paragraph is a passage.

    ``searched`` has every question, in order, with who asked: (tenant, customer, question); ``kept`` every
    document that was given to be kept.
    """

    def __init__(self, *documents: Document) -> None:
        self._documents = {(each.tenant, each.ref): each for each in documents}
        self.searched: list[tuple[str, str, str]] = []
        self.kept: list[Document] = []

    async def keep(self, document: Document) -> None:
        """Found from now on, in place of the one with its ``ref``."""
        self.kept.append(document)
        self._documents[document.tenant, document.ref] = document

    async def search(self, tenant: str, customer: str, question: str, *, limit: int = 5) -> list[Finding]:
        """Passages by the share of the question's words that stand in them; those without any are left out."""
        self.searched.append((tenant, customer, question))
        asked = set(content_stems(question))
        found = [
            _found(document, passage, shared / len(asked))
            for document in self._readable(tenant, customer)
            for passage in _passages(document)
            if (shared := len(asked & set(content_stems(passage.text))))
        ]
        return sorted(found, key=lambda finding: -finding.score)[:limit]

    async def load(self, tenant: str, customer: str, ref: str) -> Document | None:
        """The whole document; None for one that is not there or is another customer's."""
        return next((each for each in self._readable(tenant, customer) if each.ref == ref), None)

    async def documents(self, tenant: str, customer: str | None = None) -> list[Listed]:
        """What is kept, oldest first: of one customer alone, or of the whole tenant for None."""
        return [
            listed(each, len(list(_passages(each))))
            for each in self._documents.values()
            if each.tenant == tenant and customer in (None, each.customer)
        ]

    async def delete(self, tenant: str, ref: str) -> bool:
        """Forget it; whether it was there."""
        return self._documents.pop((tenant, ref), None) is not None

    def _readable(self, tenant: str, customer: str) -> Iterator[Document]:
        for each in self._documents.values():
            if each.tenant == tenant and each.customer in (EVERYBODY, customer):
                yield each


def _found(document: Document, passage: Passage, score: float) -> Finding:
    return Finding(ref=document.ref, kind=document.kind, title=document.title, passage=passage, score=score)


def _passages(document: Document) -> Iterator[Passage]:
    for number, found in enumerate(_PARAGRAPH.finditer(document.text)):
        yield Passage(number=number, start=found.start(), end=found.end(), text=found[0].strip())
