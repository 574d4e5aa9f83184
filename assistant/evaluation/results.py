"""The result of a trial: its row, and the file with the rows."""

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
from assistant.store.sqlite.data_folder import lock_file


class Row(BaseModel):
    """One trial of one task.

    ``digest`` and ``bundle`` are the versions of the task and of the prompts. ``unmet`` has one line for each
    unmet expectation. ``broke`` is the reason why the trial did not reach its end and was not judged, or None
    if it was. ``asked`` are the models that were asked, including fallback models; ``model_errors`` are
    failed requests, even if a retry succeeded. ``transcript``: speaker and text. ``again`` has one entry for
    each turn with an announcement before a response. ``withheld`` are the sentences that guardrails
    suppressed, with the guardrail's name. ``state_hash`` is the hash of the records after the trial.
    ``writes`` counts changes without the required yes. These four are None if the trial did not reach its
    end.

    If a model played the customer, ``simulator`` is its name, ``customer_left`` how its part ended,
    ``customer_cost`` its usage, and ``customer_failed`` the reason why it could not continue; then the trial
    was not judged, because that is not the assistant's fault.
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
        """Whether this row is a result for the assistant."""
        return self.customer_failed is None

    @property
    def missed(self) -> tuple[str, ...]:
        """The kinds of unmet expectations, each once: "state", "must" and so on."""
        return tuple(dict.fromkeys(line.partition(":")[0] for line in self.unmet))

    @property
    def passed(self) -> bool:
        """Whether all expectations were met."""
        return self.judged and not self.unmet and self.broke is None


@contextmanager
def only_writer(path: Path) -> Generator[None]:
    """Lock a file of results, so that no other evaluation writes to it. It is created if necessary.

    Raises:
        DeclarationError: another process has locked it, or it cannot be written.
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
    """Returns the rows of a file. An evaluation may be adding rows meanwhile.

    Raises:
        DeclarationError: the file cannot be read, or one of its lines is not a row.
    """
    try:
        return _rows(path, path.read_bytes())
    except OSError as error:
        raise DeclarationError(f"{path} cannot be read: {error.strerror}") from error


def _rows(path: Path, content: bytes) -> list[Row]:
    """Returns all complete lines."""
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
    """A file to which rows are added. Added rows are not lost if the process ends.

    Args:
        path: the file; it is created with its folder if necessary. An incomplete last line is removed.

    Raises:
        DeclarationError: the file cannot be written, or a line other than the last is not a row.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self.rows = self._read()
        except OSError as error:
            raise _unusable(path, error) from error

    def add(self, row: Row) -> None:
        """Store a row. When this returns, it is on disk."""
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
            # An incomplete last line was being written when a process ended; that trial is repeated.
            file.truncate(content.rfind(b"\n") + 1)
        return rows
