"""A yes to some of the calls, and a yes with another request."""

import pytest

from assistant.conversation.entries import CallStarted
from assistant.testing.scene import scene
from assistant.testing.script import calls, says
from tests.turn.conftest import Company

CANCEL = ("cancel_appointment", {"day": "2026-03-10"})
NOTE = ("add_note", {"text": "late"})


@pytest.mark.parametrize(
    "answer",
    [
        "only the first", "just the cancellation", "not the second one", "the first, not the other",
        "yes, but not the note", "Yes, cancel the eye test", "no, only the first please",
    ],
)  # fmt: skip
async def test_only_agreed_calls_run_and_the_rest_is_told(company: Company, answer: str) -> None:
    ana = company.chat(calls(CANCEL, NOTE), says("It is cancelled."), confirm_every_write=True)
    await ana.says("Cancel Tuesday and note that I am late")

    assert await ana.says(answer) == scene("""
        Assistant (acknowledgement): All right, I'll cancel your appointment.
          [cancel_appointment ok]
        Assistant: It is cancelled.
        Assistant: I left the other as it is.
    """)
    answered = ana.session.state.turns[-1].answered
    assert answered is not None
    assert (answered.answer, answered.agreed_call_ids) == ("yes", ("c1.1",))
    assert len(company.cancel.ran) == 1
    assert company.note.ran == []
    assert ana.session.question is None


async def test_the_second_alone_runs_with_its_own_arguments(company: Company) -> None:
    ana = company.chat(calls(CANCEL, NOTE), says("Noted."), confirm_every_write=True)
    await ana.says("Cancel Tuesday and note that I am late")

    await ana.says("just the second")

    assert company.cancel.ran == []
    assert [arguments for arguments, _ in company.note.ran] == [NOTE[1]]


@pytest.mark.parametrize(
    "answer",
    [
        "only the third",
        "the second one",
        "only one of them",
        "only the first?",
        "ok but not on Tuesday",
        "not both",
        "not the first, not the second",
        "only the first and not the first",
    ],
)
async def test_if_the_choice_is_unclear_nothing_runs(company: Company, answer: str) -> None:
    ana = company.chat(calls(CANCEL, NOTE), says("Which of the two?"), confirm_every_write=True)
    await ana.says("Cancel Tuesday and note that I am late")

    await ana.says(answer)

    assert company.cancel.ran == company.note.ran == []
    company.models.clear()  # whether it was asked again or the model had its say, is all the same


async def test_a_later_yes_does_not_run_the_rest(company: Company) -> None:
    ana = company.chat(
        calls(CANCEL, NOTE), says("It is cancelled."), says("Yes to what?"), confirm_every_write=True
    )
    await ana.says("Cancel Tuesday and note that I am late")
    await ana.says("only the first")

    await ana.says("yes")

    assert company.note.ran == []


async def test_a_yes_with_a_question_runs_and_the_question_is_answered(company: Company) -> None:
    ana = company.chat(calls(CANCEL), calls("get_opening_hours"), says("Cancelled. We open at 9."))
    await ana.says("Cancel my Tuesday appointment")

    assert await ana.says("Yes, and when are you open?") == scene("""
        Assistant (acknowledgement): All right, I'll cancel your appointment.
          [cancel_appointment ok]
        Assistant (status): I'll also check the opening hours.
          [get_opening_hours ok]
        Assistant: Cancelled. We open at 9.
    """)
    assert len(company.cancel.ran) == 1


async def test_a_yes_with_another_wish_runs_and_the_wish_is_asked_about(company: Company) -> None:
    ana = company.chat(calls(CANCEL), calls(NOTE), says("It is cancelled."))
    await ana.says("Cancel my Tuesday appointment")

    said = await ana.says("Yes please, and cancel my order too")

    assert said.splitlines()[-1] == "Assistant: Shall I note that down (text late)?"
    assert len(company.cancel.ran) == 1
    assert company.note.ran == []
    await ana.says("no")
    assert company.note.ran == []


@pytest.mark.parametrize(
    "answer",
    [
        "yes, but can I keep my discount?", "Yes, and is there a fee?", "yes, and what does that cost?",
        "Yes. Will I get a refund for my order?", "yes, when are you open", "Yes. But not my order",
        "yes and no", "Good. When are you open?", "ok, and when are you open?",
        "Yes, if you are open then", "No. When are you open?", "Yes? When are you open?",
    ],
)  # fmt: skip
async def test_a_conditional_yes_runs_nothing(company: Company, answer: str) -> None:
    ana = company.chat(calls(CANCEL), says("Let us see."))
    await ana.says("Cancel my Tuesday appointment")

    await ana.says(answer)
    await ana.session.close()

    assert company.cancel.ran == []
    started = [logged for logged in ana.session.entries if isinstance(logged.entry, CallStarted)]
    assert started == []
    company.models.clear()  # whether it was asked again or the model had its say, is all the same
