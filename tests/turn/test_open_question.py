"""An open question is never replaced silently, stays open long enough, and is trusted only when it was heard."""

from dataclasses import replace
from typing import Literal

import pytest

from assistant.errors import DeclarationError
from assistant.prompts.book import shipped_book
from assistant.testing.chat import Chat, deps_for, open_chat
from assistant.testing.fake_tool import Refuses
from assistant.testing.scene import scene
from assistant.testing.script import calls, says
from assistant.testing.scripted_model import ScriptedModel
from assistant.turn.context import Limits
from tests.turn.conftest import Company

CANCEL = ("cancel_appointment", {"day": "2026-03-10"})
WEDNESDAY = ("cancel_appointment", {"day": "2026-03-11"})
NOTE = ("add_note", {"text": "late"})
LOOK_UP = "list_upcoming_appointments"
READ_BACK = "Shall I cancel your eye test on Tuesday at 2 pm?"


async def test_another_wish_and_the_open_question_are_asked_about_together(company: Company) -> None:
    ana = company.chat(calls(CANCEL), calls(NOTE), says("Both are done."), confirm_every_write=True)
    await ana.says("Cancel my Tuesday appointment")

    assert await ana.says("Note that I am late") == scene("""
          [add_note asked]
        Assistant: Shall I cancel your eye test on Tuesday at 2 pm and note that down (text late)?
    """)
    await ana.says("yes")

    assert len(company.cancel.ran) == len(company.note.ran) == 1


async def test_the_calls_of_a_joint_question_have_their_own_ids(company: Company) -> None:
    ana = company.chat(calls(CANCEL), calls(NOTE), says("Noted."), confirm_every_write=True)
    await ana.says("Cancel my Tuesday appointment")
    await ana.says("Note that I am late")

    question = ana.session.question
    assert question is not None
    assert len({call.id for call in question.calls}) == 2
    await ana.says("only the second")

    assert company.cancel.ran == []
    assert len(company.note.ran) == 1


async def test_a_call_that_is_asked_about_again_is_denied_only_there(
    company: Company,
) -> None:
    ana = company.chat(calls(CANCEL), calls(NOTE), confirm_every_write=True)
    await ana.says("Cancel my Tuesday appointment")
    await ana.says("Note that I am late")

    asked, again = ana.session.state.turns
    assert [*asked.outcomes] == [call.id for call in asked.calls]
    assert [*again.outcomes] == [call.id for call in again.calls]
    assert again.asked is not None
    assert len(again.asked.calls) == 2


async def test_another_call_of_the_same_tool_replaces_the_first_with_a_message(company: Company) -> None:
    ana = company.chat(calls(CANCEL), calls(WEDNESDAY), says("Cancelled."))
    await ana.says("Cancel my Tuesday appointment")
    company.cancel.clause = "cancel your lens fitting on Wednesday"

    assert await ana.says("the lens fitting on Wednesday") == scene("""
          [cancel_appointment asked]
        Assistant: I left the other as it is.
        Assistant: Shall I cancel your lens fitting on Wednesday?
    """)
    await ana.says("yes")

    assert [arguments for arguments, _ in company.cancel.ran] == [WEDNESDAY[1]]


async def test_an_additional_call_of_the_same_tool_joins_the_question(
    company: Company,
) -> None:
    ana = company.chat(calls(CANCEL), calls(WEDNESDAY))
    await ana.says("Cancel my Tuesday appointment")

    await ana.says("The one on Wednesday too")

    question = ana.session.question
    assert question is not None
    assert [call.arguments for call in question.calls] == [CANCEL[1], WEDNESDAY[1]]


async def test_the_same_call_decided_again_is_asked_about_once(company: Company) -> None:
    ana = company.chat(calls(CANCEL), calls(CANCEL))
    await ana.says("Cancel my Tuesday appointment")

    assert await ana.says("I told you about my appointment") == scene(f"""
          [cancel_appointment asked]
        Assistant: {READ_BACK}
    """)
    question = ana.session.question
    assert question is not None
    assert len(question.calls) == 1


async def test_two_equal_calls_of_one_decision_are_named_once(company: Company) -> None:
    ana = company.chat(calls(CANCEL, CANCEL), says("Cancelled."))

    said = await ana.says("Cancel my Tuesday appointment")
    assert said.endswith(f"Assistant: {READ_BACK}")
    await ana.says("yes")

    assert len(company.cancel.ran) == 1


async def test_after_the_last_attempt_a_wish_is_asked_and_the_first_dropped(
    company: Company,
) -> None:
    ana = company.chat(calls(CANCEL), calls(NOTE), confirm_every_write=True)
    await ana.says("Cancel my Tuesday appointment")
    await ana.says("wait")

    said = await ana.says("Note that I am late")

    assert said.splitlines()[1:] == [
        "Assistant: I left the other as it is.",
        "Assistant: Shall I note that down (text late)?",
    ]


