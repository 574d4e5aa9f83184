"""A result that came too late for its turn is told once, in its own message or at the end of another turn."""

import pytest

from assistant.conversation.entries import CallEnded, CallsPending, ResultsDelivered, TurnStarted
from assistant.conversation.outcomes import CallPending, CallSucceeded
from assistant.conversation.views import FromAssistant, FromCustomer, FromTools
from assistant.formats.registry import formatter
from assistant.testing.fake_tool import Gives
from assistant.testing.scene import scene
from assistant.testing.script import breaks, calls, says
from assistant.turn.context import Limits
from tests.turn.conftest import Company

SHORT = Limits(tools_s=4)
LATER = says("That takes longer than usual.")
OWED = says("About your billing: you owe $150.")


async def test_a_late_result_is_told_in_its_own_message(company: Company) -> None:
    ana = company.chat(calls("get_open_invoices"), LATER, OWED, limits=SHORT, billing=Gives(150, after_s=9))

    assert await ana.says("What do I owe?") == scene("""
        Assistant (acknowledgement): Let me see. I'll check your billing.
          [get_open_invoices running]
        Assistant: That takes longer than usual.
    """)
    await ana.session.at_rest()

    assert ana.scene == "Assistant: About your billing: you owe $150."
    assert ana.transcript == [
        "customer: What do I owe?",
        "assistant: Let me see. I'll check your billing.",
        "assistant: That takes longer than usual.",
        "assistant: About your billing: you owe $150.",
    ]


async def test_the_log_has_what_was_late_and_where_it_was_told(company: Company) -> None:
    ana = company.chat(calls("get_open_invoices"), LATER, OWED, limits=SHORT, billing=Gives(150, after_s=9))
    await ana.says("What do I owe?")
    await ana.session.at_rest()

    kinds = (CallsPending, CallEnded, TurnStarted, ResultsDelivered)
    asked, pending, ended, began, told = (
        one.entry for one in ana.session.entries if isinstance(one.entry, kinds)
    )
    assert pending == CallsPending(call_ids=("c1.1",))
    assert isinstance(ended, CallEnded)
    assert ended.late
    assert isinstance(asked, TurnStarted)
    assert isinstance(began, TurnStarted)
    assert (began.cause, began.message_id) == ("late_result", asked.message_id)
    assert told == ResultsDelivered(message_id="t2/m1", calls=(("t1", "c1.1"),))


async def test_the_narrator_sees_running_calls_and_later_their_results(company: Company) -> None:
    ana = company.chat(calls("get_open_invoices"), LATER, OWED, limits=SHORT, billing=Gives(150, after_s=9))
    await ana.says("What do I owe?")
    await ana.session.at_rest()

    (call,) = ana.session.state.turns[0].calls
    _, running, late = (request.view for request in company.model.requests)
    assert running.messages[-1] == FromTools((CallPending(call=call),))
    *before, called, came = late.messages
    assert before[-1] == FromAssistant("That takes longer than usual.")
    assert isinstance(called, FromAssistant)
    assert came == FromTools((CallSucceeded(call=called.calls[0], value=150),))
    assert '"What do I owe?"' in late.late
    assert '"What do I owe?"' not in running.late


async def test_a_later_decider_sees_the_result_in_its_place(
    company: Company,
) -> None:
    lines = (calls("get_open_invoices"), LATER, OWED, says("Gladly."))
    ana = company.chat(*lines, limits=SHORT, billing=Gives(150, after_s=9))
    await ana.says("What do I owe?")
    await ana.session.at_rest()
    await ana.says("Thanks")

    (call,) = ana.session.state.turns[0].calls
    assert company.model.requests[-1].view.messages == (
        FromCustomer("What do I owe?"),
        FromAssistant("", (call,)),
        FromTools((CallSucceeded(call=call, value=150),)),
        FromAssistant("That takes longer than usual."),
        FromAssistant("About your billing: you owe $150."),
        FromCustomer("Thanks"),
    )


@pytest.mark.parametrize("provider", ["openai", "anthropic", "grok"])
async def test_every_provider_gets_each_call_with_its_result(company: Company, provider: str) -> None:
    """The ids of two turns' calls are the same until they are made unique."""
    lines = (calls("get_open_invoices"), LATER, calls("get_opening_hours"), says("From 9 to 5."), OWED)
    ana = company.chat(*lines, limits=SHORT, billing=Gives(150, after_s=9))
    await ana.says("What do I owe?")
    await company.clock.sleep(4.5)
    await ana.begins("And when are you open?")
    company.hours.behaviour = Gives("9 to 5", after_s=2)
    await ana.session.at_rest()

    last = company.model.requests[-1]
    body = formatter(provider).format(last, "some-model").body.decode()
    assert '"150"' in body
    assert "9 to 5" in body
    ids = [
        call.id
        for said in last.view.turns[-1].messages
        if isinstance(said, FromAssistant)
        for call in said.calls
    ]
    assert ids == ["c1.1", "c3.1"]


