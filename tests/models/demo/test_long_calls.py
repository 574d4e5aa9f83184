"""Calls that take days: told when they start, not requested again, and told when they have ended."""

from assistant.conversation.calls import Call
from assistant.conversation.outcomes import CallPending, CallSucceeded, LongCallStatus
from assistant.conversation.views import FromAssistant, FromTools
from tests.models.demo.conftest import OpenTalk

ORDERS = Call(id="c1.1", tool="get_order_status", arguments={})


async def test_a_started_call_is_told_and_not_requested_again(shop: OpenTalk) -> None:
    ana = shop()
    await ana.says("Where are my orders?")
    begun = CallPending(call=ORDERS, long=LongCallStatus(ref="t1/c1.1"))
    ana.messages[-2:] = [FromAssistant("", (ORDERS,)), FromTools((begun,))]

    assert await ana.goes_on() == "Told get_order_status."


async def test_a_later_end_repeats_no_other_answer(shop: OpenTalk) -> None:
    ana = shop()
    await ana.says("When are you open?")
    await ana.narrates()
    ended = CallSucceeded(call=ORDERS, value=[{"number": 10482}])
    ana.messages += [FromAssistant("", (ORDERS,)), FromTools((ended,))]

    assert await ana.narrates() == "Told get_order_status 10482."
