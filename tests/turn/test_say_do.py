"""Nothing is claimed that was not done, and nothing promised that nobody will do."""

import pytest

from assistant.conversation.entries import Withheld
from assistant.errors import LogError
from assistant.testing.chat import Chat, StoppingLog
from assistant.testing.fake_tool import Broken, Gives
from assistant.testing.scene import scene
from assistant.testing.script import Line, calls, says
from tests.turn.conftest import Company
from tests.turn.test_resume import chat_over, check, play

NOTE = ("add_note", {"text": "late"})
CANCEL = ("cancel_appointment", {"day": "2026-03-10"})


def withheld(chat: Chat) -> list[tuple[str, str]]:
    """What was kept back, and what was shown instead, in the whole conversation."""
    entries = [logged.entry for logged in chat.session.entries]
    return [(entry.text, entry.instead) for entry in entries if isinstance(entry, Withheld)]


async def test_a_narrator_cannot_claim_what_failed(company: Company) -> None:
    company.respec(company.cancel)
    ana = company.chat(
        calls(CANCEL), says("I've cancelled your appointment. You owe nothing."), cancel=Broken()
    )

    assert await ana.says("Cancel my Tuesday appointment") == scene("""
        Assistant (acknowledgement): All right, I'll cancel your appointment.
          [cancel_appointment failed]
        Assistant: I was not able to do this. You owe nothing.
    """)
    assert withheld(ana) == [("I've cancelled your appointment.", "I was not able to do this.")]


async def test_what_was_done_may_be_said(company: Company) -> None:
    company.respec(company.cancel)
    ana = company.chat(
        calls(CANCEL), says("I've cancelled your appointment on Tuesday."), says("It is cancelled.")
    )

    await ana.says("Cancel my Tuesday appointment")

    assert ana.scene.splitlines()[-1] == "Assistant: I've cancelled your appointment on Tuesday."
    assert await ana.says("Is it?") == "Assistant: It is cancelled."
    assert withheld(ana) == []


async def test_a_decider_that_claims_without_a_call_is_asked_again(company: Company) -> None:
    ana = company.chat(says("I've noted that down."), calls(NOTE), says("I've noted that down."))

    assert await ana.says("Note that I am late") == scene("""
        Assistant (acknowledgement): All right, I'll note that down.
          [add_note ok]
        Assistant: I've noted that down.
    """)
    assert "I've noted that down." in company.model.requests[1].view.late
    assert withheld(ana) == [("I've noted that down.", "")]


async def test_a_decider_that_claims_again_is_answered_for(company: Company) -> None:
    ana = company.chat(says("Hello Ana. I've cancelled it."), says("I've cancelled it. Anything else?"))

    assert (await ana.says("Cancel my appointment")).splitlines() == [
        "Assistant (status): Hello Ana. ",
        "Assistant: This has not been done. Anything else?",
    ]
    assert withheld(ana) == [("I've cancelled it.", ""), ("I've cancelled it.", "This has not been done.")]


@pytest.mark.parametrize(
    ("page", "promise", "honest"),
    [
        ("en", "Someone will call you back within 24 hours.", "I can't promise this from here."),
        ("de", "Jemand ruft Sie morgen zurück.", "Das kann ich von hier aus nicht versprechen."),
    ],
)
async def test_a_promise_that_nobody_can_keep_is_not_made(
    page: str, promise: str, honest: str, company: Company
) -> None:
    ana = company.chat(says(promise), says(promise))
    ana.page = page

    assert await ana.says("..." if page == "de" else "Can somebody call me?") == f"Assistant: {honest}"
    assert withheld(ana) == [(promise, ""), (promise, honest)]


async def test_a_promise_beside_its_call_is_the_acknowledgement(company: Company) -> None:
    ana = company.chat(calls(NOTE, text="I'll note that down."), says("Noted."))

    assert await ana.says("Note that I am late") == scene("""
        Assistant (acknowledgement): I'll note that down.
          [add_note ok]
        Assistant: Noted.
    """)
    assert withheld(ana) == []


async def test_a_promise_beside_another_call_gives_way_to_the_hint(company: Company) -> None:
    ana = company.chat(calls("get_open_invoices", text="I'll refund you."), says("You owe $150."))

    assert await ana.says("Refund me") == scene("""
        Assistant (acknowledgement): All right, I'll check your billing.
          [get_open_invoices ok]
        Assistant: You owe $150.
    """)
    assert withheld(ana) == [("I'll refund you.", "")]


