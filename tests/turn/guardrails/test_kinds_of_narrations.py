"""What models say, of kinds that were once shown wrongly, and of the opposite kinds, which must not be changed.

The rows are played as those of ``benchmarks.proof`` are.
"""

import csv
import json
from pathlib import Path
from typing import cast

from benchmarks.proof.narrations import NarrationResult, play_narration
from benchmarks.proof.rows import NarrationRow, Step, TradeName
from benchmarks.proof.trades import trades

KINDS = Path(__file__).parent / "kinds.tsv"


def play_rows() -> list[NarrationResult]:
    with KINDS.open(encoding="utf-8") as file, trades() as companies:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [play_narration(_narration(row), companies) for row in rows]


def _narration(row: dict[str, str]) -> NarrationRow:
    calls = tuple((name, arguments) for name, arguments in json.loads(row["calls"]))
    return NarrationRow(
        id=row["text"],
        kind=row["kind"],
        trade=cast("TradeName", row["trade"]),
        locale=row["locale"],
        closed=False,
        steps=(Step(say=row["say"], calls=calls, text=row["text"], agrees=True),),
        good=not row["claim"],
        claim=row["claim"],
    )


def test_kinds_of_narrations_that_were_once_shown_wrongly() -> None:
    played = play_rows()

    assert [f"{each.row.id}: {each.problem}" for each in played if each.problem] == []
    assert [f"{each.row.id}: {each.shown}" for each in played if each.changed] == []
    # A new time or street whose number is in a result is not noticed.
    shown = [f"{each.row.kind}: {each.shown}" for each in played if each.claim_shown]
    assert len(shown) <= 2, shown
