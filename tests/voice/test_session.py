"""Spoken conversations: speech becomes messages, and answers are heard."""

import pytest

from assistant.conversation.entries import CustomerMessage
from assistant.errors import SpeechError
from assistant.testing.chat import Chat
from assistant.testing.fake_tool import Gives
from assistant.testing.script import calls, says
from assistant.voice.scheduler import FIRST_WORDS_S
from tests.support.handoff_scenario import HandoffScenario
from tests.support.spoken_chat import SpokenChat
from tests.turn.conftest import Company

ANSWER = "Your appointment is with Doctor Weber. You have no open bills."
QUESTION = "When is my appointment?"
LOOKUP = calls("list_upcoming_appointments")
PROMISE = "Sure, I'll look up your appointments."


def spoken(company: Company, chat: Chat, *understood: str | SpeechError) -> SpokenChat:
    return SpokenChat(chat=chat, clock=company.clock, understood=understood)


def said(ana: SpokenChat) -> list[CustomerMessage]:
    entries = (logged.entry for logged in ana.chat.session.entries)
    return [entry for entry in entries if isinstance(entry, CustomerMessage)]


def texts(ana: SpokenChat) -> list[str]:
    return [one.text for one in said(ana)]


async def test_a_question_is_answered_in_speech(company: Company) -> None:
    chat = company.chat(says(ANSWER, each_s=0.02))
    async with spoken(company, chat, QUESTION) as ana:
        await ana.says()

    (one,) = said(ana)
    assert (one.text, one.spoken, one.client_message_id) == (QUESTION, True, "v-said-1")
    assert " ".join(ana.heard) == ANSWER
    assert chat.session.state.turns[0].messages[0].heard == len(ANSWER)
    assert ana.loudspeaker.captions == [(QUESTION, False), (QUESTION, True)]
    assert ana.loudspeaker.shown == ["listening", "hearing", "thinking", "speaking", "listening"]


async def test_speech_transcribed_at_a_pause_is_not_transcribed_again(company: Company) -> None:
    async with spoken(company, company.chat(says(ANSWER)), QUESTION) as ana:
        await ana.says()
        assert len(ana.speech_to_text.heard) == 1


async def test_a_customer_who_continues_after_a_pause_says_one_message(company: Company) -> None:
    chat = company.chat(says(ANSWER))
    async with spoken(company, chat, "When is", QUESTION) as ana:
        ana.speaks(0.5)
        await company.clock.sleep(0.5 + 0.45)
        await ana.says(0.5)
        assert len(ana.speech_to_text.heard) == 2
    assert texts(ana) == [QUESTION]


@pytest.mark.parametrize("nothing", ["", "  "])
async def test_a_cough_is_no_message(company: Company, nothing: str) -> None:
    async with spoken(company, company.chat(), nothing) as ana:
        await ana.says(0.3)
    assert texts(ana) == []
    assert ana.loudspeaker.sounds == []


async def test_unintelligible_speech_is_reported_and_the_next_is_taken(company: Company) -> None:
    chat = company.chat(says(ANSWER))
    async with spoken(company, chat, SpeechError("broken"), QUESTION) as ana:
        await ana.says()
        assert [words for words in ana.heard if "make out" in words]
        assert ana.loudspeaker.told == [
            "I'm sorry, I couldn't make out what you said just now. Could you say it again?"
        ]
        await ana.says(1.0)
    assert texts(ana) == [QUESTION]


async def test_a_customer_who_says_too_much_at_once_is_told(company: Company) -> None:
    numbers = [str(number) for number in range(1, 9)]
    chat = company.chat(*[says("Done.", first_s=18.0)] * 9)
    async with SpokenChat(chat=chat, clock=company.clock, understood=numbers, speak=False) as ana:
        for _ in range(7):
            ana.speaks(0.3)
            await company.clock.sleep(2.5)
        await ana.listens()
    assert texts(ana) == numbers[:6]
    assert [told.partition(" with")[0] for told in ana.loudspeaker.told] == ["I'm still busy"]
    company.models.clear()  # how often a silent model is asked again is not the line's


async def test_while_the_button_is_held_the_utterance_does_not_end(company: Company) -> None:
    chat = company.chat(says(ANSWER))
    async with SpokenChat(chat=chat, clock=company.clock, understood=[QUESTION], mode="push_to_talk") as ana:
        ana.speaks(0.5)
        await company.clock.sleep(3.0)
        assert texts(ana) == []
        ana.line.finish_utterance()
        await company.clock.sleep(0.2)
        assert texts(ana) == [QUESTION]
        ana.line.configure(mode="hands_free")
        await company.clock.sleep(6.0)
    assert " ".join(ana.heard) == ANSWER


async def test_with_speech_turned_off_answers_are_written(company: Company) -> None:
    chat = company.chat(says(ANSWER))
    async with SpokenChat(chat=chat, clock=company.clock, understood=[QUESTION], speak=False) as ana:
        await ana.says()
    assert ana.loudspeaker.sounds == []
    assert chat.session.state.turns[0].messages[0].heard is None


async def test_twice_as_fast_takes_half_the_time(company: Company) -> None:
    chat = company.chat(says(ANSWER))
    async with SpokenChat(chat=chat, clock=company.clock, understood=[QUESTION], tempo=2.0) as ana:
        await ana.says()
    assert sum(sound.came_ms for sound in ana.loudspeaker.sounds) == pytest.approx(len(ANSWER) * 30, abs=100)


async def test_only_the_message_that_is_streaming_at_the_start_is_spoken(
    company: Company,
) -> None:
    chat = company.chat(says("Hello."), says(ANSWER, each_s=0.1))
    await chat.says("Hi")
    await chat.begins("When?")
    await company.clock.sleep(0.5)
    async with spoken(company, chat) as ana:
        await ana.listens()
    assert " ".join(ana.heard) == ANSWER


