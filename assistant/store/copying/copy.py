"""Copies an installation into a database, and checks that it is complete.

You can interrupt it at any time and start it again; then it continues. Rows that exist in the target are
skipped, and a finished copy is only compared. Otherwise a second copy could restore data that was erased in the
database since.
"""

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from assistant.errors import DeclarationError, StoreError
from assistant.store.copying.checksums import TableComparison, compare
from assistant.store.copying.source import PLAIN_TABLES, DataFolderSource, check_erased
from assistant.store.copying.target import DatabaseTarget, open_target
from assistant.store.sqlite.data_folder import lock_data_folder

_ROWS_AT_ONCE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyReport:
    """All tables after the copy. ``copied`` is False if a copy was finished before and was only compared."""

    tables: list[TableComparison]
    copied: bool

    @property
    def equal(self) -> bool:
        """Whether source and target are equal."""
        return all(table.equal for table in self.tables)


async def copy_installation(
    folder: Path,
    address: str,
    setting: str,
    *,
    documents: bool = True,
    unfinished_erasures: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> CopyReport:
    """Copy everything, then compare everything. If both are equal, servers can start on the database.

    Args:
        folder: the data folder; its lock is held meanwhile.
        address: the address of the database, which is empty, or has a part of this copy.
        setting: where the address was read, for errors.
        documents: copy the documents, too; False if they are stored elsewhere.
        unfinished_erasures: copy even if an unfinished erasure waits; it continues in the database.
        progress: called with the number of finished steps, and of all steps.

    Raises:
        StorageInUse: a server uses the data folder.
        DeclarationError: the folder or the database cannot be used, or the database has other data.
    """
    try:
        with closing(DataFolderSource(folder)) as source, lock_data_folder(folder):
            if not unfinished_erasures:
                check_erased(folder)
            async with open_target(address, setting) as target:
                steps = _Steps(source, documents, progress)
                copied = await target.begin(source.installation, documents=documents)
                if copied:
                    await _copy(source, target, steps, documents=documents)
                tables = await compare(source, target, documents=documents, advance=steps.advance)
                report = CopyReport(tables=tables, copied=copied)
                if copied and report.equal:
                    await target.finish()
                return report
    except StoreError as error:
        raise DeclarationError(f"{setting}: {error}") from error


class _Steps:
    """Counts finished steps: each conversation, document and other table is read three times."""

    def __init__(
        self, source: DataFolderSource, documents: bool, progress: Callable[[int, int], None] | None
    ) -> None:
        tables = ("conversations", "documents") if documents else ("conversations",)
        self._total = 3 * (sum(map(source.count, tables)) + len(PLAIN_TABLES) + 1)  # and the jobs
        self._done, self._progress = 0, progress

    def advance(self) -> None:
        self._done += 1
        if self._progress is not None:
            self._progress(self._done, self._total)


async def _copy(source: DataFolderSource, target: DatabaseTarget, steps: _Steps, *, documents: bool) -> None:
    for conversation in source.conversations():
        await target.add_conversation(conversation)
        steps.advance()
    for document in source.documents() if documents else ():
        await target.add_document(document)
        steps.advance()
    for table in PLAIN_TABLES:
        rows = source.plain(table)
        while some := list(islice(rows, _ROWS_AT_ONCE)):
            await target.add_plain(table, some)
        steps.advance()
    jobs = source.jobs()
    while some := list(islice(jobs, _ROWS_AT_ONCE)):
        await target.add_jobs(some)
    steps.advance()
