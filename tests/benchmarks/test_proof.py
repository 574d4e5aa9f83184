"""The benchmark of answers and narrations runs, and judges by what was done and what was shown."""

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from assistant.testing.virtual_time import run_virtually
from benchmarks.proof.__main__ import answers_report, narrations_report
from benchmarks.proof.answers import play_answer
from benchmarks.proof.conversation import open_talk
from benchmarks.proof.narrations import play_narration
from benchmarks.proof.questions import QUESTIONS
from benchmarks.proof.rows import (
    ANSWERS,
    LATER_ANSWERS,
    LATER_NARRATIONS,
    NARRATIONS,
    UNSEEN_ANSWERS,
    UNSEEN_NARRATIONS,
    AnswerRow,
    Call,
    NarrationRow,
    Step,
    Want,
    read_answers,
    read_narrations,
)
from benchmarks.proof.trades import Trades, trades


@pytest.fixture(scope="module")
def both() -> Iterator[Trades]:
    with trades() as opened:
        yield opened


def answer(question: str, text: str, want: Want, *, locale: str = "en", spoken: bool = False) -> AnswerRow:
    form = "speech" if spoken else "typed"
    return AnswerRow(id="x", locale=locale, form=form, question=question, text=text, want=want, next=())


BILL: tuple[Call, ...] = (("get_open_invoices", {}),)
MOVED: tuple[Call, ...] = (
    (
        "reschedule_appointment",
        {"appointment_id": "A1001", "new_day": "2026-11-26", "new_time": "14:00"},
    ),
)


def narration(
    text: str, *, kind: str = "good", claim: str = "", calls: tuple[Call, ...] = BILL
) -> NarrationRow:
    step = Step(say="Yes please, what is it?", calls=calls, text=text, agrees=True)
    return NarrationRow(
        id="x",
        kind=kind,
        trade="optician",
        locale="en",
        closed=False,
        steps=(step,),
        good=not claim,
        claim=claim,
    )


def test_the_frozen_sets_are_unchanged() -> None:
    # Scores from before and after a change mean something only when the rows are the same.
    answer_files = (ANSWERS, LATER_ANSWERS, UNSEEN_ANSWERS)
    narration_files = (NARRATIONS, LATER_NARRATIONS, UNSEEN_NARRATIONS)
    digests = [sha256(path.read_bytes()).hexdigest()[:16] for path in (*answer_files, *narration_files)]
    answers = [read_answers(path) for path in answer_files]
    narrations = [read_narrations(path) for path in narration_files]

    assert digests[:3] == ["5c54aa366bcf4178", "e6a95d399551d0ed", "d750c0575c9aa253"]
    assert digests[3:] == ["c4a0379f3a82a475", "b43c24cdba3bf56f", "7737ff29d77c0cbf"]
    assert [len({row.id for row in some}) for some in answers] == [200, 150, 300]
    assert [len({row.id for row in some}) for some in narrations] == [300, 60, 120]
    assert all(row.claim in row.text for some in narrations for row in some)


@pytest.mark.parametrize("locale", ["en", "de"])
def test_every_question_is_read_back_as_its_row_says(both: Trades, locale: str) -> None:
    async def asked(name: str) -> str:
        question = QUESTIONS[name]
        async with open_talk(both, question.trade, locale) as talk:
            talk.model.plan(question.calls, "")
            await talk.says(question.asks_for(locale))
            return "" if talk.session.question is None else talk.session.question.read_back

    for name, question in QUESTIONS.items():
        both.open_books(question.trade)
        assert run_virtually(asked(name)) == question.asked(locale), name


@pytest.mark.parametrize(
    ("row", "ran"),
    [
        (answer("B", "Yes", "yes"), ["cancel_appointment", "cancel_order"]),
        (answer("B", "only the first", "first"), ["cancel_appointment"]),
        (answer("H5", "Ja", "yes", locale="de", spoken=True), ["cancel_reservation", "cancel_reservation"]),
        (answer("H3", "no", "no", spoken=True), []),
        (answer("K", "wait", "hold"), []),
    ],
)
def test_an_answer_is_judged_by_what_ran(both: Trades, row: AnswerRow, ran: list[str]) -> None:
    result = play_answer(row, both)

    assert (result.understood, [tool for tool, _ in result.ran]) == (True, ran)


def test_a_call_against_the_meaning_counts_as_not_agreed(both: Trades) -> None:
    refused, half = (play_answer(answer("B", "Yes", want), both) for want in ("no", "first"))

    assert not refused.understood
    assert not half.understood
    assert [tool for tool, _ in refused.not_agreed] == ["cancel_appointment", "cancel_order"]
    assert [tool for tool, _ in half.not_agreed] == ["cancel_order"]
    assert "change that was not agreed to: 1" in answers_report([half])


def test_a_narration_is_judged_by_what_is_shown(both: Trades) -> None:
    owes = "You owe $150.00 in all."
    good = play_narration(narration(owes), both)
    moved = play_narration(
        narration("Your eye test is now on Thursday, November 26, at 2 pm.", calls=MOVED), both
    )

    assert (good.right, good.shown) == (True, (owes,))
    assert (moved.right, moved.problem) == (True, "")


def test_a_bad_answer_counts_when_its_claim_is_shown(both: Trades) -> None:
    # The model is right here, so that no guardrail may change it; the row says that it is not.
    shown = play_narration(narration("You owe $150.00 in all.", kind="fact", claim="$150.00"), both)

    assert shown.claim_shown
    assert "bad claims shown: 1 of 1" in narrations_report([shown])


def test_files_in_the_other_format_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("id\tform\tquestion\ttext\twant\tnext\nc1\ttyped\tA\tyes\tyes\t\n")
    (tmp_path / "n.jsonl").write_text(
        '{"id": "g1", "kind": "say-do", "locale": "en", "setting": "closed", "before": [], "say": "Hello",'
        ' "calls": [], "answer": "yes", "text": "Hello.", "good": true, "claim": null}\n'
    )

    assert [row.locale for row in read_answers(tmp_path / "a.tsv")] == ["en"]
    (row,) = read_narrations(tmp_path / "n.jsonl")
    assert (row.trade, row.closed, row.claim, row.steps[-1].agrees) == ("optician", True, "", False)
