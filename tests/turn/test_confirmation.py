"""Calls that need the customer's yes: lookups are told first, the read-back is last, exactly the confirmed call
runs.
"""

from dataclasses import replace

import pytest

from assistant.conversation.customer import Customer
from assistant.conversation.values import Json
from assistant.conversation.views import FromAssistant
from assistant.prompts.book import shipped_book
from assistant.testing.fake_tool import Refuses
from assistant.testing.scene import scene
from assistant.testing.script import calls, says
from assistant.turn.consent.answer import rules_version
from tests.turn.conftest import Company

CANCEL = ("cancel_appointment", {"day": "2026-03-10"})
READ_BACK = "Shall I cancel your eye test on Tuesday at 2 pm?"


async def test_lookups_are_told_first_and_the_read_back_is_the_last_sentence(company: Company) -> None:
    ana = company.chat(calls(CANCEL, "get_open_invoices"), says("You owe $150."))

    assert await ana.says("Cancel my Tuesday appointment and tell me what I owe") == scene(f"""
        Assistant (acknowledgement): All right, I'll check your billing.
          [cancel_appointment asked]
          [get_open_invoices ok]
        Assistant: You owe $150.
        Assistant: {READ_BACK}
    """)
    assert company.cancel.ran == []
    turn = ana.session.state.turns[-1]
    assert turn.how == "awaiting_confirmation"
    assert turn.asked is not None
    assert turn.asked.clauses == ("cancel your eye test on Tuesday at 2 pm",)


async def test_after_a_yes_exactly_the_read_back_call_runs(company: Company) -> None:
    ana = company.chat(calls(CANCEL), says("Done, it is cancelled."))
    await ana.says("Cancel my Tuesday appointment")

    assert await ana.says("Yes, please") == scene("""
        Assistant (acknowledgement): All right, I'll cancel your appointment.
          [cancel_appointment ok]
        Assistant: Done, it is cancelled.
    """)
    assert [arguments for arguments, _ in company.cancel.ran] == [CANCEL[1]]


async def test_a_button_is_a_clear_answer(company: Company) -> None:
    ana = company.chat(calls(CANCEL), says("Cancelled."))
    await ana.says("Cancel my Tuesday appointment")

    await ana.says("Yes", button=True)

    assert len(company.cancel.ran) == 1


@pytest.mark.parametrize("answer", ["no", "No thanks", "don't", "please don't do it", "never mind"])
async def test_after_a_no_nothing_runs_and_the_customer_is_told(company: Company, answer: str) -> None:
    ana = company.chat(calls(CANCEL))
    await ana.says("Cancel my Tuesday appointment")

    said = await ana.says(answer)

    assert "not changed anything" in said or "have not" in said
    assert company.cancel.ran == []
    assert ana.session.question is None


async def test_a_no_by_button_changes_nothing(company: Company) -> None:
    ana = company.chat(calls(CANCEL))
    await ana.says("Cancel my Tuesday appointment")
    await ana.says("No", button=True)

    assert company.cancel.ran == []
    assert ana.session.question is None


@pytest.mark.parametrize("answer", ["wait", "hold on", "yes, but wait", "not yet"])
async def test_a_hold_word_has_priority_over_a_yes_and_the_question_is_repeated(
    company: Company, answer: str
) -> None:
    ana = company.chat(calls(CANCEL))
    await ana.says("Cancel my Tuesday appointment")

    said = await ana.says(answer)

    assert "cancel your eye test on Tuesday at 2 pm" in said
    assert company.cancel.ran == []
    assert ana.session.question is not None
    assert ana.session.question.attempt == 2


async def test_a_second_unclear_answer_drops_the_question_with_a_message(company: Company) -> None:
    ana = company.chat(calls(CANCEL))
    await ana.says("Cancel my Tuesday appointment")
    await ana.says("wait")

    said = await ana.says("hold on")

    assert said.startswith("Assistant: ")
    assert ana.session.question is None
    assert company.cancel.ran == []


async def test_another_request_is_answered_and_then_the_question_is_repeated(company: Company) -> None:
    ana = company.chat(calls(CANCEL), calls("get_opening_hours"), says("From 9 to 5."))
    await ana.says("Cancel my Tuesday appointment")

    said = await ana.says("When are you open?")

    lines = said.splitlines()
    assert lines[2] == "Assistant: From 9 to 5."
    assert "cancel your eye test" in lines[3]
    assert company.cancel.ran == []


