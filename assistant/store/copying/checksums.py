"""Compares the source and the target of a copy, table by table."""

import hashlib
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass

import orjson

from assistant.store.copying.source import PLAIN_TABLES, DataFolderSource, SourceConversation, SourceDocument
from assistant.store.copying.target import DatabaseTarget
from assistant.store.postgres.driver import Value


class Checksum:
    """The number of rows, and the SHA-256 of their JSON, one row in a line. Values of bytes are written in hex."""

    def __init__(self) -> None:
        self.rows = 0
        self._hash = hashlib.sha256()

    def add(self, row: tuple[Value, ...]) -> None:
        """Add the next row."""
        self.rows += 1
        self._hash.update(orjson.dumps(row, default=_hex, option=orjson.OPT_APPEND_NEWLINE))

    @property
    def sha256(self) -> str:
        """In hex."""
        return self._hash.hexdigest()


def _hex(value: object) -> object:
    if isinstance(value, bytes):
        return value.hex()
    raise TypeError(f"{type(value).__name__} is not a value of a column")


@dataclass(frozen=True, slots=True, kw_only=True)
class TableComparison:
    """The rows of one table in the data folder and in the database."""

    table: str
    source: Checksum
    target: Checksum

    @property
    def equal(self) -> bool:
        """Whether all rows are equal, and in the same order."""
        return (self.source.rows, self.source.sha256) == (self.target.rows, self.target.sha256)


async def compare(
    source: DataFolderSource, target: DatabaseTarget, *, documents: bool, advance: Callable[[], None]
) -> list[TableComparison]:
    """Compare all tables; those of documents only if ``documents``. ``advance`` is called after each step."""
    ours = _of_source(source, documents=documents, advance=advance)
    theirs = await _of_target(target, documents=documents, advance=advance)
    return [TableComparison(table=table, source=ours[table], target=theirs[table]) for table in ours]


def _of_source(
    source: DataFolderSource, *, documents: bool, advance: Callable[[], None]
) -> dict[str, Checksum]:
    sums = _none(documents=documents)
    sums["installation"].add(source.installation)
    for conversation in source.conversations():
        _add_conversation(sums, conversation)
        advance()
    for document in source.documents() if documents else ():
        _add_document(sums, document)
        advance()
    for table in PLAIN_TABLES:
        for row in source.plain(table):
            sums[table.name].add(row)
        advance()
    for row in source.jobs():
        sums["jobs"].add(row)
    advance()
    return sums


async def _of_target(
    target: DatabaseTarget, *, documents: bool, advance: Callable[[], None]
) -> dict[str, Checksum]:
    sums = _none(documents=documents)
    sums["installation"].add(await target.installation())
    async with aclosing(target.conversations()) as conversations:
        async for conversation in conversations:
            _add_conversation(sums, conversation)
            advance()
    if documents:
        async with aclosing(target.documents()) as stored:
            async for document in stored:
                _add_document(sums, document)
                advance()
    for table in PLAIN_TABLES:
        async with aclosing(target.plain(table)) as rows:
            async for row in rows:
                sums[table.name].add(row)
        advance()
    async with aclosing(target.jobs()) as jobs:
        async for row in jobs:
            sums["jobs"].add(row)
    advance()
    return sums


def _none(*, documents: bool) -> dict[str, Checksum]:
    of_documents = ("documents", "passages") if documents else ()
    plain = (*(table.name for table in PLAIN_TABLES), "jobs")
    return {
        table: Checksum() for table in ("installation", "conversations", "entries", *of_documents, *plain)
    }


def _add_conversation(sums: dict[str, Checksum], conversation: SourceConversation) -> None:
    sums["conversations"].add(conversation.row)
    for entry in conversation.entries:
        sums["entries"].add(entry)


def _add_document(sums: dict[str, Checksum], document: SourceDocument) -> None:
    sums["documents"].add(document.row)
    for passage in document.passages:
        sums["passages"].add((*document.row[:2], *passage))  # the tenant and the reference
