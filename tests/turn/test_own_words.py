"""The model's own text before its calls is the acknowledgement; hints are used only without one."""

import pytest

from assistant.conversation.chunks import CallArguments, CallNamed, StreamEnded, TextDelta
from assistant.conversation.views import FromAssistant
from assistant.testing.scene import scene
from assistant.testing.script import Line, calls, says
from tests.turn.conftest import Company
from tests.turn.timeline import timeline


async def test_the_models_own_text_replaces_hints_and_has_the_call_ids(company: Company) -> None:
    ana = company.chat(
        calls("list_upcoming_appointments", "get_open_invoices", text="One second, let me open your file."),
        says("Tuesday; $150."),
    )

    assert await ana.says("Check my appointments and billing") == scene("""
        Assistant (acknowledgement): One second, let me open your file.
          [list_upcoming_appointments ok]
          [get_open_invoices ok]
        Assistant: Tuesday; $150.
    """)
    message = ana.session.state.turns[-1].messages[0]
    assert (message.model_written, message.call_ids) == (True, ("c1.1", "c1.2"))


async def test_own_text_is_shown_as_it_arrives(company: Company) -> None:
    ana = company.chat(calls("get_open_invoices", text="One moment.", each_s=0.1), says(["$150."]))

    await ana.says("What do I owe?")

    assert timeline(ana.batches) == scene("""
        0.0 "One"
        0.1 " moment."
        0.4 get_open_invoices starts
        0.4 get_open_invoices ok
        0.5 (acknowledgement)
        0.5 "$150."
        0.5 (response)
        0.5 answered
    """)


@pytest.mark.parametrize("space", [" ", "\n\n", "\t \n"])
async def test_white_space_is_no_message(company: Company, space: str) -> None:
    ana = company.chat(calls("get_open_invoices", text=[space]), says([space, "$150."]))

    assert await ana.says("Check my bill") == scene("""
        Assistant (acknowledgement): Sure, I'll check your billing.
          [get_open_invoices ok]
        Assistant: $150.
    """)


async def test_text_after_the_first_call_is_not_shown(company: Company) -> None:
    late_words = Line(
        (
            CallNamed(0, "get_open_invoices"),
            TextDelta("Calling the tool now."),
            CallArguments(0, "{}"),
            TextDelta("Done calling."),
            StreamEnded("tool_calls"),
        )
    )
    ana = company.chat(late_words, says("$150."))

    assert await ana.says("Check my bill") == scene("""
        Assistant (acknowledgement): Sure, I'll check your billing.
          [get_open_invoices ok]
        Assistant: $150.
    """)


async def test_the_beginning_of_a_forbidden_phrase_is_not_shown(
    company: Company,
) -> None:
    ana = company.chat(calls("get_open_invoices", text=["As an AI"]), says("$150."))

    assert await ana.says("Check my bill") == scene("""
        Assistant (acknowledgement): As an AI
          [get_open_invoices ok]
        Assistant: $150.
    """)


async def test_the_decider_sees_its_own_text_with_its_calls_but_no_hints(company: Company) -> None:
    ana = company.chat(
        calls("get_open_invoices", text="Opening your file."),
        says("$150."),
        calls("list_upcoming_appointments"),
        says("Tuesday."),
        says("You're welcome."),
    )

    for message in ("What do I owe?", "And my appointments?", "Thanks"):
        await ana.says(message)

    spoken = [
        each.text for each in company.model.requests[-1].view.messages if isinstance(each, FromAssistant)
    ]
    assert spoken == ["Opening your file.", "$150.", "", "Tuesday."]


async def test_an_answer_may_end_like_the_beginning_of_a_forbidden_phrase(company: Company) -> None:
    ana = company.chat(says("Who is asking? I am"))

    assert await ana.says("Who are you?") == "Assistant: Who is asking? I am"