async def test_it_waits_for_the_end_of_another_turn_and_is_told_there(company: Company) -> None:
    ana = company.chat(
        calls("get_open_invoices"),
        LATER,
        calls("get_opening_hours"),
        says("We are open from 9 to 5."),
        OWED,
        limits=SHORT,
        billing=Gives(150, after_s=6),
        hours=Gives("9 to 5", after_s=3),
    )
    await ana.says("What do I owe?")
    await company.clock.sleep(1)

    assert await ana.says("When are you open?") == scene("""
        Assistant (acknowledgement): Let me find out. I'll check the opening hours.
          [get_opening_hours ok]
        Assistant: We are open from 9 to 5.
        Assistant: About your billing: you owe $150.
    """)
    await ana.session.at_rest()
    assert [turn.turn.cause for turn in ana.session.state.turns] == ["message", "message"]


async def test_late_results_are_told_in_order(company: Company) -> None:
    ana = company.chat(
        calls("get_open_invoices", "list_upcoming_appointments"),
        LATER,
        says("You owe $150."),
        says("And you are booked for March 10 at 2 pm."),
        limits=SHORT,
        billing=Gives(150, after_s=6),
        appointments=Gives([{"when": "2026-03-10T14:00"}], after_s=8),
    )
    await ana.says("Check my bill and my appointments")
    await ana.session.at_rest()

    assert ana.transcript[-2:] == [
        "assistant: You owe $150.",
        "assistant: And you are booked for March 10 at 2 pm.",
    ]


async def test_a_result_during_the_delay_notice_is_told_right_after_it(company: Company) -> None:
    ana = company.chat(
        calls("get_open_invoices"),
        says("That takes longer than usual.", each_s=1),
        OWED,
        limits=SHORT,
        billing=Gives(150, after_s=6),
    )
    await ana.says("What do I owe?")
    await ana.session.at_rest()

    assert ana.transcript[-2:] == [
        "assistant: That takes longer than usual.",
        "assistant: About your billing: you owe $150.",
    ]


async def test_the_tools_templates_tell_it_when_the_narrator_fails(company: Company) -> None:
    ana = company.chat(
        calls("get_open_invoices"), LATER, breaks(""), limits=SHORT, billing=Gives(150, after_s=9)
    )
    await ana.says("What do I owe?")
    await ana.session.at_rest()

    assert ana.scene == "Assistant: From templates: get_open_invoices ok."


@pytest.mark.parametrize("said", [[], ["About your "]], ids=["before a word", "within a sentence"])
async def test_an_internal_error_shows_nothing_and_the_result_is_told_later(
    company: Company, said: list[str]
) -> None:
    bug = breaks(said, error=RuntimeError("a bug of ours"))  # type: ignore[arg-type]
    ana = company.chat(
        calls("get_open_invoices"),
        LATER,
        bug,
        says("Gladly."),
        OWED,
        limits=SHORT,
        billing=Gives(150, after_s=9),
    )
    await ana.says("What do I owe?")
    await ana.session.at_rest()
    assert not any("sorry" in line for line in ana.transcript)
    assert ana.session.state.turns[-1].how == "interrupted"

    await ana.says("Thanks")

    assert ana.transcript[-2:] == ["assistant: Gladly.", "assistant: About your billing: you owe $150."]


async def test_a_late_failure_is_told_too(company: Company) -> None:
    company.respec(company.billing, timeout_s=7)
    sorry = says("I couldn't check your billing in time.")
    ana = company.chat(calls("get_open_invoices"), LATER, sorry, limits=SHORT, billing=Gives(150, after_s=60))
    await ana.says("What do I owe?")
    await ana.session.at_rest()

    assert ana.transcript[-1] == "assistant: I couldn't check your billing in time."


async def test_an_open_question_stays_the_last_text(company: Company) -> None:
    ana = company.chat(
        calls("get_open_invoices"),
        LATER,
        calls(("cancel_appointment", {"day": "2026-03-10"})),
        OWED,
        says("It is cancelled."),
        limits=SHORT,
        billing=Gives(150, after_s=9),
    )
    await ana.says("What do I owe?")
    await ana.says("Cancel my eye test")
    await ana.session.at_rest()

    assert ana.transcript[-2:] == [
        "assistant: About your billing: you owe $150.",
        "assistant: Shall I cancel your eye test on Tuesday at 2 pm?",
    ]
    assert ana.session.state.turns[-1].how == "awaiting_confirmation"
    await ana.says("yes")
    assert len(company.cancel.ran) == 1