async def test_a_typed_message_is_answered_in_speech_and_cuts_the_speech(company: Company) -> None:
    chat = company.chat(says(ANSWER), says("Gladly."))
    async with spoken(company, chat) as ana:
        await chat.begins("When?")
        await company.clock.sleep(1.5)
        await ana.line.stop_speaking()
        heard = chat.session.state.turns[0].messages[0].heard
        await chat.begins("Thanks")
        await ana.listens()
    assert heard is not None
    assert 0 < heard < len(ANSWER)
    assert ana.heard[-1] == "Gladly."
    assert ANSWER[: chat.session.state.turns[0].messages[0].heard or 0] == ana.heard[0]


async def test_a_stopped_answer_falls_silent(company: Company) -> None:
    chat = company.chat(says(ANSWER, each_s=0.3))
    async with spoken(company, chat) as ana:
        await chat.begins("When?")
        await company.clock.sleep(2.5)
        await chat.session.stop()
        await ana.listens()
    assert chat.session.state.turns[0].messages[0].interrupted
    assert len(" ".join(ana.heard)) < len(ANSWER) / 2


async def test_a_key_answers_an_open_question(company: Company) -> None:
    lines = calls(("cancel_appointment", {"day": "Tuesday"})), says("It is cancelled.")
    chat = company.chat(*lines)
    async with spoken(company, chat, "Cancel it") as ana:
        assert not await ana.line.press_key("1")
        await ana.says()
        assert not await ana.line.press_key("7")
        assert await ana.line.press_key("1")
        await ana.listens()
    assert [(one.text, one.button, one.spoken) for one in said(ana)][1:] == [("yes", "yes", True)]
    assert ana.heard[-1] == "It is cancelled."


async def test_an_agents_messages_are_spoken_too() -> None:
    scenario = HandoffScenario()
    chat = await scenario.opens(says("Gladly."))
    async with SpokenChat(chat=chat, clock=scenario.clock, understood=["A person, please"]) as ana:
        await ana.says()
        await scenario.handoffs.attach(chat.session).accept("Maria")
        await scenario.handoff.say("h1", "Maria", "This is Maria. How can I help?")
        await ana.listens()
        await scenario.stops(chat)
    assert ana.heard[-2:] == ["This is Maria.", "How can I help?"]


async def test_a_voice_that_fails_leaves_the_text_and_nothing_counts_as_heard(company: Company) -> None:
    chat = company.chat(says(ANSWER))
    async with spoken(company, chat, QUESTION) as ana:
        ana.text_to_speech.fails = True
        await ana.says()
    assert ana.loudspeaker.sounds == []
    assert chat.session.state.turns[0].messages[0].heard == 0


async def test_the_heard_position_at_a_disconnect_is_recorded(company: Company) -> None:
    chat = company.chat(says(ANSWER))
    async with spoken(company, chat, QUESTION) as ana:
        ana.speaks(1.0)
        await company.clock.sleep(4.0)
    heard = chat.session.state.turns[0].messages[0].heard
    assert heard is not None
    assert 0 < heard < len(ANSWER)


@pytest.mark.parametrize("first_s", [0.1, 1.0, 3.0, 8.0])
async def test_the_first_words_come_within_two_seconds(company: Company, first_s: float) -> None:
    chat = company.chat(says(ANSWER, first_s=first_s))
    async with spoken(company, chat, QUESTION) as ana:
        end = ana.speaks(1.0) + 1.0
        await company.clock.sleep(1.0)
        await ana.listens()
    first = ana.loudspeaker.sounds[0].began_at
    assert first is not None
    assert first - end <= FIRST_WORDS_S


async def test_comfort_noise_plays_while_tools_run_and_stops_for_words(company: Company) -> None:
    chat = company.chat(LOOKUP, says(ANSWER), appointments=Gives(["Tuesday"], after_s=3.5))
    async with spoken(company, chat, QUESTION) as ana:
        await ana.says()
    kinds = [(sound.clip.message_id, bool(sound.clip.text)) for sound in ana.loudspeaker.sounds]
    assert kinds[:3] == [(None, True), (None, False), ("t1/m2", True)]
    hum, words = ana.loudspeaker.sounds[1:3]
    assert hum.ms < hum.came_ms
    assert words.began_at is not None
    assert " ".join(ana.heard).endswith(ANSWER)


async def test_a_slow_lookup_is_announced_once_that_is_known(company: Company) -> None:
    chat = company.chat(LOOKUP, says(ANSWER), appointments=Gives(["Tuesday"], after_s=5.0))
    async with spoken(company, chat, "Check my appointments") as ana:
        ana.voice.waits.note(["list_upcoming_appointments"], 5.0)
        await ana.says()
    assert ana.heard[0] == PROMISE


async def test_a_requested_number_is_joined(company: Company) -> None:
    chat = company.chat(says("What is your order number?"), says("Thank you."))
    dictated = "One zero four, eight two."
    async with SpokenChat(chat=chat, clock=company.clock, understood=["Where is my order?", dictated]) as ana:
        await ana.says(1.0)
        await ana.says(2.0)
    assert [turn.message.text for turn in chat.session.state.turns] == ["Where is my order?", "10482."]


async def test_speech_is_transcribed_in_the_language_of_the_conversation(company: Company) -> None:
    chat = company.chat(says("Das ist gut."), says("Gerne."))
    async with spoken(company, chat, "Vielen Dank, das war alles für heute", "Danke schön") as ana:
        await ana.says()
        await ana.says()
        assert ana.speech_to_text.locales == ["en", "de"]
    assert [one.locale for one in said(ana)] == ["de", "de"]