async def test_after_a_correction_the_first_call_never_runs(company: Company) -> None:
    ana = company.chat(calls(CANCEL), says("Which Wednesday?"), says("Yes to what?"))
    await ana.says("Cancel my Tuesday appointment")
    await ana.says("No, Wednesday")

    assert ana.session.question is None
    await ana.says("yes")
    assert company.cancel.ran == []


@pytest.mark.parametrize("correction", ["No, Wednesday", "make it 3 pm", "not that one", "the other one"])
async def test_the_decider_sees_the_asked_call_as_not_run_then_corrected(
    company: Company, correction: str
) -> None:
    ana = company.chat(calls(CANCEL), calls(WEDNESDAY))
    await ana.says("Cancel my Tuesday appointment")

    await ana.says(correction)

    view = str(company.model.requests[1].view.messages)
    assert "CallAwaitingConfirmation" in view
    assert view.index("CallAwaitingConfirmation") < view.index(correction)
    question = ana.session.question
    assert question is not None
    assert [call.arguments for call in question.calls] == [WEDNESDAY[1]]


async def test_a_late_yes_with_a_question_runs_nothing(company: Company) -> None:
    ana = company.chat(calls(CANCEL), says("All morning."))
    await ana.says("Cancel my Tuesday appointment")
    await company.clock.sleep(31 * 60)

    said = await ana.says("Yes, and when are you open?")

    assert said.splitlines()[0] == "Assistant: All morning."
    assert said.endswith(READ_BACK)
    assert company.cancel.ran == []


async def test_a_repeated_question_has_the_whole_time_again(company: Company) -> None:
    ana = company.chat(calls(CANCEL), says("Cancelled."))
    await ana.says("Cancel my Tuesday appointment")
    await company.clock.sleep(31 * 60)
    await ana.says("yes")

    await company.clock.sleep(29 * 60)
    await ana.says("yes")

    assert len(company.cancel.ran) == 1


async def test_a_late_button_repeats_the_question(company: Company) -> None:
    ana = company.chat(calls(CANCEL))
    await ana.says("Cancel my Tuesday appointment")
    await company.clock.sleep(31 * 60)

    said = await ana.says("Yes", button=True)

    assert said.endswith(READ_BACK)
    assert company.cancel.ran == []


async def test_a_yes_in_another_process_runs_the_call_of_the_first(company: Company) -> None:
    ana = company.chat(calls(CANCEL, NOTE), confirm_every_write=True)
    await ana.says("Cancel Tuesday and note that I am late")
    await ana.session.close()

    again = await company.reopen(ana, says("It is cancelled."))
    said = await again.says("only the first", number=2)

    assert said.endswith("Assistant: I left the other as it is.")
    assert len(company.cancel.ran) == 1
    assert company.note.ran == []


@pytest.mark.parametrize("seconds", [0, 60, 19 * 60 + 59])
def test_a_question_cannot_be_open_for_less_than_twenty_minutes(seconds: float) -> None:
    with pytest.raises(DeclarationError, match=f"question_s is {seconds:g}; .* 1200 s"):
        Limits(question_s=seconds)


def test_a_question_may_be_open_for_twenty_minutes() -> None:
    assert Limits(question_s=20 * 60).question_s == 1200


OFFER = "If you would rather talk to a person, just say so."


@pytest.mark.parametrize("available", [True, False])
async def test_after_two_attempts_an_agent_is_offered_if_there_is_one(
    company: Company, available: bool
) -> None:
    model = ScriptedModel(calls(CANCEL), clock=company.clock)
    deps = deps_for(model, company.tools, shipped_book(), company.clock)
    ana = open_chat(replace(deps, can_hand_over=available), company.log)
    await ana.says("Cancel my Tuesday appointment")
    await ana.says("wait")

    said = await ana.says("hold on")

    assert (OFFER in said) == available
    assert "left everything as it was" in said


async def heard_so_far(company: Company, answer: str, heard: int | None, *, decided: bool) -> str:
    """How a spoken answer is understood, when this number of characters of the question had been heard.

    ``decided``: a model has something to say to it.
    """
    ana = company.chat(calls(CANCEL), *([says("All right.")] if decided else []))
    await ana.says("Cancel my Tuesday appointment")
    if heard is not None:
        await ana.session.heard("t1/m1", heard)
    return await taken_for(ana, answer, spoken=True)


async def taken_for(ana: Chat, text: str, *, spoken: bool, button: Literal["yes"] | None = None) -> str:
    """How an answer is understood, from the log of its turn."""
    await ana.session.say(
        client_message_id=f"v{len(ana.session.state.said) + 1}",
        text=text,
        locale="en",
        spoken=spoken,
        button=button,
    )
    await ana.session.answered()
    answered = ana.session.state.turns[-1].answered
    assert answered is not None
    return answered.answer