async def test_nothing_is_claimed_of_what_the_customer_is_asked_about(company: Company) -> None:
    ana = company.chat(
        calls(CANCEL, "get_open_invoices"), says("You owe $150. I've cancelled your appointment.")
    )

    said = await ana.says("Cancel my Tuesday appointment and tell me what I owe")

    assert said.splitlines()[-2:] == [
        "Assistant: You owe $150. ",
        "Assistant: Shall I cancel your eye test on Tuesday at 2 pm?",
    ]
    assert withheld(ana) == [("I've cancelled your appointment.", "")]


async def test_what_was_looked_up_may_be_said(company: Company) -> None:
    ana = company.chat(
        calls(("get_order_status", {"order": "7"})),
        says("Your order has been shipped."),
        orders=Gives({"status": "shipped"}),
    )

    assert (await ana.says("Where is order 7?")).splitlines()[-1] == "Assistant: Your order has been shipped."
    assert withheld(ana) == []


async def test_a_claim_beside_a_looked_up_fact_is_not_let_through(company: Company) -> None:
    ana = company.chat(
        calls(("get_order_status", {"order": "7"})),
        says("Your order has been shipped and your appointment has been cancelled."),
        orders=Gives({"status": "shipped"}),
    )

    said = await ana.says("Where is my order?")

    assert said.endswith("Assistant: Not all of this has been done.")


async def test_what_got_out_is_corrected_where_everybody_sees_it(company: Company) -> None:
    ana = company.chat(says("Tuesday is free again: I've cancelled your appointment."))

    assert await ana.says("Cancel it") == (
        "Assistant: Tuesday is free again: I've cancelled your appointment. "
        "I have to correct that: this has not been done."
    )
    assert len(withheld(ana)) == 1


STOPPED: dict[str, dict[str, Line]] = {
    "a claim of what failed": {
        "decider 1": calls(NOTE),
        "narrator 1": says("Thank you. I've noted that down. Bye."),
    },
    "a claim that is asked about": {
        "decider 1": says("I've noted that down."),
        "decider 1 again": says("Hello Ana. I've noted that down. Bye."),
    },
    "a claim after words that were shown": {
        "decider 1": says("Hello Ana. I've noted that down."),
        "decider 1 again": calls(NOTE),
        "narrator 1": says("I could not do it."),
    },
    "a promise that its call keeps": {
        "decider 1": calls(NOTE, text="Hello Ana. I'll note that down."),
        "narrator 1": says("It has been noted: you are late."),
    },
    "a claim that got out": {
        "decider 1": calls("get_open_invoices"),
        "narrator 1": says("You owe $150, so I've noted that down. Bye."),
    },
}


@pytest.mark.parametrize("name", STOPPED)
async def test_a_stop_at_any_entry_lets_nothing_out(name: str) -> None:
    def opened(log: StoppingLog) -> tuple[Chat, Company]:
        company = Company()
        company.note.behaviour = Broken()
        return chat_over(log, list(log.kept), STOPPED[name], company), company

    whole = StoppingLog(10_000)
    uncut, _ = opened(whole)
    await play(uncut, ["Note that I am late"])
    await uncut.session.close()
    assert any("noted" in entry for entry, _ in withheld(uncut)) or name == "a promise that its call keeps"

    for most in range(1, len(whole.kept)):
        before = StoppingLog(most)
        first, _ = opened(before)
        try:
            await play(first, ["Note that I am late"])
        except LogError:
            assert first.session.failed
        await first.session.close()

        after = StoppingLog(10_000, kept=list(before.kept))
        second, company = opened(after)
        await play(second, ["Note that I am late"])

        check(before.kept, after.kept, second, uncut, company, most)


async def test_what_the_customer_must_agree_to_first_is_not_promised_before_they_are_asked(
    company: Company,
) -> None:
    promise = "I'll cancel your appointment on Tuesday."
    ana = company.chat(calls(("cancel_appointment", {"day": "2026-03-10"}), text=promise))

    assert await ana.says("Cancel my appointment on Tuesday") == scene("""
          [cancel_appointment asked]
        Assistant: Shall I cancel your eye test on Tuesday at 2 pm?
    """)
