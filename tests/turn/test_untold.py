"""Results of an interrupted answer are told with the next answer, once."""

from assistant.conversation.outcomes import CallCancelled, CallEmpty
from assistant.conversation.views import FromTools
from assistant.testing.chat import Chat
from assistant.testing.fake_tool import Gives, Refuses
from assistant.testing.scene import scene
from assistant.testing.script import Fall, Line, breaks, calls, says
from tests.turn.conftest import Company
from tests.turn.test_stop import NOTE, stops

BOTH = calls("list_upcoming_appointments", "get_open_invoices")
GLADLY = says("Gladly.")


async def told_next(chat: Chat, text: str = "Thanks") -> list[str]:
    """What is said in answer to the next message, a message each."""
    before = len(chat.transcript)
    await chat.says(text)
    return [line.removeprefix("assistant: ") for line in chat.transcript[before + 1 :]]


async def test_results_of_a_stopped_turn_are_told_at_the_end_of_the_next(company: Company) -> None:
    later = says("About your billing: you owe $150.")
    ana = company.chat(calls("get_open_invoices"), GLADLY, later, billing=Gives(150, after_s=3))

    await stops(ana, "Check my bill", after_s=1, company=company)
    await company.clock.sleep(5)

    assert await told_next(ana) == ["Gladly.", "About your billing: you owe $150."]
    assert not company.model.requests[-1].may_call


async def test_they_are_told_once(company: Company) -> None:
    later = says("You owe $150.")
    ana = company.chat(calls("get_open_invoices"), GLADLY, later, says("Bye."), billing=Gives(150, after_s=3))

    await stops(ana, "Check my bill", after_s=1, company=company)
    await company.clock.sleep(5)
    await ana.says("Thanks")

    assert await told_next(ana, "That is all") == ["Bye."]


async def test_a_stopped_turn_gets_no_turn_of_its_own_for_late_results(company: Company) -> None:
    ana = company.chat(calls("get_open_invoices"), billing=Gives(150, after_s=3))

    await stops(ana, "Check my bill", after_s=1, company=company)
    await ana.session.at_rest()

    assert [turn.how for turn in ana.session.state.turns] == ["interrupted"]


async def test_results_named_in_the_shown_text_are_not_repeated(company: Company) -> None:
    narration = says(["You are booked for March 10, ", "2 pm. ", "You owe ", "$150."], each_s=1)
    ana = company.chat(BOTH, narration, GLADLY, says("And you owe $150."))

    await stops(ana, "Check my appointments and billing", after_s=2.5, company=company)
    assert ana.transcript[-1] == "assistant: You are booked for March 10, 2 pm. You owe "

    assert await told_next(ana) == ["Gladly.", "And you owe $150."]
    assert isinstance(last := company.model.requests[-1].view.messages[-1], FromTools)
    assert [outcome.call.tool for outcome in last.outcomes] == ["get_open_invoices"]


async def test_an_answer_that_was_heard_to_its_end_is_not_repeated(company: Company) -> None:
    ana = company.chat(BOTH, says("You are booked for March 10, and you owe $150."), GLADLY)

    await ana.says("Check my appointments and billing")

    assert await told_next(ana) == ["Gladly."]


async def test_results_in_the_next_answer_are_not_repeated(company: Company) -> None:
    ana = company.chat(calls("get_open_invoices"), says("You owe $150."), billing=Gives({"amount": "150.00"}))

    await ana.begins("Check my bill")
    await company.clock.sleep(0)
    await ana.session.stop()
    await ana.session.at_rest()

    assert await told_next(ana, "So what do I owe?") == ["You owe $150."]


async def test_a_repeated_lookup_replaces_the_one_before(company: Company) -> None:
    ana = company.chat(
        calls("get_open_invoices"),
        calls("get_open_invoices"),
        says("You owe $200."),
        billing=Gives(150, after_s=3),
    )

    await stops(ana, "Check my bill", after_s=1, company=company)
    await company.clock.sleep(5)
    company.billing.behaviour = Gives(200)

    assert (await told_next(ana, "My bill?"))[-1] == "You owe $200."


async def test_a_failing_repeated_lookup_does_not_remove_the_first(
    company: Company,
) -> None:
    ana = company.chat(
        calls("get_open_invoices"),
        calls("get_open_invoices"),
        says("I cannot see your bills at the moment."),
        says("You owe $150."),
        billing=Gives(150, after_s=3),
    )

    await stops(ana, "Check my bill", after_s=1, company=company)
    await company.clock.sleep(5)
    company.billing.behaviour = Refuses("the billing system is down")

    assert (await told_next(ana, "My bill?"))[1:] == [
        "I cannot see your bills at the moment.",
        "You owe $150.",
    ]


