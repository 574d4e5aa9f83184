"""Replies that are too long, call too much or never end: cut, told honestly, and the conversation continues."""

from assistant.conversation.chunks import StreamEnded, TextDelta
from assistant.conversation.entries import ModelChunks
from assistant.conversation.outcomes import CallFailed
from assistant.testing.chat import Chat
from assistant.testing.script import Line, Pause, calls, says
from assistant.turn.context import Limits
from tests.turn.conftest import Company

STOPPED = "I'm sorry, I had to stop there before I was finished. If you still need it, please ask me again."
WORDS = "We have many frames. "


async def test_a_text_that_is_too_long_is_cut_and_the_customer_is_told(company: Company) -> None:
    ana = company.chat(says([WORDS] * 100_000), says("At lunch."))

    await ana.says("Tell me about your frames")

    shown, stopped = ana.session.state.turns[-1].messages
    assert len(shown.text) <= Limits().reply_characters
    assert shown.text.startswith(WORDS * 1_000)
    assert (shown.kind, shown.interrupted, stopped.text) == ("status", True, STOPPED)
    assert recorded(ana) <= Limits().reply_characters
    assert await ana.says("When?") == "Assistant: At lunch."


async def test_one_huge_piece_of_text_is_cut_as_well(company: Company) -> None:
    ana = company.chat(says([WORDS * 1_000_000]))

    await ana.says("Tell me about your frames")

    assert recorded(ana) <= Limits().reply_characters


async def test_calls_beyond_the_limit_do_not_run_and_the_model_learns_why(company: Company) -> None:
    many = [("get_order_status", {"order": str(number)}) for number in range(5_000)]
    ana = company.chat(calls(*many), says("Here are the first orders; I could not look at the others."))

    heard = await ana.says("Where are my orders?")

    assert len(company.orders.ran) == 32
    assert heard.endswith("Assistant: Here are the first orders; I could not look at the others.")
    assert len(ana.session.state.turns[-1].outcomes) == 33
    refused = ana.session.state.turns[-1].outcomes["c1.33"]
    assert isinstance(refused, CallFailed)
    assert "one reply may contain 32 calls" in refused.for_model


async def test_endless_arguments_are_cut(company: Company) -> None:
    endless = '{"text": "' + "x" * 1_000_000
    ana = company.chat(calls(("add_note", endless)))

    assert await ana.says("Note that down") == f"Assistant: {STOPPED}"
    assert company.note.ran == []


async def test_an_endless_reply_is_stopped_after_its_time(company: Company) -> None:
    ana = company.chat(drips(10_000), says("Lunch."))

    await ana.says("Hello?")

    assert 119 < company.clock.monotonic() < 125
    assert ana.session.state.turns[-1].messages[-1].text == STOPPED
    assert await ana.says("When?") == "Assistant: Lunch."


async def test_an_answer_about_results_is_finished_by_the_templates(company: Company) -> None:
    ana = company.chat(calls("list_upcoming_appointments"), drips(10_000))

    assert (await ana.says("When am I due?")).endswith("From templates: list_upcoming_appointments ok.")


async def test_a_model_stops_generating_when_no_client_is_left(company: Company) -> None:
    ana = company.chat(drips(100))
    ana.disconnect()

    await ana.begins("Hello?")
    await ana.session.answered()

    assert 60 < company.clock.monotonic() < 63
    assert ana.session.state.turns[-1].messages[-1].text == STOPPED


async def test_a_client_that_returns_in_time_gets_the_whole_answer(company: Company) -> None:
    ana = company.chat(drips(80))
    ana.disconnect()
    await ana.begins("Hello?")
    await company.clock.sleep(50)
    ana.session.listen(ana.batches.append)

    await ana.session.answered()

    (answer,) = ana.session.state.turns[-1].messages
    assert answer.text.count("word") == 80


def drips(words: int) -> Line:
    """A word a second."""
    steps = [
        step for number in range(words) for step in (Pause(1.0), TextDelta(f"word {chr(97 + number % 26)}. "))
    ]
    return Line((*steps, StreamEnded("stop")))


def recorded(ana: Chat) -> int:
    """How many characters of the model's text are in the log."""
    entries = [logged.entry for batch in ana.batches for logged in batch]
    chunks = [chunk for entry in entries if isinstance(entry, ModelChunks) for _, chunk in entry.chunks]
    return sum(len(chunk.text) for chunk in chunks if isinstance(chunk, TextDelta))