@pytest.mark.parametrize(
    ("answer", "heard", "as_"),
    [
        ("yes", len(READ_BACK), "yes"),
        ("yes", len(READ_BACK) - 1, "unclear"),
        ("yes", 0, "unclear"),
        ("yes", None, "yes"),
        ("no", 0, "no"),
        ("mhm", len(READ_BACK), "unclear"),
    ],
)
async def test_a_spoken_yes_counts_only_if_the_question_was_heard_completely(
    company: Company, answer: str, heard: int | None, as_: str
) -> None:
    decided = as_ == "yes"
    assert await heard_so_far(company, answer, heard, decided=decided) == as_
    assert len(company.cancel.ran) == (as_ == "yes")


@pytest.mark.parametrize(("spoken", "as_"), [(True, "unclear"), (False, "yes")])
@pytest.mark.parametrize("button", ["yes", None])
async def test_a_phone_key_counts_as_spoken_and_a_button_as_read(
    company: Company, button: Literal["yes"] | None, spoken: bool, as_: str
) -> None:
    ana = company.chat(calls(CANCEL), *([] if spoken else [says("It is cancelled.")]))
    await ana.says("Cancel my Tuesday appointment")
    await ana.session.heard("t1/m1", 5)

    assert await taken_for(ana, "yes", spoken=spoken, button=button) == as_


async def test_text_before_the_question_is_no_answer_to_it(company: Company) -> None:
    ana = company.chat(calls(LOOK_UP, CANCEL), says("It is on Tuesday at 2 pm.", first_s=2))
    await ana.begins("When is my appointment? Cancel it")
    await company.clock.sleep(1)

    assert await taken_for(ana, "yes", spoken=True) == "unclear"
    assert company.cancel.ran == []


async def test_a_question_behind_spoken_text_is_not_read_yet(company: Company) -> None:
    ana = company.chat(calls(LOOK_UP, CANCEL), says("It is on Tuesday at 2."))
    await ana.says("When is my appointment? Cancel it")
    *_, answer, _ = ana.session.state.turns[0].messages
    await ana.session.heard(answer.id, 5)

    assert await taken_for(ana, "yes", spoken=True) == "unclear"


async def test_a_yes_that_came_too_early_is_asked_for_once_more(company: Company) -> None:
    ana = company.chat(calls(CANCEL), says("It is cancelled."))
    await ana.says("Cancel my Tuesday appointment")
    await ana.session.heard("t1/m1", 5)
    await taken_for(ana, "yes", spoken=True)
    again = ana.session.state.turns[-1].messages[-1]

    assert again.text.endswith(READ_BACK)
    await ana.session.heard(again.id, len(again.text))
    await ana.session.say(client_message_id="v3", text="yes", locale="en", spoken=True)
    await ana.session.answered()
    assert len(company.cancel.ran) == 1


async def test_behind_a_repeated_question_nothing_else_is_told(company: Company) -> None:
    owes = says("You owe $150.")
    ana = company.chat(calls("get_open_invoices", CANCEL), owes, says("It is cancelled."), owes)
    await ana.says("What do I owe? And cancel Tuesday")
    *_, answer, question = ana.session.state.turns[0].messages
    await ana.session.heard(answer.id, 0)
    await ana.session.heard(question.id, 0)
    await taken_for(ana, "yes", spoken=True)

    again = ana.session.state.turns[-1].messages[-1]
    assert again.text.endswith(READ_BACK)
    await ana.session.heard(again.id, len(again.text))
    await taken_for(ana, "yes", spoken=True)
    said = [message.text for message in ana.session.state.turns[-1].messages]
    assert said[-2:] == ["It is cancelled.", "You owe $150."]


async def test_a_yes_that_comes_too_early_twice_changes_nothing(company: Company) -> None:
    ana = company.chat(calls(CANCEL))
    await ana.says("Cancel my Tuesday appointment")
    for number in (1, 2):
        await ana.session.heard(f"t{number}/m1", 5)
        await ana.session.say(client_message_id=f"v{number}", text="yes", locale="en", spoken=True)
        await ana.session.answered()

    assert company.cancel.ran == []
    assert "left everything as it was" in ana.transcript[-1]


async def test_if_the_question_names_no_call_positions_mean_nothing(company: Company) -> None:
    ana = company.chat(calls(CANCEL, NOTE), says("Which one is that?"), confirm_every_write=True)
    await ana.says("Cancel Tuesday and note that I am late")
    company.cancel.clause = Refuses("you have no appointment on that day")
    await ana.says("wait")

    assert await ana.says("only the first") == "Assistant: Which one is that?"
    assert company.cancel.ran == company.note.ran == []
