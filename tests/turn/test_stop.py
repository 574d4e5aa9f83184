"""The customer presses stop: nothing more is said or started, and running work ends."""

import asyncio

from assistant.conversation.chunks import TextDelta
from assistant.conversation.entries import ModelChunks
from assistant.conversation.outcomes import CallCancelled, CallPending, CallSucceeded
from assistant.conversation.views import FromCustomer, FromTools
from assistant.testing.chat import Chat
from assistant.testing.fake_tool import Gives
from assistant.testing.scene import scene
from assistant.testing.script import calls, says
from assistant.turn.ask_model import STOPPED
from tests.turn.conftest import Company
from tests.turn.slow_log import SlowLog
from tests.turn.timeline import timeline

NOTE = ("add_note", {"text": "late"})


async def stops(chat: Chat, text: str, *, after_s: float, company: Company) -> None:
    """Say something and stop the answer after this number of seconds."""
    await chat.begins(text)
    await company.clock.sleep(after_s)
    await chat.session.stop()


async def test_an_acknowledgement_stays_as_far_as_it_was_shown(company: Company) -> None:
    ana = company.chat(
        calls("list_upcoming_appointments", "get_open_invoices", each_s=1),
        says("Gladly."),
        says("About your appointments: you are booked for March 10 at 2 pm."),
    )

    await stops(ana, "Check my appointments and billing", after_s=3.5, company=company)

    assert ana.scene == scene("""
        Assistant (acknowledgement): Sure, I'll look up your appointments --
          [list_upcoming_appointments ok]
    """)
    assert ana.session.state.turns[-1].how == "interrupted"
    assert await ana.says("Thanks anyway") == scene("""
        Assistant: Gladly.
        Assistant: About your appointments: you are booked for March 10 at 2 pm.
    """)


async def test_a_later_rounds_sentence_stays_a_status(company: Company) -> None:
    ana = company.chat(
        calls("get_open_invoices"), calls("list_upcoming_appointments", "get_opening_hours", each_s=1)
    )

    await stops(ana, "Check my bill", after_s=2.5, company=company)

    assert [message.kind for message in ana.session.state.turns[0].messages] == ["acknowledgement", "status"]


async def test_a_response_stays_as_far_as_it_was_shown(company: Company) -> None:
    ana = company.chat(says("At lunch with us.", each_s=1), says("At lunch."))

    await stops(ana, "When am I due?", after_s=2.5, company=company)

    assert ana.scene == "Assistant: At lunch with --"
    assert await ana.says("Again, please") == "Assistant: At lunch."


async def test_a_narration_stays_as_far_as_it_was_shown(company: Company) -> None:
    ana = company.chat(calls("get_open_invoices"), says("You owe one hundred and fifty.", each_s=1))

    await stops(ana, "Check my bill", after_s=1.5, company=company)

    assert ana.scene == scene("""
        Assistant (acknowledgement): Sure, I'll check your billing.
          [get_open_invoices ok]
        Assistant: You owe --
    """)


async def test_the_received_part_of_a_stopped_request_is_kept(company: Company) -> None:
    ana = company.chat(says(["You ", "are ", "due."], each_s=1))

    await stops(ana, "When am I due?", after_s=1.5, company=company)

    (brought,) = (one.entry for one in ana.session.entries if isinstance(one.entry, ModelChunks))
    assert brought.chunks == ((0, TextDelta("You ")), (1000, TextDelta("are ")))
    assert brought.error == STOPPED


async def test_a_lookup_continues_and_its_outcome_is_kept(company: Company) -> None:
    ana = company.chat(
        calls("get_open_invoices"), says("Gladly."), says("$150."), billing=Gives(150, after_s=3)
    )

    await stops(ana, "Check my bill", after_s=1, company=company)
    assert "[get_open_invoices running]" in ana.scene
    await ana.says("Thanks")
    during = company.model.requests[1].view
    await company.clock.sleep(3)

    turn = ana.session.state.turns[0]
    assert isinstance(turn.outcomes["c1.1"], CallSucceeded)
    assert timeline(ana.batches).splitlines()[-1] == "3.0 get_open_invoices ok"
    await ana.says("So what do I owe?")
    after = company.model.requests[2].view
    assert during.messages[2] == FromTools((CallPending(call=turn.calls[0]),))
    assert after.messages[2] == FromTools((turn.outcomes["c1.1"],))


async def test_a_side_effect_that_has_not_started_never_starts(company: Company) -> None:
    ana = company.chat(
        calls("get_open_invoices", NOTE), says("No."), says("You owe nothing."), billing=Gives(150, after_s=3)
    )

    await stops(ana, "Check my bill and write down that I am late", after_s=1, company=company)
    await company.clock.sleep(60)

    assert company.note.ran == []
    turn = ana.session.state.turns[0]
    assert isinstance(turn.outcomes["c1.2"], CallCancelled)
    await ana.says("Did you note it?")
    assert company.model.requests[1].view.messages[2] == FromTools(
        (turn.outcomes["c1.1"], turn.outcomes["c1.2"])
    )


