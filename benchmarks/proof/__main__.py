"""How answers are read and what is shown of models' words: ``python -m benchmarks.proof answers|narrations``.

The rows were written from the read-backs and the tools' descriptions alone. ``--file`` plays others in the same
formats. See docs/lab/proof.md.
"""

import argparse
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TypeVar

from assistant.commands.logging import set_up_logging
from benchmarks.proof.answers import AnswerResult, play_answer
from benchmarks.proof.narrations import NarrationResult, play_narration
from benchmarks.proof.rows import ANSWERS, NARRATIONS, AnswerRow, NarrationRow, read_answers, read_narrations
from benchmarks.proof.trades import trades

R = TypeVar("R", AnswerResult, NarrationResult)
Row = TypeVar("Row", AnswerRow, NarrationRow)


def main() -> None:
    """Play, and print what came of it."""
    options = argparse.ArgumentParser(prog="python -m benchmarks.proof", description=__doc__)
    options.add_argument("what", choices=["answers", "narrations"])
    options.add_argument("--file", type=Path, help="other rows; the frozen ones when left out")
    options.add_argument("--only", metavar="ID", nargs="+", help="these rows alone")
    options.add_argument("--figures", action="store_true", help="the figures alone, without the rows")
    options.add_argument(
        "--json", action="store_true", help="print every row with what came of it, a line each"
    )
    chosen = options.parse_args()
    set_up_logging("CRITICAL")
    if chosen.what == "answers":
        rows = _only(read_answers(chosen.file or ANSWERS), chosen.only)
        answers = play_answers(rows)
        report = answers_report(answers, rows=not chosen.figures)
        print("\n".join(_json(answers)) if chosen.json else report)
    else:
        said = _only(read_narrations(chosen.file or NARRATIONS), chosen.only)
        narrations = play_narrations(said)
        report = narrations_report(narrations, rows=not chosen.figures)
        print("\n".join(_json(narrations)) if chosen.json else report)


def play_answers(rows: Iterable[AnswerRow]) -> list[AnswerResult]:
    """Every answer, each in a conversation of its own."""
    with trades() as both:
        return [play_answer(row, both) for row in rows]


def play_narrations(rows: Iterable[NarrationRow]) -> list[NarrationResult]:
    """Every narration, each in a conversation of its own."""
    with trades() as both:
        return [play_narration(row, both) for row in rows]


def answers_report(results: Sequence[AnswerResult], *, rows: bool = True) -> str:
    """The figures, and the ``rows`` that went wrong."""
    lines = [f"understood: {_share(results, _is_understood)}"]
    for form in ("typed", "speech"):
        for locale in ("en", "de"):
            some = [each for each in results if (each.row.form, each.row.locale) == (form, locale)]
            lines += [f"  {form} {locale}: {_share(some, _is_understood)}"] if some else []
    for want in dict.fromkeys(each.row.want for each in results):
        some = [each for each in results if each.row.want == want]
        lines.append(f"  {want}: {_share(some, _is_understood)}")
    beyond = [each for each in results if each.not_agreed]
    lines.append(f"with a change that was not agreed to: {len(beyond)}")
    if not rows:
        return "\n".join(lines)
    lines += [f"  {_told(each)}: {', '.join(tool for tool, _ in each.not_agreed)} ran" for each in beyond]
    lines.append("not understood:")
    lines += [f"  {_told(each)}: {_came_of(each)}" for each in results if not each.understood]
    return "\n".join(lines)


def narrations_report(results: Sequence[NarrationResult], *, rows: bool = True) -> str:
    """The figures, and the ``rows`` that went wrong."""
    good = [each for each in results if each.row.good]
    lines = [f"good answers changed: {_share(good, lambda each: each.changed)}"]
    for locale in ("en", "de"):
        some = [each for each in good if each.row.locale == locale]
        lines += [f"  {locale}: {_share(some, lambda each: each.changed)}"] if some else []
    bad = [each for each in results if not each.row.good]
    lines.append(f"bad claims shown: {_share(bad, lambda each: each.claim_shown)}")
    for kind in dict.fromkeys(each.row.kind for each in bad):
        for locale in ("en", "de"):
            some = [each for each in bad if (each.row.kind, each.row.locale) == (kind, locale)]
            lines += [f"  {kind} {locale}: {_share(some, lambda each: each.claim_shown)}"] if some else []
    lines += [
        f"bad answers with a correction in them: {_share(bad, lambda each: each.corrected)}",
        f"answers of which nothing was left: {sum(each.empty for each in results)}",
    ]
    problems = [each for each in results if each.problem]
    lines += [f"not played: {len(problems)}"] if problems else []
    if not rows:
        return "\n".join(lines)
    lines += ["good, but changed:", *(f"  {_heard(each)}" for each in good if each.changed)]
    lines += ["bad, but shown:", *(f"  {_heard(each)}" for each in bad if each.claim_shown)]
    lines += [f"{each.row.id} was not played: {each.problem}" for each in problems]
    return "\n".join(lines)


def _is_understood(result: AnswerResult) -> bool:
    return result.understood


def _share(results: Sequence[R], of: Callable[[R], bool]) -> str:
    if not results:
        return "none"
    hits = sum(map(of, results))
    return f"{hits} of {len(results)} ({100 * hits / len(results):.1f} %)"


def _told(result: AnswerResult) -> str:
    row = result.row
    return f"{row.id} {row.locale} {row.form} {row.question} {row.text!r}, meant {row.want}"


def _came_of(result: AnswerResult) -> str:
    if result.problem:
        return result.problem
    ran = ", ".join(tool for tool, _ in result.ran) or "nothing ran"
    more = [
        f"taken for {result.read_as}" if result.read_as else "not taken for an answer",
        *(["asked again"] if result.asked_again else []),
        *(["the model was asked"] if result.model_asked else []),
    ]
    return f"{ran}; {', '.join(more)}"


def _heard(result: NarrationResult) -> str:
    row = result.row
    claim = f" claims {row.claim!r}" if row.claim else ""
    return f"{row.id} {row.kind} {row.locale}{claim}: {' | '.join(result.shown)!r}"


def _json(results: Sequence[AnswerResult] | Sequence[NarrationResult]) -> list[str]:
    return [json.dumps(asdict(each), ensure_ascii=False, default=str) for each in results]


def _only(rows: list[Row], ids: Sequence[str] | None) -> list[Row]:
    return [row for row in rows if ids is None or row.id in ids]


if __name__ == "__main__":
    main()
