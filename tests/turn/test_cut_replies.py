"""A reply at the maximum length is not finished: it is continued once, or the tools' templates are used."""

from dataclasses import replace

import pytest

from assistant.conversation.chunks import StreamEnded
from assistant.testing.scene import scene
from assistant.testing.script import Line, calls, says
from tests.turn.conftest import Company

_TEMPLATES = "From templates: get_open_invoices ok."


def cut(line: Line) -> Line:
    """The line, ended by the longest length of a reply."""
    return replace(line, steps=(*line.steps[:-1], StreamEnded("length")))


@pytest.mark.parametrize(
    ("first", "second", "shown"),
    [
        ("You owe $150, which is", "You owe $150, which is due soon.", "You owe $150, which is due soon."),
        ("You owe $150. It is", "It is due soon.", "You owe $150. It is due soon."),
        ("You owe $150.", "Anything else?", "You owe $150. Anything else?"),
        ("You owe $1", "You owe $150.", "You owe $150."),
        ("", "You owe $150.", "You owe $150."),
    ],
)
async def test_a_cut_answer_is_finished_by_a_second_reply(
    company: Company, first: str, second: str, shown: str
) -> None:
    ana = company.chat(calls("get_open_invoices"), cut(says(first)), says(second))

    assert await ana.says("What do I owe?") == scene(f"""
        Assistant (acknowledgement): Let me see. I'll check your billing.
          [get_open_invoices ok]
        Assistant: {shown}
    """)


async def test_an_answer_that_is_cut_twice_is_finished_by_the_templates(company: Company) -> None:
    ana = company.chat(calls("get_open_invoices"), cut(says("Well, you see, it is")), cut(says("Well, you")))

    assert await ana.says("What do I owe?") == scene(f"""
        Assistant (acknowledgement): Let me see. I'll check your billing.
          [get_open_invoices ok]
        Assistant: Well, you see, it is – to be exact: {_TEMPLATES}
    """)


async def test_the_model_is_told_and_has_a_larger_limit(company: Company) -> None:
    ana = company.chat(calls("get_open_invoices"), cut(says("You owe $150, which")), says("You owe $150."))

    await ana.says("What do I owe?")

    *_, first, second = company.model.requests
    assert (first.options.room, second.options.room) == (1, 4)
    assert "reached its longest length" in second.view.late


async def test_an_empty_decision_is_requested_again_with_a_larger_limit(company: Company) -> None:
    ana = company.chat(cut(says([" "])), calls("get_open_invoices"), says("You owe $150."))

    assert await ana.says("What do I owe?") == scene("""
        Assistant (acknowledgement): Let me see. I'll check your billing.
          [get_open_invoices ok]
        Assistant: You owe $150.
    """)
    assert [request.options.room for request in company.model.requests] == [1, 4, 1]


async def test_a_decision_that_is_cut_twice_ends_in_an_apology(company: Company) -> None:
    ana = company.chat(cut(says([" "])), cut(says([" "])))

    told = await ana.says("What do I owe?")

    assert "sorry" in str(told).lower()
