"""The result of a trial: its row, how it is measured from the log, and the file that stores the rows."""

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
    """Tokens and money of requests; None if a provider does not report it for each request."""

    model_config = ConfigDict(frozen=True)

    input_tokens: int | None = None
    output_tokens: int | None = None
    usd: float | None = None


class Again(BaseModel):
    """How much a turn's response repeated what had been announced: 0 to 1, measured in three ways.

    ``repeats``: a customer would notice. See :class:`assistant.language.similarity.Repetition`.
    """

    model_config = ConfigDict(frozen=True)

    share: float
    run: float
    trigrams: float
    repeats: bool


class Row(BaseModel):
    """One trial of one task.

    ``digest`` and ``bundle`` are the versions of the task and of the prompts. ``unmet`` has a line for each
    unmet expectation. ``broke``: the trial did not reach its end, so nothing was judged. ``asked`` are the
    models that were asked, with fallback models; ``model_errors`` are failed requests, whatever followed.
    ``transcript``: speaker and text. ``again`` has one entry for each turn in which something was said before
    a response; ``withheld`` are sentences that a guardrail suppressed, with its name. Both are None in older
    rows.

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
    simulator: str | None = None
    customer_left: How | None = None
    customer_cost: Cost | None = None
    customer_failed: str | None = None

    @property
    def judged(self) -> bool:
        """Whether this row says anything about the assistant."""
        return self.customer_failed is None

    @property
    def passed(self) -> bool:
        """Whether all expectations were met."""
        return self.judged and not self.unmet and self.broke is None


def turn_times(entries: Sequence[Logged]) -> list[TurnTimes]:
    """Each ended turn's times, counted from the arrival of the customer's message."""
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
    """The part of the usage that a row stores."""
    return Cost(input_tokens=used.input_tokens, output_tokens=used.output_tokens, usd=used.cost_usd)


def model_errors(entries: Sequence[Logged]) -> list[str]:
    """The errors of failed requests."""
    return [
        logged.entry.error
        for logged in entries
        if isinstance(logged.entry, ModelChunks) and logged.entry.error is not None
    ]


def withheld(entries: Sequence[Logged]) -> list[tuple[GuardrailName, str]]:
    """The sentences that guardrails suppressed, in order, each with the guardrail's name."""
    return [
        (logged.entry.guardrail, logged.entry.text)
        for logged in entries
        if isinstance(logged.entry, SentenceSuppressed)
    ]


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
            raise DeclarationError(
                f"--out {str(path)!r} cannot be used: {error.strerror}; name a file that can be written"
            ) from error

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
