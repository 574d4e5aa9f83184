"""A request continues the one before it, for either role, so that providers can cache it."""

from collections.abc import Sequence

import pytest

from assistant.formats.openai_responses import ResponsesFormatter
from assistant.ports import ModelRequest
from assistant.testing.fake_tool import Broken, Gives
from assistant.testing.script import Line, calls, says
from tests.formats.on_the_wire import WRITTEN, Written
from tests.turn.conftest import Company
from tests.turn.polluted import BILL, NOTE, TUESDAY, order

NAMES = ("openai", "anthropic", "grok", "grok as text", "generic")
PROVIDERS = [
    *(way for way in WRITTEN if way.name in NAMES),
    Written("openai responses", ResponsesFormatter, "openai", "gpt-6-luna", None),
]
MARK = b',"cache_control":{"type":"ephemeral"}'
"""Where a provider is to remember up to: it moves, and is no part of what is remembered."""

TALK: Sequence[tuple[str, Sequence[Line]]] = (
    ("Hello", [says("Hello, Ana. What can I do for you?")]),
    (
        "Check my appointments and billing",
        [calls("list_upcoming_appointments", BILL), says("Tuesday, and $150.")],
    ),
    ("What about the second one?", [says("The second is your bill: $150.")]),
    ("And order 7?", [calls(order("7"), text="One second."), says("It has shipped.")]),
    ("And order 8?", [calls(order("8")), says("It has shipped, too.")]),
    ("Twice, to be sure", [calls(order("8"), order("8")), says("It has shipped.")]),
    ("Is that still so?", [says("Let me check that for you."), calls(BILL), says("Still $150.")]),
    ("Note that I am late", [says("I've noted that down."), calls(NOTE), says("That is noted.")]),
    ("My bill again", [calls((BILL, "{")), calls(BILL), says("Still $150.")]),
    ("Cancel my Tuesday appointment", [calls(TUESDAY)]),
    ("What would that cost?", [says("Nothing at all.")]),
    ("yes", [says("It is cancelled.")]),
    ("Ich danke Ihnen sehr für die Hilfe", [says("Gern geschehen.")]),
    ("Und wann haben Sie geöffnet?", [calls("get_opening_hours"), says("Von neun bis fünf.")]),
    ("Thank you very much for your help", [says("You are welcome.")]),
    ("When are you open?", [calls("get_opening_hours"), says("I can't see that just now.")]),
    ("What do I owe?", [calls(BILL), calls(order("9")), says("You owe $150.")]),
    ("Anything else?", [says("Nothing else is open.")]),
    ("Any parking fines?", [calls("get_parking_fines"), says("I can't look up fines.")]),
    ("Thanks", [says("Gladly.")]),
    ("Bye", [says("Goodbye.")]),
)


def shared(one: bytes, other: bytes) -> int:
    """How many bytes two requests have in common at their beginning."""
    differs = (place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
    return next(differs, min(len(one), len(other)))


async def asked(company: Company) -> list[ModelRequest]:
    """Every request of a conversation that goes on past midnight, to both roles, in order."""
    ana = company.chat(*(line for _, lines in TALK for line in lines), orders=Gives({"status": "shipped"}))
    for text, _ in TALK:
        if text == "When are you open?":
            await company.clock.sleep(24 * 3600)
            company.hours.behaviour = Broken()
        await ana.says(text)
    return list(company.model.requests)


@pytest.mark.parametrize("way", PROVIDERS, ids=lambda way: way.name)
async def test_nine_tenths_of_each_roles_requests_were_sent_before(way: Written, company: Company) -> None:
    requests = await asked(company)
    formatter = way.make()
    bodies = [formatter.format(request, way.model).body.replace(MARK, b"") for request in requests]

    for role in ("decider", "narrator"):
        places = [place for place, one in enumerate(requests) if one.role == role and place > 0]
        before = [max(shared(bodies[place], other) for other in bodies[:place]) for place in places]
        whole = [len(bodies[place]) for place in places]
        assert len(places) > 8
        assert sum(before) / sum(whole) >= 0.9, (role, before, whole)


async def test_instructions_and_tools_are_the_same_at_any_time_in_any_language(company: Company) -> None:
    requests = await asked(company)

    assert len({request.view.system for request in requests}) == 1
    assert all(request.tools is requests[0].tools for request in requests)
    assert len({request.view.late.splitlines()[-1] for request in requests}) > 3
    assert all(
        request.view.late.startswith("A note of ours, not written by the customer:") for request in requests
    )


async def test_the_note_for_another_attempt_comes_last(company: Company) -> None:
    requests = await asked(company)

    again = [one.view.late.split("\n\n")[1] for one in requests if one.view.late.count("\n\n") > 0]
    reasons = [told.partition(": ")[2] for told in again]
    assert [" ".join(told.split()[:2]) for told in reasons] == ["you said", "you wrote", "your tool"]