async def test_a_stopped_late_message_is_told_with_the_next_answer(company: Company) -> None:
    ana = company.chat(
        calls("get_open_invoices"),
        LATER,
        says("About your billing: you owe $150.", each_s=1),
        says("Gladly."),
        OWED,
        limits=SHORT,
        billing=Gives(150, after_s=9),
    )
    await ana.says("What do I owe?")
    await company.clock.sleep(7.5)
    await ana.session.stop()
    await ana.session.at_rest()
    assert ana.scene == "Assistant: About your billing --"

    assert await ana.says("Thanks") == "Assistant: Gladly.\nAssistant: About your billing: you owe $150."
    await ana.session.at_rest()
    assert len(ana.session.state.turns) == 3


async def test_a_call_lost_with_its_process_is_not_waited_for_silently(company: Company) -> None:
    ana = company.chat(calls("get_open_invoices"), LATER, limits=SHORT, billing=Gives(150, after_s=9))
    await ana.says("What do I owe?")
    await ana.session.close()

    again = await company.reopen(ana, says("I could not finish looking at your billing."))
    await again.session.welcome(None)
    await again.session.at_rest()

    assert again.scene == "Assistant: I could not finish looking at your billing."


async def test_a_closing_session_begins_no_turn_for_running_calls(company: Company) -> None:
    ana = company.chat(calls("get_open_invoices"), LATER, limits=SHORT, billing=Gives(150, after_s=9))
    await ana.says("What do I owe?")
    await ana.session.close(60)

    assert len(ana.session.state.turns) == 1
    again = await company.reopen(ana, OWED)
    await again.session.welcome(None)
    await again.session.at_rest()
    assert again.scene == "Assistant: About your billing: you owe $150."


async def test_no_guard_suppresses_a_promise_while_a_call_runs(company: Company) -> None:
    promise = says("Your billing takes longer than usual. I'll tell you as soon as I have it.")
    ana = company.chat(calls("get_open_invoices"), promise, OWED, limits=SHORT, billing=Gives(150, after_s=9))
    await ana.says("What do I owe?")
    await ana.session.at_rest()

    assert ana.transcript[2].endswith("I'll tell you as soon as I have it.")


async def test_a_running_call_does_not_prove_that_a_colleague_will_call(company: Company) -> None:
    promise = says("Your billing takes longer than usual. A colleague will call you about it.")
    ana = company.chat(
        calls("get_open_invoices"), promise, promise, OWED, limits=SHORT, billing=Gives(150, after_s=9)
    )
    await ana.says("What do I owe?")
    await ana.session.at_rest()

    assert "colleague will call" not in " ".join(ana.transcript)


async def test_a_promise_that_no_running_call_keeps_is_suppressed(company: Company) -> None:
    promise = says("Your billing takes longer than usual. I'll cancel your appointment.")
    ana = company.chat(
        calls("get_open_invoices"), promise, promise, OWED, limits=SHORT, billing=Gives(150, after_s=9)
    )
    await ana.says("What do I owe?")
    await ana.session.at_rest()

    assert "I'll cancel" not in " ".join(ana.transcript)


async def test_after_a_stop_the_result_is_told_with_the_next_answer_only(company: Company) -> None:
    ana = company.chat(
        calls("get_open_invoices"),
        says("That takes longer than usual.", each_s=0.5),
        says("Gladly."),
        OWED,
        limits=SHORT,
        billing=Gives(150, after_s=9),
    )
    await ana.begins("What do I owe?")
    await company.clock.sleep(5)
    await ana.session.stop()
    await ana.session.at_rest()
    assert [turn.how for turn in ana.session.state.turns] == ["interrupted"]

    assert await ana.says("Thanks") == "Assistant: Gladly.\nAssistant: About your billing: you owe $150."


async def test_text_from_before_the_result_cannot_have_told_it(company: Company) -> None:
    ana = company.chat(
        calls("get_open_invoices"),
        LATER,
        says("Whether it was $150 I will see shortly.", each_s=0.5),
        OWED,
        limits=SHORT,
        billing=Gives(150, after_s=6),
    )
    await ana.says("What do I owe?")
    await company.clock.sleep(1)

    await ana.says("Was it $150?")
    await ana.session.at_rest()

    assert ana.transcript[-1] == "assistant: About your billing: you owe $150."