async def test_a_failure_is_not_told_with_the_same_failure(company: Company) -> None:
    company.billing.behaviour = Refuses("the billing system is down")
    ana = company.chat(
        calls("get_open_invoices"),
        calls("get_open_invoices"),
        says("I cannot see your bills at the moment."),
    )

    await ana.begins("Check my bill")
    await company.clock.sleep(0)
    await ana.session.stop()
    await ana.session.at_rest()

    assert (await told_next(ana, "My bill?"))[1:] == ["I cannot see your bills at the moment."]


async def test_a_side_effect_that_continued_is_reported(company: Company) -> None:
    ana = company.chat(calls(NOTE), GLADLY, says("I did note it down."), note=Gives("noted", after_s=3))

    await stops(ana, "Write down that I am late", after_s=1, company=company)
    await company.clock.sleep(5)

    assert await told_next(ana) == ["Gladly.", "I did note it down."]


async def test_a_cancelled_call_is_no_news_and_never_reads_as_nothing_found(company: Company) -> None:
    ana = company.chat(
        calls("get_open_invoices", NOTE), GLADLY, says("No open invoices."), billing=Gives([], after_s=3)
    )

    await stops(ana, "Check my bill and write down that I am late", after_s=1, company=company)
    await company.clock.sleep(5)
    await ana.says("Thanks")

    invoices, note = ana.session.state.turns[0].outcomes.values(), ana.session.state.turns[0].outcomes["c1.2"]
    assert isinstance(note, CallCancelled)
    assert any(isinstance(one, CallEmpty) for one in invoices)
    assert isinstance(last := company.model.requests[-1].view.messages[-1], FromTools)
    assert [type(one) for one in last.outcomes] == [CallEmpty]


async def test_an_untold_failure_is_told(company: Company) -> None:
    sorry = says("I couldn't check your billing: the archive is closed.")
    company.billing.behaviour = Refuses("the archive is closed")
    ana = company.chat(BOTH, GLADLY, sorry, appointments=Gives([], after_s=3))

    await stops(ana, "Check both", after_s=1, company=company)
    await company.clock.sleep(5)

    assert len(await told_next(ana)) == 2
    assert isinstance(last := company.model.requests[-1].view.messages[-1], FromTools)
    assert len(last.outcomes) == 2


async def test_results_lost_by_a_bug_are_told(company: Company) -> None:
    bug = Line((Fall(RuntimeError("a bug of ours")),))  # type: ignore[arg-type]
    ana = company.chat(calls("get_open_invoices"), bug, GLADLY, says("You owe $150."))
    assert "sorry" in await ana.says("Check my bill")

    assert await told_next(ana) == ["Gladly.", "You owe $150."]


async def test_the_templates_tell_it_when_the_narrator_fails(company: Company) -> None:
    ana = company.chat(calls("get_open_invoices"), GLADLY, breaks(""), billing=Gives(150, after_s=3))

    await stops(ana, "Check my bill", after_s=1, company=company)
    await company.clock.sleep(5)

    assert await told_next(ana) == ["Gladly.", "From templates: get_open_invoices ok."]


async def test_they_come_before_a_question(company: Company) -> None:
    ana = company.chat(
        calls("get_open_invoices"),
        calls(("cancel_appointment", {"day": "2026-03-10"})),
        says("About your billing: you owe $150."),
        billing=Gives(150, after_s=3),
    )

    await stops(ana, "Check my bill", after_s=1, company=company)
    await company.clock.sleep(5)

    assert await ana.says("Cancel my eye test") == scene("""
          [cancel_appointment asked]
        Assistant: About your billing: you owe $150.
        Assistant: Shall I cancel your eye test on Tuesday at 2 pm?
    """)


async def test_a_call_that_could_not_run_is_no_news(company: Company) -> None:
    both = calls(("get_order_status", {"number": 7}), "get_open_invoices")
    ana = company.chat(both, GLADLY, says("You owe $150."), billing=Gives(150, after_s=3))

    await stops(ana, "Where is my order?", after_s=1, company=company)
    await company.clock.sleep(5)
    await ana.says("Thanks")

    assert isinstance(last := company.model.requests[-1].view.messages[-1], FromTools)
    assert [one.call.tool for one in last.outcomes] == ["get_open_invoices"]
