"""One conversation with a picture and a file in it, asked with each option that a request can have."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from assistant.conversation.outcomes import Media
from assistant.ports import ModelOptions
from assistant.testing.fake_tool import Gives
from assistant.testing.script import calls, says
from assistant.testing.virtual_time import run_virtually
from tests.golden.calls import in_every_form
from tests.golden.record import Record, record_of, texts_of
from tests.turn.conftest import Company

OPTIONS: Final[Mapping[str, ModelOptions]] = {
    "none": ModelOptions(),
    "as-it-stands": ModelOptions(formatted=False),
    "one-call": ModelOptions(parallel_calls=False),
    "blind": ModelOptions(images=False),
    "temperature": ModelOptions(temperature=0.2, max_tokens=300),
    "extra": ModelOptions(extra={"seed": 7, "metadata": {"shop": "Willow"}}),
}
"""What a request may be asked with."""

_PICTURE: Final = Media(mime="image/png", data="iVBORw0KGgo=", name="router.png")
_FILE: Final = Media(mime="application/pdf", data="JVBERi0xLjcK", name="bill.pdf")


def play_with(options: ModelOptions) -> Record:
    """Hold the conversation, and write each of its requests with these options."""
    return run_virtually(_played(options))


async def _played(options: ModelOptions) -> Record:
    company = Company()
    chat = company.chat(
        calls("list_upcoming_appointments", "get_open_invoices"),
        says("On Tuesday."),
        says("Two."),
        appointments=Gives([{"when": "2026-03-10T14:00"}], media=(_PICTURE,)),
        billing=Gives({"amount": "150.00"}, media=(_FILE,)),
    )
    await chat.says("Check my appointments and billing")
    await chat.says("How many are that?")
    asked = [replace(request, options=options) for request in company.model.requests]
    return record_of(in_every_form(asked), [], texts_of(chat.session.state))
