"""Nothing is claimed that was not done, and nothing promised that will not be done."""

import pytest

from assistant.conversation.entries import SentenceSuppressed
from assistant.errors import LogError
from assistant.testing.chat import Chat, StoppingLog
from assistant.testing.fake_tool import Broken, Gives
from assistant.testing.scene import scene
from assistant.testing.script import Line, calls, says
from tests.turn.conftest import Company
from tests.turn.test_resume import chat_over, check, play

NOTE = ("add_note", {"text": "late"})
CANCEL = ("cancel_appointment", {"day": "2026-03-10"})


def withheld(chat: Chat) -> list[str]:
    """What was kept back in the whole conversation."""
    return [one.entry.text for one in chat.session.entries if isinstance(one.entry, SentenceSuppressed)]


async def test_a_narrator_cannot_claim_a_failed_action(company: Company) -> None:
    company.respec(company.cancel)
    ana = company.chat(
        calls(CANCEL),
        says("I've cancelled your appointment. You owe nothing."),
        says("I could not cancel your appointment. You owe nothing."),
        cancel=Broken(),
    )

    assert await ana.says("Cancel my Tuesday appointment") == scene("""
        Assistant (acknowledgement): All right, I'll cancel your appointment.
          [cancel_appointment failed]
        Assistant: I could not cancel your appointment. You owe nothing.
    """)
    assert withheld(ana) == ["I've cancelled your appointment."]
    assert "I've cancelled your appointment." in company.model.requests[-1].view.late


async def test_after_a_second_claim_the_templates_speak(company: Company) -> None:
    company.respec(company.cancel)
    claim = "I've cancelled your appointment. You owe nothing."
    ana = company.chat(calls(CANCEL), says(claim), says(claim), cancel=Broken())

    assert await ana.says("Cancel my Tuesday appointment") == scene("""
        Assistant (acknowledgement): All right, I'll cancel your appointment.
          [cancel_appointment failed]
        Assistant: From templates: cancel_appointment failed.
    """)
    assert withheld(ana) == ["I've cancelled your appointment."] * 2


async def test_a_second_reply_continues_after_the_shown_text(company: Company) -> None:
    ana = company.chat(
        calls("get_open_invoices"),
        says("You owe $150. I've marked it as paid."),
        says("You owe $150. I can't mark it as paid myself."),
    )

    assert await ana.says("Please mark my invoice as paid") == scene("""
        Assistant (acknowledgement): Sure, I'll check your billing.
          [get_open_invoices ok]
        Assistant: You owe $150. I can't mark it as paid myself.
    """)
    assert "You owe $150." in company.model.requests[-1].view.late


async def test_shown_text_is_not_repeated_by_the_templates(company: Company) -> None:
    ana = company.chat(
        calls("get_open_invoices"),
        says("You owe $150. I've marked it as paid."),
        says("I've marked it as paid."),
    )

    said = await ana.says("Please mark my invoice as paid")

    assert said.splitlines()[-1].strip() == "Assistant: You owe $150."


async def test_a_claim_that_was_not_requested_is_only_left_out(company: Company) -> None:
    ana = company.chat(
        calls("get_open_invoices"),
        says("You owe $150 in all. I've emailed you a copy. Is there anything else?"),
    )

    assert (await ana.says("What do I owe?")).splitlines()[-1] == (
        "Assistant: You owe $150 in all. Is there anything else?"
    )
    assert withheld(ana) == ["I've emailed you a copy."]


async def test_a_completed_action_may_be_told(company: Company) -> None:
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
    assert withheld(ana) == ["I've noted that down."]


async def test_a_decider_that_claims_again_is_replaced_by_a_fixed_text(company: Company) -> None:
    ana = company.chat(says("Hello Ana. I've cancelled it."), says("I've cancelled it. Anything else?"))

    assert (await ana.says("Cancel my appointment")).splitlines() == [
        "Assistant (status): Hello Ana. ",
        "Assistant: I'm sorry, that is not something I can do from here.",
    ]
    assert withheld(ana) == ["I've cancelled it."] * 2


