"""The rows of the frozen sets, and of files in the same formats."""

import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias, cast

from assistant.conversation.values import JsonObject

HERE = Path(__file__).parent
ANSWERS = HERE / "answers.tsv"
NARRATIONS = HERE / "narrations.jsonl"
LATER_ANSWERS = HERE / "answers_two_trades.tsv"
LATER_NARRATIONS = HERE / "narrations_two_trades.jsonl"
"""Rows of two further companies, which were written and frozen later."""
UNSEEN_ANSWERS = HERE / "answers_unseen_trades.tsv"
UNSEEN_NARRATIONS = HERE / "narrations_unseen_trades.jsonl"
"""Rows of two more companies, by an author who had not seen the rules."""

Want: TypeAlias = Literal[
    "yes", "first", "second", "no", "hold", "unclear", "correction", "other", "either", "yes+", "late"
]
TradeName: TypeAlias = Literal["optician", "inn", "vet", "garage", "school", "energy"]
Call: TypeAlias = tuple[str, JsonObject]
Line: TypeAlias = Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerRow:
    """What a customer answers to the read-back ``question``, and what it means.

    ``next``: what is read back or looked up instead or as well.
    """

    id: str
    locale: str
    form: Literal["typed", "speech"]
    question: str
    text: str
    want: Want
    next: tuple[Call, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One message of the customer: what is called for it, and what the model says then.

    ``agrees``: the message says yes to ``calls`` that were asked about before; otherwise the customer says yes
    with a button if they are asked.
    """

    say: str
    calls: tuple[Call, ...]
    text: str
    agrees: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class NarrationRow:
    """What a model says in the last of ``steps``. A good text is shown as it is; of a bad one, ``claim`` is not."""

    id: str
    kind: str
    trade: TradeName
    locale: str
    closed: bool
    steps: tuple[Step, ...]
    good: bool
    claim: str

    @property
    def text(self) -> str:
        """What the model says."""
        return self.steps[-1].text


def read_answers(path: Path) -> list[AnswerRow]:
    """The rows of a TSV file with a header. Without a ``locale`` column they are English."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [
        AnswerRow(
            id=row["id"],
            locale=row.get("locale") or "en",
            form=cast("Literal['typed', 'speech']", row["form"]),
            question=row["question"],
            text=row["text"],
            want=cast("Want", row["want"]),
            next=_calls(json.loads(row["next"] or "[]")),
        )
        for row in rows
    ]


def read_narrations(path: Path) -> list[NarrationRow]:
    """The rows of a JSON-lines file. Without a ``trade`` they are the optician's."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [_narration(json.loads(line)) for line in lines if line.strip()]


def _narration(line: Line) -> NarrationRow:
    trade = cast("TradeName", line.get("trade", "optician"))
    # Where there is no answer of its own, a message with changes is itself the yes to them.
    asked_first = line.get("answer") is None
    before = cast("Sequence[Line]", line.get("before") or ())
    return NarrationRow(
        id=str(line["id"]),
        kind=str(line["kind"]),
        trade=trade,
        locale=str(line["locale"]),
        closed=line["setting"] == "closed",
        steps=(*(_step(each, agrees=False) for each in before), _step(line, agrees=asked_first)),
        good=bool(line["good"]),
        claim=str(line.get("claim") or ""),
    )


def _step(line: Line, *, agrees: bool) -> Step:
    calls = _calls(cast("Sequence[Sequence[object]]", line["calls"]))
    return Step(say=str(line["say"]), calls=calls, text=str(line["text"]), agrees=agrees)


def _calls(given: Sequence[Sequence[object]]) -> tuple[Call, ...]:
    return tuple((str(name), cast("JsonObject", arguments)) for name, arguments in given)