async def test_a_correction_replaces_the_call(company: Company) -> None:
    wednesday = ("cancel_appointment", {"day": "2026-03-11"})
    ana = company.chat(calls(CANCEL), calls(wednesday), says("Cancelled."))
    await ana.says("Cancel my Tuesday appointment")

    await ana.says("No, Wednesday")
    assert company.cancel.ran == []
    await ana.says("yes")

    assert [arguments for arguments, _ in company.cancel.ran] == [wednesday[1]]


async def test_a_late_answer_is_asked_for_again(company: Company) -> None:
    ana = company.chat(calls(CANCEL))
    await ana.says("Cancel my Tuesday appointment")

    await company.clock.sleep(31 * 60)
    said = await ana.says("yes")

    assert "cancel your eye test" in said
    assert company.cancel.ran == []


async def test_an_ignored_question_does_not_come_before_another_request(
    company: Company,
) -> None:
    ana = company.chat(calls(CANCEL), calls("get_opening_hours"), says("From 9 to 5."))
    await ana.says("Cancel my Tuesday appointment")

    await company.clock.sleep(31 * 60)
    said = await ana.says("When are you open?")

    assert "From 9 to 5." in said


async def test_an_impossible_call_is_reported_instead_of_asked_about(company: Company) -> None:
    company.cancel.clause = Refuses("you have no appointment on that day")
    ana = company.chat(calls(CANCEL), says("You have no appointment on that day."))

    assert await ana.says("Cancel my Tuesday appointment") == scene("""
          [cancel_appointment failed]
        Assistant: You have no appointment on that day.
    """)


async def test_every_side_effect_is_asked_about_when_the_model_is_not_trusted(company: Company) -> None:
    ana = company.chat(calls(("add_note", {"text": "late"})), says("Noted."), confirm_every_write=True)

    said = await ana.says("Note that I will be late")

    assert said.splitlines()[-1].endswith("?")
    assert "note that down" in said
    assert company.note.ran == []
    await ana.says("yes")
    assert len(company.note.ran) == 1


async def test_all_side_effects_of_a_decision_share_one_question(company: Company) -> None:
    ana = company.chat(
        calls(CANCEL, ("add_note", {"text": "late"})), says("Both done."), confirm_every_write=True
    )

    said = await ana.says("Cancel Tuesday and note that I am late")
    assert said.count("?") == 1
    await ana.says("go ahead")

    assert len(company.cancel.ran) == len(company.note.ran) == 1


async def test_the_decider_sees_a_repeated_question(company: Company) -> None:
    ana = company.chat(calls(CANCEL), says("All morning."))
    await ana.says("Cancel my Tuesday appointment")
    await ana.says("wait")

    await ana.says("When are you open?")

    question = company.model.requests[1].view.messages[-2]
    assert isinstance(question, FromAssistant)
    assert question.text.endswith(READ_BACK)


async def test_a_call_that_became_impossible_is_not_announced(company: Company) -> None:
    ana = company.chat(calls(CANCEL), says("I don't know any more who you are."))
    await ana.says("Cancel my Tuesday appointment")
    ana.session.customer = Customer(tenant="shop", id="ana")

    assert await ana.says("yes") == "\n".join(
        ["  [cancel_appointment denied]", "Assistant: I don't know any more who you are."]
    )
    assert company.cancel.ran == []


async def test_a_no_with_another_request_is_handled(company: Company) -> None:
    ana = company.chat(calls(CANCEL), calls("get_open_invoices"), says("Nothing cancelled; you owe $150."))
    await ana.says("Cancel my Tuesday appointment")

    said = await ana.says("No, tell me what I owe instead")

    assert "[get_open_invoices ok]" in said
    assert company.cancel.ran == []
    assert ana.session.question is None


async def test_a_request_instead_of_a_second_answer_drops_the_question(
    company: Company,
) -> None:
    ana = company.chat(calls(CANCEL), says("All morning."))
    await ana.says("Cancel my Tuesday appointment")
    await ana.says("wait")

    assert await ana.says("When are you open?") == scene("""
        Assistant: All morning.
        Assistant: I did not get a clear yes, so I have left everything as it was.
    """)
    assert ana.session.question is None


async def test_a_read_back_that_fails_the_second_time_still_asks(company: Company) -> None:
    ana = company.chat(calls(CANCEL))
    await ana.says("Cancel my Tuesday appointment")
    company.cancel.clause = Refuses("you have no appointment on that day")

    said = await ana.says("wait")

    assert said.endswith("Shall I go ahead?")


