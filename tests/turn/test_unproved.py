"""A sentence with a value without a source is cut; the customer still reads one text, nothing twice."""

import pytest

from assistant.testing.scene import scene
from assistant.testing.script import calls, says
from tests.turn.conftest import Company

_TEMPLATES = "From templates: get_open_invoices ok."


@pytest.mark.parametrize(
    ("first", "second", "shown"),
    [
        ("Fine. You owe $190.", "Fine. You owe $150. Anything else?", "Fine. You owe $150. Anything else?"),
        ("You owe $190.", "Your balance is $150.", "You owe – to be exact: Your balance is $150."),
        ("You owe $190.", "You owe $197.", f"You owe – to be exact: {_TEMPLATES}"),
        ("You owe $190.", "Your balance is $197.", f"You owe – to be exact: {_TEMPLATES}"),
        (
            "Fine, then. You owe $190.",
            "Your balance is $150.",
            "Fine, then. You owe – to be exact: Your balance is $150.",
        ),
        ("$190 is what you owe.", "$150 is what you owe.", "$150 is what you owe."),
    ],
)
async def test_the_second_reply_continues_where_the_first_was_cut(
    company: Company, first: str, second: str, shown: str
) -> None:
    ana = company.chat(calls("get_open_invoices"), says(first), says(second))

    assert await ana.says("What do I owe?") == scene(f"""
        Assistant (acknowledgement): Let me see. I'll check your billing.
          [get_open_invoices ok]
        Assistant: {shown}
    """)
