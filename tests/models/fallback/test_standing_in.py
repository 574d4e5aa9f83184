"""Another model answers if the first one does not."""

from asyncio import sleep

import pytest
from structlog.testing import capture_logs

from assistant.conversation.chunks import StreamEnded
from assistant.resilience import CircuitBreaker
from assistant.testing.script import Line, breaks, says, stalls
from assistant.testing.virtual_time import VirtualClock
from tests.models.fallback.several import ask, broken, busy, refused, scripted, steady, times


@pytest.mark.parametrize(
    ("failures", "when"),
    [
        ([refused()], "0.00"),
        ([busy(60.0)], "0.00"),
        ([busy(None)] * 3, "0.38"),
        ([broken()] * 3, "0.38"),
        ([stalls()], "20.00"),
    ],
    ids=["refused", "busy for long", "busy", "broken", "silent"],
)
async def test_the_next_model_answers_and_is_named(failures: list[Line], when: str) -> None:
    main, spare = scripted("main", *failures), scripted("spare", says("Hello."))

    assert await ask(steady(main, spare)) == f"{when} Hello. (spare)"
    assert times(main) == len(failures)


async def test_the_order_is_kept_to_the_end() -> None:
    models = [scripted("a", refused()), scripted("b", refused()), scripted("c", says("Hello."))]

    assert await ask(steady(*models)) == "0.00 Hello. (c)"


async def test_each_model_has_its_own_number_of_attempts() -> None:
    main, spare = scripted("main", *[broken()] * 3), scripted("spare", *[broken()] * 2, says("Hello."))

    assert await ask(steady(main, spare)) == "0.75 Hello. (spare)"
    assert (times(main), times(spare)) == (3, 3)


async def test_if_all_fail_the_last_error_is_raised() -> None:
    model = steady(scripted("main", refused()), scripted("spare", busy(60.0)))

    assert await ask(model) == "0.00 [ModelBusy: slow down]"


async def test_half_an_answer_is_never_restarted_by_another_model() -> None:
    main, spare = scripted("main", breaks("Your appointment is")), scripted("spare")

    assert await ask(steady(main, spare)) == "0.00 Your appointment is[ModelBroke: the script broke off]"


async def test_every_model_gets_its_attempt_however_late_it_is() -> None:
    models = [scripted("a", stalls()), scripted("b", stalls()), scripted("c", says("Hello.", first_s=4.0))]

    assert await ask(steady(*models)) == "34.00 Hello. (c)"


async def test_the_attempt_of_the_last_model_is_short() -> None:
    models = [scripted(name, stalls()) for name in "abc"]

    assert await ask(steady(*models)) == "35.00 [ModelTimeout: the script is silent for 5 s]"


async def test_a_model_in_cooldown_is_skipped_immediately() -> None:
    main, spare = scripted("main", busy(60.0), says("Back.")), scripted("spare", *[says("Hello.")] * 2)
    model = steady(main, spare)

    assert [await ask(model), await ask(model)] == ["0.00 Hello. (spare)"] * 2
    assert times(main) == 1
    await sleep(60.0)
    assert await ask(model) == "60.00 Back."


async def test_a_failing_provider_is_skipped_with_all_its_models() -> None:
    circuit = CircuitBreaker("api.example", VirtualClock())
    for _ in range(5):
        circuit.failed()
    main, sister = scripted("main"), scripted("sister")

    told = await ask(steady(main, sister, circuit=circuit))

    assert told == "0.00 [ModelBusy: api.example is left alone for 15 s after 5 failures in a row]"


async def test_the_log_describes_each_step() -> None:
    main, spare = scripted("main", broken(), refused()), scripted("spare", says("Hello."))

    with capture_logs() as logged:
        await ask(steady(main, spare))

    again, following = logged
    assert again["event"] == "asking the model again"
    assert again["model"] == "main"
    assert again["why"] == "the connection broke"
    assert again["after_s"] == pytest.approx(0.12, abs=0.01)
    assert following == {
        "event": "asking the next model",
        "log_level": "warning",
        "instead_of": "main",
        "model": "spare",
        "why": "bad key",
    }


async def test_all_are_warmed_and_closed() -> None:
    class Warm:
        name = "warm"
        warmed = closed = False

        async def warm(self) -> None:
            self.warmed = True

        async def close(self) -> None:
            self.closed = True

    warm, plain = Warm(), scripted("plain")
    model = steady(warm, plain)  # pyright: ignore[reportArgumentType]
    await model.warm()
    await model.close()

    assert model.name == "warm"
    assert (warm.warmed, warm.closed, plain.closed) == (True, True, True)


async def test_a_stream_without_an_end_is_passed_on_without_one() -> None:
    assert await ask(steady(scripted("main", Line(())))) == "0.00 "


async def test_a_model_that_names_the_answering_model_keeps_that_name() -> None:
    main = scripted("main", Line((StreamEnded("stop", model="main-2026"),)))

    assert await ask(steady(main)) == "0.00  (main-2026)"
