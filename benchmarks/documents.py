"""What a search by meaning costs, beside a bare product: ``python -m benchmarks.documents [FOLDER]``.

One tenant's knowledge of 1,000, 10,000 and 100,000 passages, with random vectors of 384 numbers, in the store in
the house's own file. The floor is what nobody gets under: a matrix that is in memory already, times the question,
and the ten largest of that. Both are asked in turns; compare the ratio, not the milliseconds. The question's own
vector is given: embedding it is another matter. The folder decides which disk is measured; the default is the
working directory's. It takes about a minute.
"""

import asyncio
import os
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import psutil
import uvloop
from numpy.typing import NDArray

from assistant.conversation.documents import ALL_CUSTOMERS, Document, Passage
from assistant.storage_ports import DocumentStore
from assistant.store.documents.sqlite import SqliteDocuments
from benchmarks.load.stalls import Stalls

WIDTH = 384
IN_A_DOCUMENT = 100
LIMIT = 10
TEXT = "You may send anything back for thirty days, in its own box and with the slip that came with it. " * 10
SEARCHES = {1_000: 300, 10_000: 200, 100_000: 120}

Rows = NDArray[np.float32]


def unit_vectors(count: int) -> Rows:
    """So many random vectors of length 1."""
    rows = np.random.default_rng(count).standard_normal((count, WIDTH), dtype=np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def document(number: int, rows: Rows) -> tuple[Document, list[Passage]]:
    """A document of some hundred passages, about 900 characters each."""
    texts = [f"{number} {at} {TEXT}" for at in range(len(rows))]
    kept = Document(
        ref=f"document:{number}",
        tenant="acme",
        customer=ALL_CUSTOMERS,
        kind="knowledge",
        title=f"{number}",
        text="".join(texts),
    )
    return kept, [
        Passage(number=at, start=at * 900, end=at * 900 + 900, text=text, vector=row.tobytes())
        for at, (text, row) in enumerate(zip(texts, rows, strict=True))
    ]


def nearest(rows: Rows, question: Rows) -> list[int]:
    """The floor: the rows of the ten largest products, in order."""
    scores = rows @ question
    best = np.argpartition(scores, -LIMIT)[-LIMIT:]
    return best[np.argsort(-scores[best])].tolist()


async def fill(store: DocumentStore, rows: Rows) -> float:
    """Keep them all, one document after the other; passages per second."""
    documents = [document(at, rows[at : at + IN_A_DOCUMENT]) for at in range(0, len(rows), IN_A_DOCUMENT)]
    began = time.perf_counter()
    for kept, passages in documents:
        await store.put(kept, passages)
    return len(rows) / (time.perf_counter() - began)


async def ask(store: DocumentStore, question: Rows) -> list[int]:
    """The same of the store, by number."""
    found = await store.search("acme", "ana", question.tobytes(), limit=LIMIT, now_ms=0)
    return [int(one.ref.removeprefix("document:")) + one.passage.number for one in found]


def mib() -> float:
    return psutil.Process(os.getpid()).memory_info().rss / 2**20


async def measure(folder: Path, count: int) -> None:
    """Fill a file, open it again, ask it and the floor in turns, and print a row."""
    rows, path = unit_vectors(count), folder / f"{count}.db"
    filling = SqliteDocuments(path, embedder="random", width=WIDTH)
    put = await fill(filling, rows)
    await filling.close()

    store = SqliteDocuments(path, embedder="random", width=WIDTH)
    questions = unit_vectors(SEARCHES[count] + 1)
    before, began = mib(), time.perf_counter()
    await ask(store, questions[0])
    first_ms, memory = (time.perf_counter() - began) * 1000, mib() - before

    stalls, theirs, ours, same = Stalls(), list[float](), list[float](), 0
    for question in questions[1:]:
        began = time.perf_counter()
        expected = await asyncio.to_thread(nearest, rows, question)
        between = time.perf_counter()
        found = await ask(store, question)
        theirs.append((between - began) * 1000)
        ours.append((time.perf_counter() - between) * 1000)
        same += len(set(expected) & set(found))
    await store.close()
    (bare, _), (p50, p95) = (np.percentile(took, (50, 95)) for took in (theirs, ours))
    print(
        f"| {count:,} | {bare:.2f} | {p50:.2f} | {p95:.2f} | {p50 / bare:.2f} | {same / (LIMIT * len(ours)):.3f}"
        f" | {first_ms:.0f} | {memory:.0f} | {put:,.0f} | {path.stat().st_size / 2**20:.0f}"
        f" | {stalls.worst_ms(0.99):.1f} |"
    )


async def main(folder: Path) -> None:
    """Print the table."""
    print(
        "| passages | bare p50 ms | ours p50 ms | ours p95 ms | ratio | recall@10 | first search ms | + MiB |"
        " put passages/s | file MiB | loop late p99 ms |\n" + "| --- " * 11 + "|"
    )
    for count in SEARCHES:
        await measure(folder, count)


if __name__ == "__main__":
    with (
        tempfile.TemporaryDirectory(dir=sys.argv[1] if sys.argv[1:] else ".") as folder,
        asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,
    ):
        runner.run(main(Path(folder)))
