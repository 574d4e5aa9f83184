"""A provider that keeps failing is not asked, and then tried by one caller alone."""

from asyncio import ensure_future, gather, sleep, wait

from assistant.resilience import CircuitBreaker
from assistant.testing.script import says, stalls
from assistant.testing.virtual_time import VirtualClock
from tests.models.fallback.several import ask, broken, refused, scripted, steady, times


def opened() -> CircuitBreaker:
    circuit = CircuitBreaker("api.example", VirtualClock())
    for _ in range(5):
        assert circuit.open() is None
        circuit.enter()
        circuit.failed()
    return circuit


async def test_a_failing_provider_is_not_asked_until_it_answers_again() -> None:
    main = scripted("main", *[broken()] * 5, says("Back."), says("Hello."))
    model = steady(main, tries=5)

    assert await ask(model) == "1.88 [ModelBroke: the connection broke]"
    assert "[ModelBusy: main.example is left alone for 15 s" in await ask(model)
    assert times(main) == 5
    await sleep(15.0)
    assert await ask(model) == "16.88 Back."
    assert await ask(model) == "16.88 Hello."


async def test_other_callers_wait_while_one_tries() -> None:
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
    assert circuit.open() is None  # the count began anew
    assert await ask(model) == "15.00 Hello."


async def test_a_caller_that_leaves_lets_another_try() -> None:
    circuit = opened()
    await sleep(15.0)
    model = steady(scripted("main", stalls(), says("Hello.")), circuit=circuit)
    trying = ensure_future(ask(model))
    await sleep(1.0)
    trying.cancel()
    await wait({trying})

    assert await ask(model) == "16.00 Hello."
