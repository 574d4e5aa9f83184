"""What all ears have in common, whoever's they are."""

import asyncio
import re
from collections.abc import Callable

import pytest

from assistant.errors import SpeechError
from tests.models.speech.contract.ears import Ears, every_kind

APPOINTMENT = "When is my next appointment?"
STOP = "Please stop that now."


def words(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


@every_kind
async def test_what_is_said_is_written_down(make: Callable[[], Ears]) -> None:
    ears = make()
    heard = await ears.hearing.transcribe(ears.says(APPOINTMENT))
    assert words(heard.text) == words(APPOINTMENT)
    assert heard.text == heard.text.strip()
    assert 0.5 < heard.likely <= 1
    assert ears.hearing.name


@every_kind
async def test_where_nobody_speaks_there_is_no_text(make: Callable[[], Ears]) -> None:
    ears = make()
    assert (await ears.hearing.transcribe(ears.nobody())).text == ""


@every_kind
async def test_the_same_sound_is_understood_the_same_way_again(make: Callable[[], Ears]) -> None:
    ears = make()
    sound = ears.says(APPOINTMENT)
    assert await ears.hearing.transcribe(sound) == await ears.hearing.transcribe(sound)


@every_kind
async def test_each_who_speaks_at_the_same_time_gets_their_own_words(make: Callable[[], Ears]) -> None:
    ears = make()
    sounds = [ears.says(APPOINTMENT), ears.says(STOP)]
    heard = await asyncio.gather(*(ears.hearing.transcribe(sound) for sound in sounds))
    assert [words(one.text) for one in heard] == [words(APPOINTMENT), words(STOP)]


@every_kind
async def test_language_and_hint_may_be_given(make: Callable[[], Ears]) -> None:
    ears = make()
    heard = await ears.hearing.transcribe(
        ears.says(APPOINTMENT), locale="en-GB", hint="An appointment, or an order."
    )
    assert words(heard.text) == words(APPOINTMENT)


@every_kind
async def test_whoever_leaves_leaves_the_others_alone(make: Callable[[], Ears]) -> None:
    ears = make()
    sounds = [ears.says(APPOINTMENT), ears.says(STOP)]
    left, stays = [asyncio.ensure_future(ears.hearing.transcribe(sound)) for sound in sounds]
    await ears.clock.sleep(0)
    left.cancel()
    assert words((await stays).text) == words(STOP)
    assert left.cancelled()


@every_kind
async def test_a_failure_is_told_as_one_and_costs_nobody_else_anything(make: Callable[[], Ears]) -> None:
    ears = make()
    broken = ears.broken()
    with pytest.raises(SpeechError):
        await ears.hearing.transcribe(broken)
    assert words((await ears.hearing.transcribe(ears.says(STOP))).text) == words(STOP)
