"""The result of a trial: its row, and the file that stores the rows."""

import os
from collections.abc import Generator
from contextlib import contextmanager
from io import FileIO
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from assistant.conversation.entries import GuardrailName
from assistant.errors import DeclarationError
from assistant.evaluation.measures import Again, Cost, TurnTimes, Writes
from assistant.evaluation.simulated_customer import How
from assistant.store.data_folder import lock_file


class Row(BaseModel):
    """One trial of one task.

    ``digest`` and ``bundle`` are the versions of the task and of the prompts. ``unmet`` has a line for each
    unmet expectation. ``broke``: the trial did not reach its end, so nothing was judged. ``asked`` are the
    models that were asked, with fallback models; ``model_errors`` are failed requests, whatever followed.
    ``transcript``: speaker and text. ``again`` has one entry for each turn in which something was said before
    a response; ``withheld`` are sentences that a guardrail suppressed, with its name. ``state_hash`` is the
    hash of the records afterwards, and ``writes`` counts changes without the customer's yes. All four are None
    if the trial did not reach its end.

    If a model played the customer, ``simulator`` is its name, ``customer_left`` how its part ended,
    ``customer_cost`` what it used, and ``customer_failed`` why it could not continue: then nothing was
    judged, because that is not the assistant's fault.
    """

    model_config = ConfigDict(frozen=True)

    task: str
    digest: str
    trial: Annotated[int, Field(ge=1)]
    model: str
    bundle: str
    unmet: tuple[str, ...] = ()
    broke: str | None = None
    turns: tuple[TurnTimes, ...] = ()
    cost: Cost = Cost()
    ran: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    model_errors: tuple[str, ...] = ()
    transcript: tuple[tuple[str, str], ...] = ()
    again: tuple[Again, ...] | None = None
    withheld: tuple[tuple[GuardrailName, str], ...] | None = None
    writes: Writes | None = None
    state_hash: str | None = None
    simulator: str | None = None
    customer_left: How | None = None
    customer_cost: Cost | None = None
    customer_failed: str | None = None

    @property
    def judged(self) -> bool:
        """Whether this row says anything about the assistant."""
        return self.customer_failed is None

    @property
    def missed(self) -> tuple[str, ...]:
        """The kinds of unmet expectations: "state", "must" and so on, each once."""
        return tuple(dict.fromkeys(line.partition(":")[0] for line in self.unmet))

    @property
    def passed(self) -> bool:
        """Whether all expectations were met."""
        return self.judged and not self.unmet and self.broke is None


@contextmanager
def only_writer(path: Path) -> Generator[None]:
    """Hold a file of results, so that no other evaluation writes to it. Makes it when it does not exist.

    Raises:
        DeclarationError: another process holds it, or it cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = FileIO(path, "a")
    except OSError as error:
        raise _unusable(path, error) from error
    with file:
        try:
            lock_file(file)
        except BlockingIOError as error:
            raise DeclarationError(
                f"{path}: another evaluation is writing its results there; wait for it, or name another file "
                "with --out"
            ) from error
        yield


def read_results(path: Path) -> list[Row]:
    """The rows of a file, also while an evaluation is adding to it.

    Raises:
        DeclarationError: it cannot be read, or a line is no row.
    """
    try:
        return _rows(path, path.read_bytes())
    except OSError as error:
        raise DeclarationError(f"{path} cannot be read: {error.strerror}") from error


def _rows(path: Path, content: bytes) -> list[Row]:
    """All complete lines."""
    lines = content.splitlines(keepends=True)
    return [_row(path, number, line) for number, line in enumerate(lines, 1) if line.endswith(b"\n")]


def _row(path: Path, number: int, line: bytes) -> Row:
    try:
        return Row.model_validate_json(line)
    except ValidationError as error:
        raise DeclarationError(
            f"{path}:{number}: this line is no result of an evaluation; name another file with --out"
        ) from error


def _unusable(path: Path, error: OSError) -> DeclarationError:
    return DeclarationError(
        f"--out {str(path)!r} cannot be used: {error.strerror}; name a file that can be written"
    )


class ResultsFile:
    """A file to which rows are added; added rows survive the end of the process.

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
            raise _unusable(path, error) from error

    def add(self, row: Row) -> None:
        """Store a row: it is on disk when this returns."""
        with self.path.open("ab") as file:
            file.write(row.model_dump_json().encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
        self.rows.append(row)

    def _read(self) -> list[Row]:
        with self.path.open("a+b") as file:
            file.seek(0)
            content = file.read()
            rows = _rows(self.path, content)
            # A last line without its end was cut off by the end of a process: that trial is done again.
            file.truncate(content.rfind(b"\n") + 1)
        return rows
