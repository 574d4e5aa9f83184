"""The clock shows the company's time, from any given start."""

import time
from datetime import UTC, datetime, timedelta, timezone

import pytest

from assistant.clock import SystemClock
from assistant.errors import DeclarationError
from assistant.ports import Clock


def test_it_implements_the_port() -> None:
    clock: Clock = SystemClock()

    assert clock.now().tzinfo is not None


def test_without_a_start_it_shows_the_real_time() -> None:
    before = int(time.time() * 1000)
    clock = SystemClock("UTC")

    assert before <= clock.now_ms() <= int(time.time() * 1000)
    assert abs(clock.now().timestamp() - time.time()) < 5


def test_it_starts_at_the_given_time_and_runs_on() -> None:
    start = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
    clock = SystemClock("UTC", start)

    first = clock.now()
    while clock.now() == first:
        pass

    assert timedelta(0) <= first - start < timedelta(seconds=5)
    assert abs(clock.now_ms() - start.timestamp() * 1000) < 5_000


def test_the_time_is_in_the_companys_zone() -> None:
    clock = SystemClock("Europe/Berlin", datetime(2026, 7, 1, 12, 0, tzinfo=UTC))

    assert clock.now().hour == 14
    assert str(clock.now().tzinfo) == "Europe/Berlin"


def test_a_start_without_a_zone_is_in_the_companys_zone() -> None:
    clock = SystemClock(timezone(timedelta(hours=2)), datetime(2026, 7, 1, 12, 0))  # noqa: DTZ001

    assert clock.now().astimezone(UTC).hour == 10


def test_a_start_without_any_zone_is_in_the_machines_zone() -> None:
    naive = datetime(2026, 7, 1, 12, 0)  # noqa: DTZ001

    assert SystemClock(start=naive).now().hour == 12


@pytest.mark.parametrize("name", ["Middle/Earth", "", "../etc/passwd"])
def test_an_unknown_zone_stops_the_start_with_the_solution(name: str) -> None:
    with pytest.raises(DeclarationError, match="Europe/Berlin"):
        SystemClock(name)


async def test_its_limits_and_waits_use_the_event_loop() -> None:
    clock = SystemClock()
    before = clock.monotonic()

    with pytest.raises(TimeoutError):
        async with clock.timeout(0.001):
            await clock.sleep(60)
    async with clock.timeout(None):
        await clock.sleep(0)

    assert clock.monotonic() > before
