"""Stores files and results and indexes them in the background, until it is killed: ``library_process.py FOLDER
FIRST``.

Each durable document is printed on its own line; files and results alternate.
"""

import asyncio
import sys
from itertools import count
from pathlib import Path

from assistant.clock import SystemClock
from assistant.conversation.calls import Call
from assistant.conversation.customer import ConversationKey
from assistant.conversation.documents import Document, result_ref
from assistant.conversation.entries import CallEnded, Logged, Snapshot
from assistant.conversation.outcomes import CallSucceeded
from assistant.memory.library import Library
from assistant.store.documents.sqlite import SqliteDocuments
from assistant.store.sqlite.log import SqliteLog
from assistant.store.sqlite.write_queue import SqliteWriteQueue
from tests.support.library import WIDTH, FakeEmbedder


def library_in(folder: Path, log: SqliteLog) -> Library:
    """A library in this folder's file."""
    path = folder / "log.db"
    store = SqliteDocuments(path, embedder="fake", width=WIDTH)
    return Library(
        store,
        SqliteWriteQueue(path),
        FakeEmbedder(),
        log,
        SystemClock(),
        keep_results_days=None,
        keep_uploads_days=None,
    )


async def main(folder: Path, first: int) -> None:
    log = SqliteLog(folder / "log.db")
    library = library_in(folder, log)
    library.start()
    async with asyncio.timeout(20):  # in case no test kills this process
        for number in count(first):
            ref = await (keep_file(library, number) if number % 2 else keep_result(log, number))
            print(ref, flush=True)


async def keep_file(library: Library, number: int) -> str:
    ref = f"document:{number}"
    text = f"Number {number}. " + "Some words of a letter. " * (number % 300)
    await library.keep(
        Document(ref=ref, tenant="t", customer="ana", kind="upload", title="letter", text=text)
    )
    return ref


async def keep_result(log: SqliteLog, number: int) -> str:
    key = ConversationKey(tenant="t", customer="ana", conversation=f"c{number}")
    outcome = CallSucceeded(
        call=Call(id="c1.1", tool="list_orders"), value=[f"M-{number}"] * (number % 50 + 1)
    )
    ref = result_ref(key.conversation, "t1", "c1.1")
    snapshot = Snapshot(
        call_id="c1.1", tool_name="list_orders", arguments={}, result_summary=[number], full_result_ref=ref
    )
    await log.append(key, [Logged(1, 1, "t1", CallEnded(outcome=outcome)), Logged(2, 1, "t1", snapshot)])
    return ref


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2])))
