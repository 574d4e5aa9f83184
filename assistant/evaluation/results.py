"""What came of a trial: its row, how it is measured from the log, and the file that keeps the rows."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from assistant.conversation.entries import (
    CustomerMessage,
    GuardrailName,
    Logged,
    MessageText,
    ModelChunks,
    SentenceSuppressed,
    TurnEnded,
    TurnStarted,
)
from assistant.conversation.usage import Usage
from assistant.errors import DeclarationError
from assistant.evaluation.simulated_customer import How


class TurnTimes(BaseModel):
    """How long a customer waited, in ms: for the first words (None: there were none) and for the whole turn."""

    model_config = ConfigDict(frozen=True)

    first_ms: int | None
    whole_ms: int


class Cost(BaseModel):
    """What requests took; None where the provider does not tell it of every one."""

    model_config = ConfigDict(frozen=True)

    input_tokens: int | None = None
    output_tokens: int | None = None
    usd: float | None = None


class Again(BaseModel):
    """How much a turn's response said again of what had been announced: 0 to 1, measured in three ways.

    ``repeats``: a customer would notice. See :class:`assistant.language.similarity.Repetition`.
    """

    model_config = ConfigDict(frozen=True)

    share: float
    run: float
    trigrams: float
    repeats: bool


class Row(BaseModel):
    """One trial of one task.

    ``digest`` and ``bundle`` say which version of the task and of the prompts was tried. ``unmet`` has a line
    for each expectation that was not met. ``broke``: the trial did not come to its end, so nothing was judged.
    ``asked`` are the models that were, stand-ins included; ``model_errors`` are requests that failed, whatever
    came of them. ``transcript``: speaker and text. ``again`` has one for each turn in which something was
    told before a response; ``withheld`` are sentences that a guard kept from the customer, with its name. Both
    are None in rows from before they were kept.

    Where a model played the customer, ``simulator`` is its name, ``customer_left`` how its part ended,
    ``customer_cost`` what it took, and ``customer_failed`` why it could not play on: then nothing was judged,
    and it was not the assistant's doing.
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
    simulator: str | None = None
    customer_left: How | None = None
    customer_cost: Cost | None = None
    customer_failed: str | None = None

    @property
    def judged(self) -> bool:
        """Whether this says anything about the assistant."""
        return self.customer_failed is None

    @property
    def passed(self) -> bool:
        """Whether everything came as expected."""
        return self.judged and not self.unmet and self.broke is None


def turn_times(entries: Sequence[Logged]) -> list[TurnTimes]:
    """Each ended turn's times, counted from the moment at which the customer's message came."""
    said: dict[str, int] = {}
    began: dict[str, int] = {}
    first: dict[str, int] = {}
    found: list[TurnTimes] = []
    for logged in entries:
        match logged.entry:
            case CustomerMessage(message_id=message):
                said[message] = logged.at_ms
            case TurnStarted(message_id=message):
                began[logged.turn_id] = said[message]
            case MessageText():
                first.setdefault(logged.turn_id, logged.at_ms)
            case TurnEnded():
                start, words = began[logged.turn_id], first.get(logged.turn_id)
                first_ms = words - start if words is not None else None
                found.append(TurnTimes(first_ms=first_ms, whole_ms=logged.at_ms - start))
            case _:
                pass
    return found


def cost_in(used: Usage) -> Cost:
    """The part of it that a row keeps."""
    return Cost(input_tokens=used.input_tokens, output_tokens=used.output_tokens, usd=used.cost_usd)


def model_errors(entries: Sequence[Logged]) -> list[str]:
    """How requests failed."""
    return [
        logged.entry.error
        for logged in entries
        if isinstance(logged.entry, ModelChunks) and logged.entry.error is not None
    ]


def withheld(entries: Sequence[Logged]) -> list[tuple[GuardrailName, str]]:
    """What the guards kept from the customer, in order: which of them, and the sentence."""
    return [
        (logged.entry.guardrail, logged.entry.text)
        for logged in entries
        if isinstance(logged.entry, SentenceSuppressed)
    ]


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