@pytest.mark.parametrize("answer", ["yes", "no"])
async def test_a_yes_after_the_question_was_answered_is_an_ordinary_message(
    company: Company, answer: str
) -> None:
    done = [says("Cancelled.")] if answer == "yes" else []
    ana = company.chat(calls(CANCEL), *done, says("Yes to what?"))
    await ana.says("Cancel my Tuesday appointment")
    await ana.says(answer)

    assert await ana.says("Yes", button=True) == "Assistant: Yes to what?"
    assert len(company.cancel.ran) == len(done)


async def test_while_a_question_waits_the_narrator_can_only_answer(company: Company) -> None:
    ana = company.chat(calls(CANCEL, "get_open_invoices"), says("You owe $150."))

    await ana.says("Cancel my Tuesday appointment and tell me what I owe")

    assert not company.model.requests[1].may_call


async def test_a_yes_applies_only_to_what_was_read_back(company: Company) -> None:
    wednesday = ("cancel_appointment", {"day": "2026-03-11"})
    ana = company.chat(calls(CANCEL), calls(wednesday), says("Tuesday's is cancelled."))
    await ana.says("Cancel my Tuesday appointment")

    assert await ana.says("yes") == scene(f"""
        Assistant (acknowledgement): All right, I'll cancel your appointment.
          [cancel_appointment ok]
          [cancel_appointment asked]
        Assistant: Tuesday's is cancelled.
        Assistant: {READ_BACK}
    """)
    assert [arguments for arguments, _ in company.cancel.ran] == [CANCEL[1]]


async def test_omitted_values_are_not_read_back_and_others_are_in_plain_words(
    company: Company,
) -> None:
    company.respec(company.note, confirm=True)
    arguments: dict[str, Json] = {
        "text": None,
        "loudly": True,
        "on": "2026-11-24",
        "times": 2.0,
        "to": {"town": None},
    }
    properties: dict[str, Json] = {name: {} for name in arguments}
    company.note.spec = replace(company.note.spec, parameters={"type": "object", "properties": properties})
    ana = company.chat(calls(("add_note", arguments)))

    said = (await ana.says("Write that down")).strip()

    assert said.endswith("Shall I note that down (loudly yes, on Tuesday, November 24, times 2)?")


@pytest.mark.parametrize(
    "late", ["forget it", "Never mind!", "sorry, I changed my mind", "oh no, forget about it"]
)
async def test_a_retraction_after_the_call_hears_that_it_was_done(company: Company, late: str) -> None:
    ana = company.chat(calls(CANCEL), says("Done, it is cancelled."))
    await ana.says("Cancel my Tuesday appointment")
    await ana.says("Yes, please")

    assert await ana.says(late) == (
        "Assistant: That was done already. From templates: cancel_appointment ok. "
        "If you want it changed back, just tell me."
    )
    assert len(company.cancel.ran) == 1


@pytest.mark.parametrize("other", ["no thanks", "forget it, what do I owe?", "Bye!"])
async def test_another_message_after_the_call_goes_to_the_model(company: Company, other: str) -> None:
    ana = company.chat(calls(CANCEL), says("Done, it is cancelled."), says("All right."))
    await ana.says("Cancel my Tuesday appointment")
    await ana.says("Yes, please")

    assert await ana.says(other) == "Assistant: All right."


async def test_a_question_with_a_hold_word_is_answered_and_stays_open(
    company: Company,
) -> None:
    ana = company.chat(calls(CANCEL), says("I have no clock here, sorry."))
    await ana.says("Cancel my Tuesday appointment")

    assert await ana.says("hold on, what time is it?") == scene(f"""
        Assistant: I have no clock here, sorry.
        Assistant: I need a clear yes or no before I change anything. {READ_BACK}
    """)
    assert ana.session.question is not None


async def test_actually_something_else_replaces_the_call_and_never_widens_it(company: Company) -> None:
    note = ("add_note", {"text": "late"})
    company.respec(company.note, confirm=True)
    ana = company.chat(calls(CANCEL), calls(note))
    await ana.says("Cancel my Tuesday appointment")

    await ana.says("actually, only the note")

    question = ana.session.question
    assert question is not None
    assert [call.tool for call in question.calls] == ["add_note"]


async def test_the_log_has_the_version_of_the_rules_that_read_the_answer(company: Company) -> None:
    ana = company.chat(calls(CANCEL), says("Done."), calls(CANCEL), says("Done."))
    await ana.says("Cancel my Tuesday appointment")
    await ana.says("Yes, please")
    await ana.says("Cancel it again")
    await ana.says("Yes", button=True)

    by_words, by_button = (turn.answered for turn in ana.session.state.turns[1::2])

    assert by_words is not None
    assert by_button is not None
    assert by_words.rules_version == rules_version(shipped_book().words("en").consent)
    assert by_button.rules_version == ""
