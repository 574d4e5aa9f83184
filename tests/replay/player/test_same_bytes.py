"""The same cassette gives the same bytes: again, after others, elsewhere, and in another process."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import orjson
import pytest

from assistant.replay.player.environment import ReplayEnvironment
from assistant.replay.player.play import play, replay
from assistant.testing.virtual_time import run_virtually
from tests.replay.player.every_cassette import EVERY, digest, digests

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def first(environment: ReplayEnvironment) -> dict[str, str]:
    return digests(environment, list(EVERY))


def test_every_cassette_gives_another_conversation(first: dict[str, str]) -> None:
    assert len(set(first.values())) == len(EVERY)


def test_a_second_run_after_any_other_gives_the_same(
    environment: ReplayEnvironment, first: dict[str, str]
) -> None:
    assert digests(environment, list(reversed(EVERY))) == first


@pytest.mark.slow
def test_another_process_with_other_hashes_gives_the_same(first: dict[str, str]) -> None:
    variables = {**os.environ, "PYTHONHASHSEED": "4711", "TZ": "Asia/Tokyo"}

    elsewhere = subprocess.run(
        [sys.executable, "-m", "tests.replay.player.every_cassette"],
        cwd=ROOT,
        env=variables,
        check=True,
        capture_output=True,
        timeout=60,
    )

    assert orjson.loads(elsewhere.stdout) == first


def test_a_thread_gives_the_same(environment: ReplayEnvironment, first: dict[str, str]) -> None:
    found: list[str] = []

    thread = threading.Thread(target=lambda: found.append(digest(replay(EVERY["plain"], environment))))
    thread.start()
    thread.join(30)

    assert found == [first["plain"]]


async def test_another_running_loop_gives_the_same(
    environment: ReplayEnvironment, first: dict[str, str]
) -> None:
    assert digest(replay(EVERY["plain"], environment)) == first["plain"]


def test_on_an_old_loop_it_begins_at_the_right_time(environment: ReplayEnvironment) -> None:
    async def twice() -> None:
        one = await play(EVERY["plain"], environment)
        two = await play(EVERY["plain"], environment)
        assert two.began_ms == one.began_ms
        assert [heard.frame["type"] for heard in two.frames] == [heard.frame["type"] for heard in one.frames]

    run_virtually(twice())


def test_concurrent_replays_do_not_affect_each_other(
    environment: ReplayEnvironment, first: dict[str, str]
) -> None:
    found: dict[str, str] = {}

    def one(name: str) -> None:
        found.update(digests(environment, [name]))

    threads = [threading.Thread(target=one, args=[name]) for name in EVERY]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)

    assert found == first