@pytest.mark.parametrize(
    ("page", "promise", "honest"),
    [
        (
            "en",
            "Someone will call you back within 24 hours.",
            "I'm sorry, that is not something I can do from here.",
        ),
        ("de", "Jemand ruft Sie morgen zurück.", "Das kann ich von hier aus leider nicht erledigen."),
    ],
)
async def test_a_promise_that_cannot_be_kept_is_not_shown(
    page: str, promise: str, honest: str, company: Company
) -> None:
    ana = company.chat(says(promise), says(promise))
    ana.page = page

    assert await ana.says("..." if page == "de" else "Can somebody call me?") == f"Assistant: {honest}"
    assert withheld(ana) == [promise] * 2


async def test_a_promise_with_its_call_is_the_acknowledgement(company: Company) -> None:
    ana = company.chat(calls(NOTE, text="I'll note that down."), says("Noted."))

    assert await ana.says("Note that I am late") == scene("""
        Assistant (acknowledgement): I'll note that down.
          [add_note ok]
        Assistant: Noted.
    """)
    assert withheld(ana) == []


async def test_a_promise_with_another_call_is_replaced_by_the_hint(company: Company) -> None:
    ana = company.chat(calls("get_open_invoices", text="I'll refund you."), says("You owe $150."))

    assert await ana.says("Refund me") == scene("""
        Assistant (acknowledgement): All right, I'll check your billing.
          [get_open_invoices ok]
        Assistant: You owe $150.
    """)
    assert withheld(ana) == ["I'll refund you."]


async def test_nothing_is_claimed_about_an_open_question(company: Company) -> None:
    ana = company.chat(
        calls(CANCEL, "get_open_invoices"), says("You owe $150. I've cancelled your appointment.")
    )

    said = await ana.says("Cancel my Tuesday appointment and tell me what I owe")

    assert said.splitlines()[-2:] == [
        "Assistant: You owe $150. ",
        "Assistant: Shall I cancel your eye test on Tuesday at 2 pm?",
    ]
    assert withheld(ana) == ["I've cancelled your appointment."]


async def test_a_looked_up_fact_may_be_told(company: Company) -> None:
    ana = company.chat(
        calls(("get_order_status", {"order": "7"})),
        says("Your order has been shipped."),
        orders=Gives({"status": "shipped"}),
    )

    assert (await ana.says("Where is order 7?")).splitlines()[-1] == "Assistant: Your order has been shipped."
    assert withheld(ana) == []


async def test_a_claim_next_to_a_looked_up_fact_is_left_out(company: Company) -> None:
    ana = company.chat(
        calls(("get_order_status", {"order": "7"})),
        says("Your order has been shipped and your appointment has been cancelled."),
        orders=Gives({"status": "shipped"}),
    )

    said = await ana.says("Where is my order?")

    assert said.endswith("Assistant: Your order has been shipped.")


async def test_a_claim_after_a_colon_is_left_out(company: Company) -> None:
    said = "The slot is free again: I've cancelled your appointment."
    ana = company.chat(says(said), says(said))

    assert await ana.says("Cancel it") == scene("""
        Assistant (status): The slot is free again.
        Assistant: I'm sorry, that is not something I can do from here.
    """)


STOPPED: dict[str, dict[str, Line]] = {
    "a claim of what failed": {
        "decider 1": calls(NOTE),
        "narrator 1": says("Thank you. I've noted that down. Bye."),
        "narrator 1 again": says("Thank you. I could not note it."),
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
        "narrator 1 again": says("You owe $150. I've noted that down. Bye."),
    },
}


@pytest.mark.parametrize("name", STOPPED)
async def test_a_stop_at_any_entry_shows_nothing_suppressed(name: str) -> None:
    def opened(log: StoppingLog) -> tuple[Chat, Company]:
        company = Company()
        company.note.behaviour = Broken()
        return chat_over(log, list(log.kept), STOPPED[name], company), company

    whole = StoppingLog(10_000)
    uncut, _ = opened(whole)
    await play(uncut, ["Note that I am late"])
    await uncut.session.close()
    assert any("noted" in entry for entry in withheld(uncut)) or name == "a promise that its call keeps"

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


async def test_a_call_that_needs_consent_is_not_promised_before_the_question(
    company: Company,
) -> None:
    promise = "I'll cancel your appointment on Tuesday."
    ana = company.chat(calls(("cancel_appointment", {"day": "2026-03-10"}), text=promise))

    assert await ana.says("Cancel my appointment on Tuesday") == scene("""
          [cancel_appointment asked]
        Assistant: Shall I cancel your eye test on Tuesday at 2 pm?
    """)
