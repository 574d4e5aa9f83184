"""One message, many calls: what the customer reads, in which order."""

from assistant.testing.fake_tool import Broken
from assistant.testing.scene import scene
from assistant.testing.script import calls, says
from tests.turn.conftest import Company


async def test_two_requests_have_one_acknowledgement_and_one_answer(company: Company) -> None:
    ana = company.chat(
        calls("list_upcoming_appointments", "get_open_invoices"),
        says("You have an appointment on Tuesday at 2 pm. Your balance is $150."),
    )

    assert await ana.says("Check my appointments and billing") == scene("""
        Assistant (acknowledgement): Sure, I'll look up your appointments and check your billing.
          [list_upcoming_appointments ok]
          [get_open_invoices ok]
        Assistant: You have an appointment on Tuesday at 2 pm. Your balance is $150.
    """)


async def test_a_message_that_needs_no_lookup_is_answered_immediately(company: Company) -> None:
    ana = company.chat(says("You're welcome!"))

    assert await ana.says("Thanks") == "Assistant: You're welcome!"


async def test_one_failing_tool_does_not_silence_the_other(company: Company) -> None:
    ana = company.chat(
        calls("list_upcoming_appointments", "get_open_invoices"),
        says("You're booked for Tuesday at 2 pm. I couldn't reach billing just now."),
        billing=Broken(),
    )

    assert await ana.says("Check my appointments and billing") == scene("""
        Assistant (acknowledgement): Sure, I'll look up your appointments and check your billing.
          [list_upcoming_appointments ok]
          [get_open_invoices failed]
        Assistant: You're booked for Tuesday at 2 pm. I couldn't reach billing just now.
    """)
