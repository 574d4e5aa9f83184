"""The demo shop's pages, searched like the document store: by the cosines of their passages."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from assistant.conversation.documents import ALL_CUSTOMERS, Document, Finding, Passage
from assistant.memory.document_writer import embedding_text
from assistant.memory.passages import cut_passages
from assistant.models.minilm import Vectors, embed_passages
from tests.models.demo.kept_embeddings import kept_embed

KNOWLEDGE = Path(__file__).parents[3] / "knowledge"


async def in_shop_documents(question: str) -> Sequence[Finding]:
    """The five passages nearest to a question."""
    every, vectors = _shelf()
    scores = [float(score) for score in vectors @ kept_embed([question])[0]]
    best = sorted(range(len(every)), key=lambda at: -scores[at])[:5]
    return [
        Finding(
            ref=every[at][0].ref,
            kind="knowledge",
            title=every[at][0].title,
            passage=every[at][1],
            score=scores[at],
        )
        for at in best
    ]


@cache
def _shelf() -> tuple[list[tuple[Document, Passage]], Vectors]:
    every = [(page, passage) for page in _pages() for passage in cut_passages(page)]
    return every, embed_passages([embedding_text(page, passage) for page, passage in every])


def _pages() -> list[Document]:
    return [
        Document(
            ref=f"document:{path.stem}",
            tenant="demo",
            customer=ALL_CUSTOMERS,
            kind="knowledge",
            title=path.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# "),
            text=path.read_text(encoding="utf-8"),
            mime="text/markdown",
        )
        for path in sorted(KNOWLEDGE.glob("*.md"))
    ]
