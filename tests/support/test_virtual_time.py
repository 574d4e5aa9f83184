"""Time in tests jumps, but never past running work."""

import asyncio
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from assistant.ports import Clock
from assistant.testing.virtual_time import MONDAY_MORNING, VirtualClock, VirtualLoop, run_virtually


@pytest.fixture(autouse=True)
def _in_no_time() -> Iterator[None]:
    began = time.monotonic()
    yield
    assert time.monotonic() - began < 2, "waited in real time"


def test_an_hour_takes_no_time() -> None:
    async def main() -> datetime:
        clock: Clock = VirtualClock()
        await clock.sleep(3600)
        return clock.now()

    assert run_virtually(main()) == MONDAY_MORNING + timedelta(hours=1)


def test_waits_end_in_the_order_of_their_times() -> None:
    async def main() -> list[tuple[int, float]]:
        clock, ended = VirtualClock(), list[tuple[int, float]]()

        async def wait(seconds: int) -> None:
            await clock.sleep(seconds)
            ended.append((seconds, clock.monotonic()))

        await asyncio.gather(wait(300), wait(2), wait(100_000))
        return ended

    assert run_virtually(main()) == [(2, 2.0), (300, 300.0), (100_000, 100_000.0)]


def test_time_stands_still_while_work_is_ready() -> None:
    async def main() -> float:
        clock = VirtualClock()
        asyncio.get_running_loop().call_later(60, lambda: None)
        for _ in range(50):
            await clock.sleep(0)
        return clock.monotonic()

    assert run_virtually(main()) == 0.0


def test_limits_end_in_virtual_time() -> None:
    async def main() -> float:
        clock = VirtualClock()
        with pytest.raises(TimeoutError):
            async with clock.timeout(30):
                await clock.sleep(31)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(asyncio.Event().wait(), 12)
        return clock.monotonic()

    assert run_virtually(main()) == 42.0


def test_a_threads_answer_comes_before_a_limit() -> None:
    def work() -> str:
        time.sleep(0.05)
        return "done"

    async def main() -> tuple[str, float]:
        async with asyncio.timeout(0.01):
            return await asyncio.to_thread(work), VirtualClock().monotonic()

    assert run_virtually(main()) == ("done", 0.0)


def test_a_custom_executor_is_waited_for_too() -> None:
    async def main() -> str:
        with ThreadPoolExecutor(1) as executor:
            async with asyncio.timeout(10):
                return await asyncio.get_running_loop().run_in_executor(executor, _slowly, "done")

    assert run_virtually(main()) == "done"


def test_a_hanging_thread_meets_its_limit_in_real_time() -> None:
    released = threading.Event()

    async def main() -> float:
        clock = VirtualClock()
        with pytest.raises(TimeoutError):
            async with clock.timeout(0.05):
                await asyncio.to_thread(released.wait)
        met_at = clock.monotonic()
        released.set()
        return met_at

    began = time.monotonic()
    assert 0.05 <= run_virtually(main()) < 1
    assert time.monotonic() - began > 0.25


def test_time_jumps_again_after_a_thread_has_ended() -> None:
    async def main() -> float:
        await asyncio.to_thread(_slowly, "done")
        await asyncio.sleep(5000)
        return VirtualClock().monotonic()

    assert run_virtually(main()) == 5000


def test_a_custom_thread_is_waited_for_if_the_loop_is_told() -> None:
    async def main() -> str:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        answer = loop.create_future()

        def come_back() -> None:
            loop.thread_ends()
            answer.set_result("done")

        def work() -> None:
            _slowly("")
            loop.call_soon_threadsafe(come_back)

        loop.thread_begins()
        threading.Thread(target=work).start()
        async with asyncio.timeout(10):
            return await answer

    assert run_virtually(main()) == "done"


def test_a_failing_thread_fails_as_usual() -> None:
    def work() -> None:
        raise ValueError("broken")

    async def main() -> float:
        with pytest.raises(ValueError, match="broken"):
            await asyncio.to_thread(work)
        await asyncio.sleep(5000)
        return VirtualClock().monotonic()

    assert run_virtually(main()) >= 5000


def test_bytes_in_a_socket_come_before_a_limit() -> None:
    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(await reader.readline())
        await writer.drain()
        writer.close()

    async def main() -> tuple[list[bytes], float]:
        server = await asyncio.start_server(echo, "127.0.0.1", 0)
        port: int = server.sockets[0].getsockname()[1]
        heard = list[bytes]()
        async with server:
            for _ in range(20):
                async with asyncio.timeout(5):
                    reader, writer = await asyncio.open_connection("127.0.0.1", port)
                    writer.write(b"hello\n")
                    heard.append(await reader.readline())
                    writer.close()
                    await writer.wait_closed()
        return heard, VirtualClock().monotonic()

    heard, spent_s = run_virtually(main())

    assert heard == [b"hello\n"] * 20
    assert spent_s < 5


def test_a_wait_without_a_timer_is_served_by_any_thread() -> None:
    async def main() -> str:
        loop = asyncio.get_running_loop()
        answer = loop.create_future()
        threading.Thread(target=loop.call_soon_threadsafe, args=(answer.set_result, "done")).start()
        return await answer

    assert run_virtually(main()) == "done"


def test_a_thread_that_runs_longer_than_its_loop_is_abandoned() -> None:
    released = threading.Event()

    async def main(executor: ThreadPoolExecutor) -> None:
        asyncio.get_running_loop().run_in_executor(executor, released.wait)

    with ThreadPoolExecutor(1) as executor:
        run_virtually(main(executor))
        released.set()


def test_the_clock_has_the_companys_time_zone() -> None:
    clock = VirtualClock(datetime(2026, 7, 1, 12, 0, tzinfo=UTC), ZoneInfo("Europe/Berlin"))

    assert clock.now().hour == 14
    assert clock.now_ms() == 1_782_907_200_000


def test_the_clock_keeps_real_hours_when_summer_time_begins() -> None:
    async def main() -> datetime:
        clock = VirtualClock(datetime(2026, 3, 29, 1, 30, tzinfo=ZoneInfo("Europe/Berlin")))
        await clock.sleep(3600)
        return clock.now()

    assert run_virtually(main()).hour == 3


def test_outside_a_loop_the_clock_shows_its_start() -> None:
    assert VirtualClock().now() == MONDAY_MORNING


def test_milliseconds_and_time_agree() -> None:
    async def main() -> tuple[int, int]:
        clock = VirtualClock()
        await clock.sleep(0.1)
        await clock.sleep(0.2)
        return clock.now_ms(), round(clock.now().timestamp() * 1000)

    assert run_virtually(main()) == (1_772_442_000_300, 1_772_442_000_300)


def _slowly(answer: str) -> str:
    time.sleep(0.05)
    return answer
