"""A conversation whose server ended in the middle is recorded so that a replay ends and starts again there."""

import asyncio
from contextlib import suppress

import pytest

from assistant.conversation.entries import CallRequested, Logged
from assistant.errors import LogError
from assistant.prompts.book import shipped_book
from assistant.replay.player.environment import environment_with
from assistant.replay.player.play import replay
from assistant.replay.recording.recorder import cassette_from_log, compare_with_replay
from assistant.store.memory_log import MemoryLog
from assistant.testing.chat import ANA, KEY, StoppingLog
from assistant.testing.fake_tool import Gives
from assistant.testing.script import calls, says
from tests.turn.conftest import Company

LOOKUPS = calls("list_upcoming_appointments", "get_opening_hours", first_s=0.3, each_s=0.05)
ANSWER = says("You are booked for Tuesday. Please bring your old glasses along.", first_s=0.3, each_s=0.05)


async def log_of_two_lives(company: Company, most: int) -> list[Logged]:
    """The log of a conversation whose first server stopped after this number of entries."""
    stopping = StoppingLog(most)
    first = company.chat(LOOKUPS, ANSWER, log=stopping)
    with suppress(LogError):
        await first.session.welcome(ANA)
        await first.says("Check my appointments and hours")
    company.models.clear()  # the first life's script need not be used up
    kept = stopping.kept
    log = MemoryLog()
    await log.append(KEY, kept)
    decided = any(isinstance(logged.entry, CallRequested) for logged in kept)
    await company.clock.sleep(3)
    second = company.chat(*([] if decided else [LOOKUPS]), ANSWER, log=log, entries=kept)
    second.session.resume()
    await second.session.answered()
    return await log.read(KEY)


@pytest.mark.parametrize("most", [4, 6, 8, 11, 14, 19])
async def test_it_ends_and_starts_again_at_the_same_place(company: Company, most: int) -> None:
    company.appointments.behaviour = Gives([{"when": "2026-03-10T14:00"}], after_s=0.2)
    entries = await log_of_two_lives(company, most)

    cassette = cassette_from_log(entries, KEY)
    played = await asyncio.to_thread(replay, cassette, environment_with(shipped_book(), company.tools))

    assert [event.happens for event in cassette.turns[0].meanwhile] == ["restart"]
    assert compare_with_replay(cassette, played).difference == ""
    assert played.unscripted == ()
