"""The acknowledgement is not repeated; news is always told."""

import pytest

from assistant.conversation.customer import Customer
from assistant.conversation.entries import SentenceSuppressed
from assistant.testing.chat import ANA, Chat
from assistant.testing.fake_tool import Broken, Gives
from assistant.testing.scene import scene
from assistant.testing.script import breaks, calls, says
from tests.turn.conftest import Company
from tests.turn.timeline import timeline

BILLING = "get_open_invoices"
APPOINTMENTS = "list_upcoming_appointments"


def withheld(chat: Chat) -> list[tuple[int, str]]:
    """The sentences that were kept back, each with its round."""
    entries = (logged.entry for logged in chat.session.entries)
    return [(entry.round, entry.text) for entry in entries if isinstance(entry, SentenceSuppressed)]


async def test_a_repeated_acknowledgement_is_not_shown_and_is_in_the_log(company: Company) -> None:
    ana = company.chat(
        calls(APPOINTMENTS, BILLING),
        says("Sure, I've looked up your appointments and checked your billing. You owe $150."),
    )

    assert await ana.says("Check my appointments and billing") == scene("""
        Assistant (acknowledgement): Sure, I'll look up your appointments and check your billing.
          [list_upcoming_appointments ok]
          [get_open_invoices ok]
        Assistant: You owe $150.
    """)
    assert withheld(ana) == [(2, "Sure, I've looked up your appointments and checked your billing.")]
    assert {
        logged.entry.guardrail
        for logged in ana.session.entries
        if isinstance(logged.entry, SentenceSuppressed)
    } == {"repetition"}


@pytest.mark.parametrize(
    "answer",
    [
        "I've looked up your appointments: you have none.",
        "You have no appointments.",
        "I found one appointment. Your billing is fine.",
        "I couldn't look up your appointments.",
        "Your appointments:\n- Tuesday\n\nYour billing:\n- $150",
        "Shall I check your billing?",
    ],
)
async def test_a_sentence_with_any_news_is_shown_whole(company: Company, answer: str) -> None:
    ana = company.chat(calls(APPOINTMENTS, BILLING), says(list(answer)))

    assert (await ana.says("Check my appointments and billing")).endswith(f"Assistant: {answer}")
    assert withheld(ana) == []


async def test_a_value_of_the_results_is_shown_although_it_was_told(company: Company) -> None:
    ana = company.chat(
        calls(("get_order_status", {"order": "10482"}), text="I'll check your order 10482."),
        says("I've checked your order 10482. I've checked your order."),
        orders=Gives({"order": "10482"}),
    )

    assert (await ana.says("Order 10482?")).endswith("Assistant: I've checked your order 10482. ")
    assert withheld(ana) == [(2, "I've checked your order.")]


async def test_a_narrator_that_only_repeats_is_replaced_by_the_templates(company: Company) -> None:
    ana = company.chat(calls(BILLING), says("Sure! I've checked your billing."))

    assert await ana.says("Check my billing") == scene("""
        Assistant (acknowledgement): Sure, I'll check your billing.
          [get_open_invoices ok]
        Assistant: From templates: get_open_invoices ok.
    """)
    assert withheld(ana) == [(2, "Sure!"), (2, "I've checked your billing.")]


async def test_a_narrator_that_dies_while_it_repeats_leaves_no_trace(company: Company) -> None:
    ana = company.chat(calls(BILLING), breaks("Sure, I've checked your"))

    assert (await ana.says("Check my billing")).endswith("Assistant: From templates: get_open_invoices ok.")


async def test_the_models_own_words_are_not_repeated_either(company: Company) -> None:
    ana = company.chat(
        calls(BILLING, text="One second, let me open your account."),
        says("I've opened your account. You owe $150."),
    )

    assert (await ana.says("What do I owe?")).endswith("Assistant: You owe $150.")


async def test_a_status_that_only_repeats_is_replaced_by_the_hint(company: Company) -> None:
    ana = company.chat(
        calls(BILLING), calls(APPOINTMENTS, text="I'm checking your billing."), says("Tuesday; $150.")
    )

    assert await ana.says("Check my billing") == scene("""
        Assistant (acknowledgement): Sure, I'll check your billing.
          [get_open_invoices ok]
        Assistant (status): I'll also look up your appointments.
          [list_upcoming_appointments ok]
        Assistant: Tuesday; $150.
    """)


async def test_a_completed_side_effect_is_news(company: Company) -> None:
    ana = company.chat(
        calls(("add_note", {"text": "late"}), BILLING),
        says("I've checked your billing. I've noted that down."),
    )

    said = await ana.says("Note that I am late, and check my bill")

    assert said.startswith(
        "Assistant (acknowledgement): All right, I'll note that down and check your billing."
    )
    assert said.endswith("Assistant: I've noted that down.")


async def test_a_failure_is_told(company: Company) -> None:
    ana = company.chat(calls(BILLING), says("I couldn't check your billing."), billing=Broken())

    assert (await ana.says("Check my billing")).endswith("Assistant: I couldn't check your billing.")


async def test_german_has_its_own_guardrail(company: Company) -> None:
    ana = company.chat(
        calls(BILLING, text="Gerne, ich prüfe Ihre Rechnungen."),
        says("Ich habe Ihre Rechnungen geprüft. Offen sind 150 Euro."),
        customer=Customer(tenant=ANA.tenant, id=ANA.id, level=ANA.level, locale="de"),
    )

    assert (await ana.says("Habe ich noch offene Rechnungen?")).endswith("Assistant: Offen sind 150 Euro.")


async def test_the_first_new_word_shows_the_sentence(company: Company) -> None:
    ana = company.chat(
        calls(BILLING), says("I've checked your billing and you owe $150.", first_s=1.0, each_s=0.1)
    )

    await ana.says("Check my billing")

    told = timeline(ana.batches).splitlines()
    assert (
        told[-4:]
        == scene("""
        1.6 "I've checked your billing and you owe"
        1.8 " $150."
        1.8 (response)
        1.8 answered
    """).splitlines()
    )
    assert told[-5] == "0.0 get_open_invoices ok"
