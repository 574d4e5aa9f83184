"""A provider that keeps failing is left alone, and tried again by one alone."""

from asyncio import ensure_future, gather, sleep, wait

import pytest

from assistant.models.steady.circuit import Circuit
from assistant.testing.script import says, stalls
from assistant.testing.virtual_time import VirtualClock
from tests.models.steady.several import ask, broken, refused, scripted, steady, times


def opened() -> Circuit:
    circuit = Circuit("api.example", VirtualClock())
    for _ in range(5):
        assert circuit.shut() is None
        circuit.enter()
        circuit.failed()
    return circuit


def rest_s(circuit: Circuit) -> float | None:
    busy = circuit.shut()
    return busy.retry_after_s if busy is not None else None


async def test_five_failures_in_a_row_open_it_for_a_while() -> None:
    circuit = opened()

    assert rest_s(circuit) == 15.0
    assert str(circuit.shut()) == "api.example is left alone for 15 s after 5 failures in a row"
    await sleep(14.0)
    assert rest_s(circuit) == 1.0
    await sleep(1.0)
    assert circuit.shut() is None


async def test_an_answer_in_between_begins_the_count_anew() -> None:
    circuit = Circuit("api.example", VirtualClock())
    for _ in range(3):
        for _ in range(4):
            circuit.failed()
        circuit.answered()

    assert circuit.shut() is None


async def test_one_alone_tries_whether_it_is_back() -> None:
    circuit = opened()
    await sleep(15.0)
    circuit.enter()

    assert str(circuit.shut()) == "api.example has failed 5 times in a row and is being tried"
    circuit.answered()
    assert circuit.shut() is None


async def test_whoever_tried_and_left_makes_room_for_another() -> None:
    circuit = opened()
    await sleep(15.0)
    circuit.enter()
    circuit.left()

    assert circuit.shut() is None


async def test_it_rests_twice_as_long_after_each_try_in_vain_up_to_a_minute() -> None:
    circuit = opened()
    rests: list[float | None] = []
    for _ in range(4):
        await sleep(rest_s(circuit) or 0.0)
        circuit.enter()
        circuit.failed()
        rests.append(rest_s(circuit))

    assert rests == [30.0, 60.0, 60.0, 60.0]


async def test_after_an_answer_it_rests_no_longer_than_the_first_time() -> None:
    circuit = opened()
    await sleep(15.0)
    circuit.enter()
    circuit.failed()
    await sleep(30.0)
    circuit.enter()
    circuit.answered()

    for _ in range(5):
        circuit.failed()

    assert rest_s(circuit) == 15.0


async def test_a_failing_provider_is_not_asked_by_later_customers_until_it_answers_one() -> None:
    main = scripted("main", *[broken()] * 5, says("Back."), says("Hello."))
    model = steady(main, tries=5)

    assert await ask(model) == "1.88 [ModelBroke: the connection broke]"
    assert "[ModelBusy: main.example is left alone for 15 s" in await ask(model)
    assert times(main) == 5
    await sleep(15.0)
    assert await ask(model) == "16.88 Back."
    assert await ask(model) == "16.88 Hello."


async def test_who_comes_while_it_is_tried_waits_a_moment() -> None:
    main = scripted("main", says("One.", first_s=0.5), says("Two."))
    circuit = opened()
    model = steady(main, circuit=circuit)
    await sleep(15.0)
    assert await gather(ask(model), ask(model)) == ["15.50 One.", "16.00 Two."]


async def test_a_refusal_is_an_answer() -> None:
    circuit = opened()
    await sleep(15.0)
    model = steady(scripted("main", refused(), says("Hello.")), circuit=circuit)

    assert await ask(model) == "15.00 [ModelRefused: bad key]"
    circuit.failed()
    assert circuit.shut() is None  # the count began anew
    assert await ask(model) == "15.00 Hello."


@pytest.mark.parametrize("failures", range(5))
async def test_fewer_failures_leave_it_closed(failures: int) -> None:
    circuit = Circuit("api.example", VirtualClock())
    for _ in range(failures):
        circuit.failed()

    assert circuit.shut() is None


async def test_whoever_tries_and_goes_away_leaves_the_try_to_another() -> None:
    circuit = opened()
    await sleep(15.0)
    model = steady(scripted("main", stalls(), says("Hello.")), circuit=circuit)
    trying = ensure_future(ask(model))
    await sleep(1.0)
    trying.cancel()
    await wait({trying})

    assert await ask(model) == "16.00 Hello."
