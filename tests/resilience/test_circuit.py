"""A service that keeps failing is not asked for a while, and then tried by one caller alone."""

from asyncio import sleep

import pytest

from assistant.resilience import CircuitBreaker
from assistant.testing.virtual_time import VirtualClock


def opened() -> CircuitBreaker:
    circuit = CircuitBreaker("api.example", VirtualClock())
    for _ in range(5):
        assert circuit.open() is None
        circuit.enter()
        circuit.failed()
    return circuit


def rest_s(circuit: CircuitBreaker) -> float | None:
    shut = circuit.open()
    return shut.retry_after_s if shut is not None else None


async def test_five_failures_in_a_row_open_the_circuit_for_a_while() -> None:
    circuit = opened()

    assert rest_s(circuit) == 15.0
    assert str(circuit.open()) == "api.example is left alone for 15 s after 5 failures in a row"
    await sleep(14.0)
    assert rest_s(circuit) == 1.0
    await sleep(1.0)
    assert circuit.open() is None


async def test_an_answer_in_between_restarts_the_count() -> None:
    circuit = CircuitBreaker("api.example", VirtualClock())
    for _ in range(3):
        for _ in range(4):
            circuit.failed()
        circuit.answered()

    assert circuit.open() is None


async def test_one_caller_alone_tries_again() -> None:
    circuit = opened()
    await sleep(15.0)
    circuit.enter()

    assert str(circuit.open()) == "api.example has failed 5 times in a row and is being tried"
    circuit.answered()
    assert circuit.open() is None


async def test_a_caller_that_leaves_lets_another_try() -> None:
    circuit = opened()
    await sleep(15.0)
    circuit.enter()
    circuit.left()

    assert circuit.open() is None


async def test_it_stays_open_twice_as_long_after_each_failure_up_to_a_minute() -> None:
    circuit = opened()
    rests: list[float | None] = []
    for _ in range(4):
        await sleep(rest_s(circuit) or 0.0)
        circuit.enter()
        circuit.failed()
        rests.append(rest_s(circuit))

    assert rests == [30.0, 60.0, 60.0, 60.0]


async def test_after_an_answer_it_opens_no_longer_than_the_first_time() -> None:
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


@pytest.mark.parametrize("failures", range(5))
async def test_fewer_failures_leave_it_closed(failures: int) -> None:
    circuit = CircuitBreaker("api.example", VirtualClock())
    for _ in range(failures):
        circuit.failed()

    assert circuit.open() is None