async def test_a_side_effect_that_has_started_finishes(company: Company) -> None:
    ana = company.chat(calls(NOTE), note=Gives("noted", after_s=3))

    await stops(ana, "Write down that I am late", after_s=1, company=company)
    await company.clock.sleep(3)

    assert ana.session.state.turns[0].how == "interrupted"
    assert isinstance(ana.session.state.turns[0].outcomes["c1.1"], CallSucceeded)


async def test_a_side_effect_whose_start_is_not_durable_yet_does_not_run(company: Company) -> None:
    log = SlowLog(company.clock, append_s=1)
    ana = company.chat(calls(NOTE), says("Gladly."), log=log, note=Gives("noted"))

    await stops(ana, "Write down that I am late", after_s=0.5, company=company)
    await company.clock.sleep(60)

    assert company.note.ran == []
    assert isinstance(ana.session.state.turns[0].outcomes["c1.1"], CallCancelled)
    assert await ana.says("Thanks") == "Assistant: Gladly."


async def test_the_next_message_does_not_wait_for_running_calls(company: Company) -> None:
    ana = company.chat(calls("get_open_invoices"), says("Gladly."), billing=Gives(150, after_s=9))

    await stops(ana, "Check my bill", after_s=1, company=company)
    await ana.says("Thanks")

    assert timeline(ana.batches).splitlines()[-1] == "1.0 answered"


async def test_a_question_that_was_not_asked_yet_is_not_open(company: Company) -> None:
    ana = company.chat(
        calls(("cancel_appointment", {"day": "x"}), "get_open_invoices"),
        says("Yes to what?"),
        billing=Gives(150, after_s=3),
    )

    await stops(ana, "Cancel Tuesday and check my bill", after_s=1, company=company)
    await ana.says("yes")

    assert company.cancel.ran == []
    assert isinstance(ana.session.state.turns[0].outcomes["c1.1"], CallCancelled)


async def test_a_stopped_answer_to_a_question_leaves_it_open(company: Company) -> None:
    ana = company.chat(
        calls(("cancel_appointment", {"day": "x"})),
        says("We are open from 9 to 5.", each_s=1),
        says("Cancelled."),
    )
    await ana.says("Cancel Tuesday")

    await stops(ana, "When are you open?", after_s=1.5, company=company)
    assert ana.session.question is not None
    await ana.says("Yes", button=True)

    assert len(company.cancel.ran) == 1


async def test_a_stop_that_names_another_turn_stops_nothing(company: Company) -> None:
    ana = company.chat(says("You can stay for lunch.", each_s=1))

    await ana.begins("When am I due?")
    await company.clock.sleep(1.5)
    await ana.session.stop("t7")
    await ana.session.answered()

    assert ana.scene == "Assistant: You can stay for lunch."


async def test_a_stop_without_a_running_turn_does_nothing(company: Company) -> None:
    ana = company.chat(says("Hello."))

    await ana.session.stop()
    await ana.says("Hi")
    await ana.session.stop("t1")

    assert ana.scene == "Assistant: Hello."


async def test_a_waiting_message_is_answered_after_a_stop(company: Company) -> None:
    ana = company.chat(says("You can stay for lunch.", each_s=1), says("You owe nothing."))

    await ana.begins("When am I due?")
    await company.clock.sleep(0.5)
    await ana.begins("And what do I owe?")
    await ana.session.stop("t1")
    await ana.session.answered()

    assert ana.transcript == [
        "customer: When am I due?",
        "assistant: You",
        "customer: And what do I owe?",
        "assistant: You owe nothing.",
    ]
    assert isinstance(company.model.requests[1].view.messages[-1], FromCustomer)


async def test_two_stops_stop_one_turn(company: Company) -> None:
    ana = company.chat(says("You can stay for lunch.", each_s=1), says("You owe nothing."))
    await ana.begins("When am I due?")
    await company.clock.sleep(0.5)
    await ana.begins("And what do I owe?")

    await asyncio.gather(ana.session.stop("t1"), ana.session.stop("t1"))
    await ana.session.answered()

    assert [turn.how for turn in ana.session.state.turns] == ["interrupted", "answered"]


async def test_a_timeout_after_a_stop_is_still_a_timeout(company: Company) -> None:
    company.respec(company.billing, timeout_s=2)
    ana = company.chat(
        says("You can stay for lunch.", each_s=1),
        calls("get_open_invoices"),
        says("Billing was too slow."),
        billing=Gives(150, after_s=9),
    )

    await stops(ana, "When am I due?", after_s=1.5, company=company)

    assert "[get_open_invoices timed_out]" in await ana.says("What do I owe?")
