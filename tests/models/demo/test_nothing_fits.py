"""Requests that no tool can handle: nothing is called, and a human agent is offered if there is one."""

from dataclasses import replace

import pytest

from assistant.conversation.calls import Call
from assistant.conversation.chunks import TextDelta
from assistant.conversation.outcomes import CallSucceeded
from assistant.conversation.tool_spec import Hint, ToolSpec
from assistant.conversation.views import FromAssistant, FromCustomer, FromTools
from assistant.models.demo.decision import Ask
from tests.models.demo.conftest import OpenTalk, Talk, offline_model
from tests.models.demo.score import HERE, decide, demo_specs
from tests.support.rows import check_rows

REQUESTS = (HERE / "nothing_fits.txt").read_text(encoding="utf-8").splitlines()
PERSON = ToolSpec(
    name="fetch_somebody",
    description="Get a person.",
    parameters={"type": "object", "properties": {"reason": {"type": "string"}}, "required": []},
    hints={"en": Hint(doing="getting a colleague for you", will="get a colleague for you")},
    examples=("I want to talk to a person", "human please"),
    role="hands_over",
)


@pytest.fixture(scope="module")
def staffed() -> Talk:
    specs = (*demo_specs().values(), PERSON)
    return Talk(offline_model(specs=specs), specs, {})


@check_rows("request_", REQUESTS)
async def test_no_tool_is_called_for_an_unrelated_request(shop: OpenTalk, request_: str) -> None:
    said = await shop().says(request_)

    assert isinstance(said, str)
    assert "OfflineAsk" not in said


@check_rows("request_", REQUESTS)
async def test_only_an_agent_may_be_requested(staffed: Talk, request_: str) -> None:
    said = await replace(staffed, messages=[]).says(request_)

    assert isinstance(said, str) or [name for name, _ in said] == ["fetch_somebody"]


def test_most_later_messages_call_nothing() -> None:
    others = (HERE / "nothing_fits_either.txt").read_text(encoding="utf-8").splitlines()
    decided = [(request, decide(request)) for request in others]
    wrong = [request for request, one in decided if one.calls or isinstance(one.reply, Ask)]

    assert len(others) == 20
    assert len(wrong) <= 3, wrong


async def test_an_agent_is_offered_if_there_is_one(staffed: Talk) -> None:
    ana = replace(staffed, messages=[])

    assert str(await ana.says("tell me a joke")).endswith("; get a colleague for you; True)?")
    assert await ana.says("yes please") == [("fetch_somebody", {})]


async def test_a_customer_who_declines_gets_no_agent(staffed: Talk) -> None:
    ana = replace(staffed, messages=[])
    await ana.says("tell me a joke")

    assert isinstance(await ana.says("no thanks"), str)
    assert await ana.says("when are you open?") == [("get_opening_hours", {})]


async def test_a_yes_to_a_correction_calls_no_agent(staffed: Talk) -> None:
    moved = Call(id="c1.1", tool="reschedule_appointment", arguments={"appointment_id": "A2"})
    ana = replace(
        staffed,
        messages=[
            FromCustomer("move my lens fitting to December 8 at 10 am"),
            FromAssistant("Shall I move your lens fitting to Tuesday, December 8 at 10 am?"),
            FromCustomer("actually at 11"),
            FromAssistant("Shall I move your lens fitting to Tuesday, December 8 at 11 am?"),
            FromCustomer("yes"),
            FromAssistant("All right, I'll move your appointment.", (moved,)),
            FromTools((CallSucceeded(call=moved, value={"id": "A2"}),)),
        ],
    )

    assert await ana.narrates() == "Told reschedule_appointment."


async def test_the_list_of_abilities_omits_identification_tools(staffed: Talk) -> None:
    said = [chunk.text for chunk in await _help(staffed) if isinstance(chunk, TextDelta)]

    assert "check your billing" in "".join(said)
    assert "check your details" not in "".join(said)


async def _help(talk: Talk) -> list[object]:
    ana = replace(talk, messages=[])
    await ana.says("what can you do?")
    ana.messages.pop()
    return list(await ana.stream("decider"))
