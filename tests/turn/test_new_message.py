"""A message during a turn waits for it, or ends it, as the operator has set."""

from dataclasses import replace

import pytest

from assistant.conversation.outcomes import CallCancelled, CallSucceeded
from assistant.testing.chat import Chat, open_chat
from assistant.testing.fake_tool import Gives
from assistant.testing.scene import scene
from assistant.testing.script import calls, says
from tests.turn.conftest import Company
from tests.turn.test_stop import NOTE

CANCEL = ("cancel_appointment", {"day": "2026-03-10"})


def interrupting(chat: Chat, company: Company) -> Chat:
    """The same chat, in which a new message ends the turn that runs."""
    deps = replace(chat.session.config.deps, new_message="interrupt")
    return open_chat(deps, company.log)


async def says_into(chat: Chat, first: str, second: str, *, after_s: float, company: Company) -> None:
    await chat.begins(first)
    await company.clock.sleep(after_s)
    await chat.begins(second)
    await chat.session.answered()


async def test_it_ends_the_running_answer(company: Company) -> None:
    lines = (says("At lunch with us.", each_s=1), says("You owe nothing."))
    ana = interrupting(company.chat(*lines), company)

    await says_into(ana, "When am I due?", "And what do I owe?", after_s=1.5, company=company)

    assert ana.transcript == [
        "customer: When am I due?",
        "assistant: At lunch",
        "customer: And what do I owe?",
        "assistant: You owe nothing.",
    ]
    assert [turn.how for turn in ana.session.state.turns] == ["interrupted", "answered"]


async def test_otherwise_it_waits(company: Company) -> None:
    ana = company.chat(says("You can stay for lunch.", each_s=1), says("You owe nothing."))

    await says_into(ana, "When am I due?", "And what do I owe?", after_s=1.5, company=company)

    assert [turn.how for turn in ana.session.state.turns] == ["answered", "answered"]


async def test_a_lookup_continues_and_is_told_with_the_next_answer(company: Company) -> None:
    lines = (
        calls("get_open_invoices"),
        says("We are open all morning.", first_s=2),
        says("About your billing: you owe $150."),
    )
    ana = interrupting(company.chat(*lines, billing=Gives(150, after_s=2)), company)

    await says_into(ana, "What do I owe?", "When are you open?", after_s=1, company=company)

    assert ana.scene == scene("""
        Assistant: We are open all morning.
        Assistant: About your billing: you owe $150.
    """)


async def test_a_lookup_slower_than_the_next_answer_is_told_in_the_one_after(
    company: Company,
) -> None:
    lines = (calls("get_open_invoices"), says("All morning."), says("Bye."), says("You owe $150."))
    ana = interrupting(company.chat(*lines, billing=Gives(150, after_s=9)), company)

    await says_into(ana, "What do I owe?", "When are you open?", after_s=1, company=company)
    assert ana.scene == "Assistant: All morning."
    await ana.session.at_rest()

    assert await ana.says("Thanks") == "Assistant: Bye.\nAssistant: You owe $150."


async def test_a_side_effect_that_has_not_begun_does_not_begin(company: Company) -> None:
    lines = (calls("get_open_invoices", NOTE), says("It is not noted."), says("You owe $150."))
    ana = interrupting(company.chat(*lines, billing=Gives(150, after_s=3)), company)

    await says_into(ana, "My bill, and note that I am late", "No, leave it", after_s=1, company=company)
    await ana.session.at_rest()

    assert company.note.ran == []
    assert isinstance(ana.session.state.turns[0].outcomes["c1.2"], CallCancelled)
    await ana.says("And the bill?")


async def test_a_side_effect_that_has_begun_finishes_and_is_reported(company: Company) -> None:
    lines = (calls(NOTE), says("Sorry, it was under way.", first_s=5), says("I noted that you are late."))
    ana = interrupting(company.chat(*lines, note=Gives("noted", after_s=3)), company)

    await says_into(ana, "Note that I am late", "No, wait", after_s=1, company=company)

    assert isinstance(ana.session.state.turns[0].outcomes["c1.1"], CallSucceeded)
    assert ana.transcript[-1] == "assistant: I noted that you are late."


async def test_it_ends_a_late_message_too_and_loses_nothing_of_it(company: Company) -> None:
    lines = (
        says("About your billing: you owe $150.", each_s=1),
        says("Gladly."),
        says("About your billing: you owe $150."),
    )
    company.billing.behaviour = Gives(150, after_s=3)
    ana = interrupting(company.chat(calls("get_open_invoices"), says("It takes longer."), *lines), company)
    deps = ana.session.config.deps
    ana = open_chat(replace(deps, limits=replace(deps.limits, tools_s=2)), company.log)

    await ana.says("What do I owe?")
    await company.clock.sleep(2.5)
    await ana.begins("Thanks")
    await ana.session.at_rest()

    assert ana.transcript[-4:] == [
        "assistant: About your",
        "customer: Thanks",
        "assistant: Gladly.",
        "assistant: About your billing: you owe $150.",
    ]


@pytest.mark.parametrize("policy", ["queue", "interrupt"])
async def test_a_message_without_a_running_turn_is_simply_answered(company: Company, policy: str) -> None:
    ana = company.chat(says("Hello."), says("Gladly."))
    ana = interrupting(ana, company) if policy == "interrupt" else ana

    await ana.says("Hi")

    assert await ana.says("Thanks") == "Assistant: Gladly."
    assert [turn.how for turn in ana.session.state.turns] == ["answered", "answered"]


@pytest.mark.parametrize(("newer", "ran"), [("thank you", 1), ("no, stop", 0)])
async def test_it_does_not_end_a_turn_with_agreed_calls_to_start(
    company: Company, newer: str, ran: int
) -> None:
    company.respec(company.note, confirm=True)
    company.note.clause = "note it"
    told = says("Noted and cancelled."), says("You are welcome.")
    lines = (calls(NOTE, CANCEL), *(told if ran else told[:1]))
    ana = interrupting(company.chat(*lines, note=Gives("noted", after_s=5)), company)
    await ana.says("Note that I am late, then cancel")

    await says_into(ana, "Yes", newer, after_s=1, company=company)

    assert len(company.cancel.ran) == ran
