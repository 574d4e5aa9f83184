"""The rows of an evaluation in a file: one line of JSON each, added as soon as a trial is over."""

import os
from pathlib import Path

from pydantic import ValidationError

from assistant.errors import DeclarationError
from assistant.evaluation.row import Row


class ResultsFile:
    """A file to which rows are added; what was added survives the end of the process.

    Args:
        path: made, with its folder, when it does not exist. A last line that was cut off is removed.

    Raises:
        DeclarationError: it cannot be written, or another line than the last is no row.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self.rows = self._read()
        except OSError as error:
            raise DeclarationError(
                f"--out {str(path)!r} cannot be used: {error.strerror}; name a file that can be written"
            ) from error

    def add(self, row: Row) -> None:
        """Keep a row: it is on the disk when this returns."""
        with self.path.open("ab") as file:
            file.write(row.model_dump_json().encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
        self.rows.append(row)

    def _read(self) -> list[Row]:
        with self.path.open("a+b") as file:
            file.seek(0)
            lines = file.read().splitlines(keepends=True)
            if lines and not lines[-1].endswith(b"\n"):
                # Written by a process that ended in the middle of it: that trial is done again.
                lines.pop()
                file.truncate(sum(map(len, lines)))
        return [self._row(number, line) for number, line in enumerate(lines, 1)]

    def _row(self, number: int, line: bytes) -> Row:
        try:
            return Row.model_validate_json(line)
        except ValidationError as error:
            raise DeclarationError(
                f"{self.path}:{number}: this line is no result of an evaluation; name another file with --out"
            ) from error
