"""What commands look up in a log beside a server."""

from pathlib import Path

from assistant.conversation.documents import Document
from assistant.store.documents.sqlite import SqliteDocuments
from assistant.store.log_reader import open_log
from assistant.store.sqlite_log import SqliteLog
from assistant.store.write_queue import SqliteWriteQueue


async def test_a_file_is_kept_while_it_waits_and_afterwards(tmp_path: Path) -> None:
    log = SqliteLog(tmp_path / "log.db")
    documents = SqliteDocuments(tmp_path / "log.db", embedder="none", width=2)
    waiting, written = _letter("document:1"), _letter("document:2")
    queue = SqliteWriteQueue(tmp_path / "log.db")
    await queue.add(waiting, 0)
    await documents.put(written, ())

    async with open_log(tmp_path / "log.db") as reader:
        kept = [await reader.keeps_file("shop", ref) for ref in ("document:1", "document:2", "document:3")]
        others = await reader.keeps_file("bank", "document:1")

    await documents.close()
    await queue.close()
    await log.close()
    assert (kept, others) == ([True, True, False], False)


def _letter(ref: str) -> Document:
    return Document(
        ref=ref, tenant="shop", customer="ana", kind="upload", title="letter.pdf", text="Dear Ana"
    )
