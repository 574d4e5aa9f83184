"""A spoken acknowledgement hardly delays the first fact: over many timings, with and without it."""

from assistant.prompts.book import shipped_book
from assistant.store.memory_log import MemoryLog
from assistant.testing.chat import deps_for, open_chat
from assistant.testing.fake_tool import Gives
from assistant.testing.script import calls, says
from assistant.testing.scripted_model import ScriptedModel
from assistant.testing.virtual_time import run_virtually
from assistant.voice.scheduler import FIRST_WORDS_S
from tests.support.rows import check_rows
from tests.support.spoken_chat import SpokenChat
from tests.turn.conftest import Company

MOST_LATER_S = 0.3
FACT = "You are booked for Tuesday."


async def first_words_and_fact(
    lookup_s: float, expected_s: float, *, acknowledged: bool
) -> tuple[float, float]:
    """The times from the end of the question to the first heard words, and to the first fact."""
    company = Company()
    company.respec(company.appointments, acknowledge="auto" if acknowledged else "never")
    company.appointments.behaviour = Gives(["Tuesday"], after_s=lookup_s)
    lines = calls("list_upcoming_appointments", first_s=0.2), says(FACT, first_s=0.2)
    deps = deps_for(ScriptedModel(*lines, clock=company.clock), company.tools, shipped_book(), company.clock)
    chat = open_chat(deps, MemoryLog())
    async with SpokenChat(chat=chat, clock=company.clock, understood=["Check my appointments"]) as ana:
        ana.voice.waits.note(["list_upcoming_appointments"], expected_s)
        end = ana.speaks(0.5) + 0.5
        await company.clock.sleep(0.5)
        await ana.listens()
    begun = [sound for sound in ana.loudspeaker.sounds if sound.began_at is not None and sound.clip.text]
    fact = next(sound for sound in begun if sound.clip.text.startswith("You are"))
    return (begun[0].began_at or 0.0) - end, (fact.began_at or 0.0) - end


@check_rows("expected_s", [0.3, 1.5, 4.0])
@check_rows("lookup_s", [0.0, 0.05, 0.3, 0.6, 0.9, 1.1, 1.4, 1.9, 2.7, 3.6])
def test_the_first_fact_is_hardly_later(lookup_s: float, expected_s: float) -> None:
    words_s, fact_s = run_virtually(first_words_and_fact(lookup_s, expected_s, acknowledged=True))
    _, bare_s = run_virtually(first_words_and_fact(lookup_s, expected_s, acknowledged=False))
    least_s = lookup_s + 0.4  # the model is asked twice
    assert fact_s <= bare_s + MOST_LATER_S + 0.001
    assert fact_s >= least_s
    assert words_s <= FIRST_WORDS_S
