"""A model is asked again only if that may help."""

import asyncio
from contextlib import aclosing

import pytest

from assistant.conversation.chunks import TextDelta
from assistant.errors import ModelBroke
from assistant.testing.script import Fall, Line, Pause, breaks, says, stalls
from tests.models.fallback.several import ASKED, ask, broken, busy, refused, scripted, steady, times


async def test_a_successful_reply_is_passed_on_unchanged() -> None:
    assert await ask(steady(scripted("main", says("Hello.", first_s=1.0)))) == "1.00 Hello."


async def test_a_broken_connection_is_retried_after_a_growing_pause() -> None:
    main = scripted("main", broken(), broken(), says("Here I am."))

    assert await ask(steady(main)) == "0.38 Here I am."  # half of 0.25 s, half of 0.5 s


async def test_pauses_have_random_lengths() -> None:
    main = scripted("main", broken(), broken(), says("Here I am."))

    assert await ask(steady(main, jitter=0.999)) == "0.75 Here I am."


async def test_a_busy_provider_is_asked_at_the_time_that_it_named() -> None:
    main = scripted("main", busy(2.5), says("Thanks for waiting."))

    assert await ask(steady(main)) == "2.50 Thanks for waiting."


async def test_no_customer_waits_longer_than_a_few_seconds() -> None:
    main = scripted("main", busy(4.5))

    assert await ask(steady(main)) == "0.00 [ModelBusy: slow down]"


async def test_pauses_add_up_to_a_few_seconds_and_no_more() -> None:
    main = scripted("main", busy(2.5), busy(2.5))

    assert await ask(steady(main)) == "2.50 [ModelBusy: slow down]"


async def test_the_number_of_attempts_is_limited() -> None:
    main = scripted("main", broken(), broken())

    assert await ask(steady(main, tries=2)) == "0.12 [ModelBroke: the connection broke]"


@pytest.mark.parametrize("failure", [refused(), breaks("Your appoint"), stalls(), stalls("Your")])
async def test_a_refusal_a_timeout_and_half_an_answer_are_not_retried(failure: object) -> None:
    main = scripted("main", failure)  # pyright: ignore[reportArgumentType]

    assert "[Model" in await ask(steady(main))
    assert times(main) == 1


async def test_a_providers_pause_also_applies_to_the_next_customer() -> None:
    main = scripted("main", busy(30.0), says("Hello."))
    model = steady(main)

    assert await ask(model) == "0.00 [ModelBusy: slow down]"
    await asyncio.sleep(10.0)
    assert await ask(model) == "10.00 [ModelBusy: the provider wants to be left alone for 20.0 s]"
    await asyncio.sleep(17.0)
    assert await ask(model) == "30.00 Hello."


async def test_a_customer_who_comes_during_a_pause_waits_too() -> None:
    main = scripted("main", busy(2.0), says("One."), says("Two."))
    model = steady(main)

    assert await asyncio.gather(ask(model), ask(model)) == ["2.00 One.", "2.00 Two."]


async def test_the_time_for_the_first_token_shrinks_with_the_remaining_time() -> None:
    first, second = scripted("first", stalls()), scripted("second", stalls())

    assert (await ask(steady(first, second))).startswith("30.00 [ModelTimeout")
    assert second.requests[0].options.first_token_s == pytest.approx(10.0)
    assert first.requests[0] is ASKED


async def test_cancelling_closes_the_request() -> None:
    main = scripted("main", says("One two three", each_s=1.0), says("Hello."))
    model = steady(main)

    async with aclosing(model.stream(ASKED)) as stream:
        assert await anext(stream) == TextDelta("One")
    assert await ask(model) == "0.00 Hello."


async def test_cancelling_during_a_pause_returns_immediately() -> None:
    main = scripted("main", busy(3.0))
    asking = asyncio.ensure_future(ask(steady(main)))
    await asyncio.sleep(1.0)
    asking.cancel()

    with pytest.raises(asyncio.CancelledError):
        await asking
    assert asyncio.get_running_loop().time() == pytest.approx(1.0)


async def test_an_absurd_retry_after_becomes_an_hour() -> None:
    main = scripted("main", busy(1e9), says("Hello."))
    model = steady(main)
    await ask(model)
    await asyncio.sleep(3600.0)

    assert await ask(model) == "3600.00 Hello."


async def test_there_is_no_second_attempt_when_it_is_late() -> None:
    main = scripted("main", Line((Pause(29.9), Fall(ModelBroke("the connection broke")))))

    assert await ask(steady(main)) == "29.90 [ModelBroke: the connection broke]"
