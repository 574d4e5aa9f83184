"""Conversations that a rule of the company brings to its people, without a customer who asks for that."""

from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.conversation.entries import ConfirmationAnswered
from assistant.conversation.staff_entries import HandoffRouted
from assistant.policies.escalation import Escalation, read_escalation
from assistant.prompts.book import PromptBook, shipped_book
from assistant.testing.fake_tool import Broken, FakeTool, Gives, fake_spec
from assistant.testing.script import calls, says
from tests.sessions.test_handoff import ticket_in
from tests.support.handoff_scenario import WAIT_S, HandoffScenario

TOLD = (
    "assistant: I'd like one of my colleagues to look at this, and have asked them to join us, which may take a"
    " minute. You can go on asking me meanwhile."
)
PERSON = "talk_to_a_person"


@pytest.fixture
async def scenario() -> AsyncGenerator[HandoffScenario, None]:
    scenario = HandoffScenario()
    yield scenario
    await scenario.handoffs.close()
    for model in scenario.models:
        model.assert_used_up()


def rules(folder: Path, text: str) -> dict[str, Escalation]:
    (folder / "escalation.toml").write_text(text)
    return {"escalation": read_escalation(folder)}


def one(folder: Path, condition: str) -> dict[str, Escalation]:
    return rules(folder, f'[[rules]]\nname = "the rule"\nteam = "billing"\npriority = "high"\n{condition}\n')


def routed(scenario: HandoffScenario) -> HandoffRouted | None:
    return scenario.handoff.session.state.routed


async def test_the_third_time_brings_a_colleague(scenario: HandoffScenario, tmp_path: Path) -> None:
    scenario.changes = one(tmp_path, "asked_times = 3")
    ana = await scenario.opens(says("On its way."), says("Still on its way."), says("On its way, as I said."))

    await ana.says("Where is my order?")
    await ana.says("Tell me where my order is")
    before = await scenario.states()
    await ana.says("WHERE is my order")

    assert before == []
    assert ana.transcript[-3:] == ["customer: WHERE is my order", "assistant: On its way, as I said.", TOLD]
    await scenario.clock.sleep(1)
    assert await scenario.states() == ["requested", "queued"]
    [asked] = scenario.backend.asked
    assert asked.why == "WHERE is my order"
    assert asked.routed == routed(scenario)
    assert asked.routed is not None
    assert (asked.routed.rule, asked.routed.why) == ("the rule", "asked 3 times")
    assert (asked.routed.team, asked.routed.priority) == ("billing", "high")


async def test_other_questions_bring_no_one(scenario: HandoffScenario, tmp_path: Path) -> None:
    scenario.changes = one(tmp_path, "asked_times = 2")
    ana = await scenario.opens(says("It depends."), says("On the frame."), says("In the morning."))

    await ana.says("What does an eye test cost?")
    await ana.says("What do new glasses cost?")
    await ana.says("When do you open?")

    assert await scenario.states() == []


async def test_a_tool_that_keeps_failing_brings_a_colleague(
    scenario: HandoffScenario, tmp_path: Path
) -> None:
    spec = fake_spec("get_invoices", "checking your billing", "check your billing")
    scenario.tools = [FakeTool(spec, Broken(), scenario.clock)]
    scenario.changes = one(tmp_path, 'failed_tool = 2\ntools = "get_invoices"')
    ana = await scenario.opens(
        calls("get_invoices"), says("Billing does not answer."), calls("get_invoices"), says("Still not.")
    )

    await ana.says("Any invoices?")
    before = routed(scenario)
    await ana.says("Try it again please")

    assert before is None
    assert ana.transcript[-2:] == ["assistant: Still not.", TOLD]
    after = routed(scenario)
    assert after is not None
    assert after.why == "get_invoices failed 2 times"


async def test_a_large_change_waits_for_a_colleague(scenario: HandoffScenario, tmp_path: Path) -> None:
    spec = fake_spec(
        "refund", "paying it back", "pay it back", effect="write", confirm=True, required=("amount",)
    )
    refund = FakeTool(spec, Gives("paid"), scenario.clock, clause="pay the money back")
    scenario.tools = [refund]
    scenario.changes = one(tmp_path, 'change = { tool = "refund", argument = "amount", over = 500 }')
    ana = await scenario.opens(
        calls(("refund", {"amount": "80"})),
        calls(("refund", {"amount": "800.50"})),
        says("A colleague decides about that."),
    )

    await ana.says("I want my 80 back")
    small = await scenario.states()
    await ana.says("No")
    await ana.says("I want all 800.50 back")
    await ana.says("Yes")

    assert small == []
    after = routed(scenario)
    assert after is not None
    assert after.why == "refund: amount is 800.50, over 500"
    answers = [
        logged.entry.answer
        for logged in ana.session.entries
        if isinstance(logged.entry, ConfirmationAnswered)
    ]
    assert answers == ["no", "dropped"]
    assert refund.ran == []


