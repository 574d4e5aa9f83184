"""The customer speaks while the assistant does."""

import pytest

from assistant.conversation.entries import CustomerMessage, DeliveryReceipt
from assistant.conversation.turn_state import AssistantMessage
from assistant.errors import SpeechError
from assistant.prompts.book import shipped_book
from assistant.testing.chat import Chat
from assistant.testing.fake_tool import Gives
from assistant.testing.script import calls, says
from assistant.voice.barge_in import UtteranceMeaning, classify_utterance
from tests.support.spoken_chat import SpokenChat
from tests.turn.conftest import Company

LONG = "Your next appointment is with Doctor Weber at the shop, and you have no open bills at all."
WAIT, ANYTHING = "Wait, not that one.", "And my order?"


def spoken(company: Company, chat: Chat, *understood: str | SpeechError) -> SpokenChat:
    return SpokenChat(chat=chat, clock=company.clock, understood=understood)


def first_message(chat: Chat) -> AssistantMessage:
    return chat.session.state.turns[0].messages[0]


async def is_speaking(ana: SpokenChat, for_s: float) -> None:
    """The assistant has been speaking for this time."""
    ana.speaks(1.0)
    while ana.loudspeaker.playing is None or ana.loudspeaker.playing.clip.message_id is None:
        await ana.clock.sleep(0.02)
    await ana.clock.sleep(for_s)


async def test_an_interruption_ends_the_answer(company: Company) -> None:
    chat = company.chat(says(LONG, each_s=0.6), says("All right."))
    async with spoken(company, chat, "When?", WAIT) as ana:
        await is_speaking(ana, 1.5)
        await ana.says(1.0)
    first = first_message(chat)
    assert first.interrupted
    assert first.text[: first.heard] == ana.loudspeaker.heard(first.id)
    assert chat.session.state.turns[0].how == "interrupted"
    assert ana.heard[-1] == "All right."


async def test_the_heard_position_is_logged_before_the_customers_message(company: Company) -> None:
    chat = company.chat(says(LONG), says("All right."))
    async with spoken(company, chat, "When?", WAIT) as ana:
        await is_speaking(ana, 2.0)
        await ana.says(1.0)
    entries = [logged.entry for logged in chat.session.entries]
    said = max(at for at, entry in enumerate(entries) if isinstance(entry, CustomerMessage))
    told = [entry for entry in entries[:said] if isinstance(entry, DeliveryReceipt) and entry.how == "heard"]
    assert told[-1].up_to == first_message(chat).heard
    assert not [
        entry
        for entry in entries[said:]
        if isinstance(entry, DeliveryReceipt) and entry.message_id == "t1/m1"
    ]


@pytest.mark.parametrize("noise", ["", "mhm", "Okay."])
async def test_a_cough_or_a_backchannel_does_not_interrupt(company: Company, noise: str) -> None:
    chat = company.chat(says(LONG))
    async with spoken(company, chat, "When?", noise) as ana:
        await is_speaking(ana, 1.5)
        await ana.says(0.3)
    assert len(ana.loudspeaker.silent_at) == 1
    assert " ".join(sound.clip.text.strip() for sound in ana.loudspeaker.sounds) == LONG
    assert first_message(chat).heard == len(LONG)
    assert len(chat.session.state.turns) == 1


async def test_a_longer_utterance_is_a_message(company: Company) -> None:
    chat = company.chat(says(LONG), says("All right."))
    async with spoken(company, chat, "When?", "mhm", "mhm, but wait, not that one") as ana:
        await is_speaking(ana, 1.0)
        ana.speaks(0.3)
        await company.clock.sleep(0.3 + 0.4)
        await ana.says(0.6)
    assert chat.session.state.turns[1].message.text == "mhm, but wait, not that one"
    heard = first_message(chat).heard
    assert heard is not None
    assert 0 < heard < len(LONG)


async def test_an_unintelligible_interruption_lets_the_assistant_continue(
    company: Company,
) -> None:
    chat = company.chat(says(LONG))
    async with spoken(company, chat, "When?", SpeechError("broken")) as ana:
        await is_speaking(ana, 1.0)
        await ana.says(0.5)
    assert first_message(chat).heard == len(LONG)
    assert "make out" in " ".join(ana.heard)


async def test_an_interrupted_acknowledgement_still_leads_to_the_answer(company: Company) -> None:
    chat = company.chat(
        calls("list_upcoming_appointments"),
        says("Gladly."),
        says("Welcome."),
        says("Your appointment is on March 10."),
        appointments=Gives([{"when": "2026-03-10"}], after_s=2.5),
    )
    async with spoken(company, chat, "When?", ANYTHING, "Thanks") as ana:
        ana.voice.waits.note(["list_upcoming_appointments"], 5.0)
        await is_speaking(ana, 0.5)
        await ana.says(1.0)
        await ana.says(0.5)
    said = " ".join(ana.heard)
    assert said.count("March 10") == 1
    assert said.count("Gladly.") == 1


async def test_unheard_messages_wait_their_turn(company: Company) -> None:
    booked = says("You are booked for Tuesday.", first_s=4.0)
    chat = company.chat(calls("list_upcoming_appointments"), booked, says("It is on its way."))
    async with spoken(company, chat, "When?", ANYTHING) as ana:
        ana.speaks(1.0)
        await company.clock.sleep(4.8)
        await ana.says(0.8)
    assert [turn.how for turn in chat.session.state.turns] == ["answered", "answered"]
    assert ana.heard[-2:] == ["You are booked for Tuesday.", "It is on its way."]


@pytest.mark.parametrize(
    ("text", "interrupts", "asked", "meaning"),
    [
        (" ", True, False, "silence"),
        ("mhm", True, False, "backchannel"),
        ("mhm", False, False, "words"),
        ("okay", True, True, "words"),
        ("What about my order?", True, False, "words"),
    ],
)
def test_the_meaning_of_an_utterance_depends_on_the_situation(
    text: str, interrupts: bool, asked: bool, meaning: UtteranceMeaning
) -> None:
    words = shipped_book().words("en").listening
    assert classify_utterance(text, words, interrupts=interrupts, asked=asked) == meaning