@pytest.mark.parametrize(
    ("text", "angry"),
    [
        ("This is ridiculous, it never works", True),
        ("WHERE IS MY MONEY!!!", True),
        ("Thank you so much!!!", False),
        ("WHERE IS MY ORDER", False),
        ("Das ist eine Frechheit und Sie tun nichts", True),
        ("Ich finde das nicht gut, bitte prüfen Sie das", False),
    ],
)
async def test_an_angry_customer_gets_a_colleague(
    scenario: HandoffScenario, tmp_path: Path, text: str, *, angry: bool
) -> None:
    scenario.changes = one(tmp_path, "angry_messages = 1")
    ana = await scenario.opens(says("I see."))

    await ana.says(text)

    assert (await scenario.states() != []) == angry


async def test_the_customers_fields_words_and_language_count_together(
    scenario: HandoffScenario, tmp_path: Path
) -> None:
    scenario.changes = one(
        tmp_path,
        'levels = ["verified", "signed_in"]\nlocales = "de"\nwords = ["Anwalt"]\n'
        'say = { de = "Unsere Rechtsabteilung meldet sich." }',
    )
    ana = await scenario.opens(says("Aha."), says("I see."), says("Gut."))

    await ana.says("Ich brauche bitte eine Rechnung")
    await ana.says("I will call my lawyer, mein Anwalt, about all of this")
    before = await scenario.states()
    await ana.says("Ich gehe damit jetzt zu meinem Anwalt")

    assert before == []
    assert ana.transcript[-1] == "assistant: Unsere Rechtsabteilung meldet sich."


async def test_after_people_had_it_only_what_is_new_counts(scenario: HandoffScenario, tmp_path: Path) -> None:
    scenario.changes = rules(
        tmp_path,
        '[[rules]]\nname = "known"\nlevels = ["verified"]\n[[rules]]\nname = "twice"\nasked_times = 2\n',
    )
    ana = await scenario.opens(*[says("On its way.")] * 3)
    await ana.says("Where is my order?")
    first = routed(scenario)
    await scenario.handoff.accept("Sam")
    await scenario.handoff.end_handoff()

    await ana.says("Where is my order?")
    between = routed(scenario)
    await ana.says("Where is my order?")
    second = routed(scenario)

    assert [one.rule if one else None for one in (first, between, second)] == ["known", None, "twice"]


async def test_outside_the_hours_a_rule_leaves_a_ticket(scenario: HandoffScenario, tmp_path: Path) -> None:
    sources = dict(shipped_book().sources)
    sources["voice.toml"] += '\n[hours]\nwed = ["09:00-18:00"]\n'
    scenario.book = PromptBook(sources, "test")
    scenario.changes = one(tmp_path, 'words = "lawyer"')
    ana = await scenario.opens(says("I see."))

    await ana.says("I will call my lawyer")

    assert await scenario.states() == ["requested", "unavailable", "ticket"]
    assert ana.transcript[-1].startswith("assistant: I'm sorry, none of my colleagues is here at this hour.")
    assert ticket_in(ana) in ana.transcript[-1]
    assert scenario.backend.told == [f"ticket {scenario.handoff.current.handoff_id} {ticket_in(ana)}"]  # pyright: ignore[reportOptionalMemberAccess]


async def test_if_no_one_comes_the_customer_gets_a_ticket(scenario: HandoffScenario, tmp_path: Path) -> None:
    scenario.changes = one(tmp_path, 'words = "lawyer"')
    ana = await scenario.opens(says("I see."))
    await ana.says("I will call my lawyer")

    await scenario.clock.sleep(WAIT_S + 1)

    assert ana.transcript[-2] == TOLD
    assert ana.transcript[-1].endswith(f"your reference is {ticket_in(ana)}.")
    current = scenario.handoff.current
    assert current is not None
    assert current.why == "I will call my lawyer"


async def test_a_restart_keeps_the_rule_and_asks_again(scenario: HandoffScenario, tmp_path: Path) -> None:
    scenario.changes = one(tmp_path, 'words = "lawyer"')
    scenario.backend.after_s = 30
    ana = await scenario.opens(says("I see."))
    await ana.says("I will call my lawyer")
    await scenario.stops(ana)

    await scenario.opens()
    await scenario.clock.sleep(31)

    assert await scenario.states() == ["requested", "queued"]
    assert [asked.routed.rule if asked.routed else None for asked in scenario.backend.asked] == [
        "the rule"
    ] * 2


async def test_a_customer_who_asks_is_routed_as_usual_or_by_a_rule(
    scenario: HandoffScenario, tmp_path: Path
) -> None:
    scenario.changes = rules(
        tmp_path,
        '[handoff]\nteam = "support"\n[[rules]]\nname = "billing"\nwords = "invoice"\nteam = "billing"\n',
    )
    asking = (calls(PERSON), says("I've asked my colleagues to join us."))
    ana = await scenario.opens(*asking, *asking)

    await ana.says("Let me talk to a person")
    usual = routed(scenario)
    await scenario.handoff.accept("Sam")
    await scenario.handoff.end_handoff()
    await ana.says("Let me talk to a person about my invoice")
    by_rule = routed(scenario)

    assert usual == HandoffRouted(handoff_id=usual.handoff_id if usual else "", team="support")
    assert by_rule is not None
    assert replace(by_rule, handoff_id="") == HandoffRouted(
        handoff_id="", rule="billing", why="said 'invoice'", team="billing"
    )
