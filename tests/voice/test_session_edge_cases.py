"""Rare moments of a spoken conversation."""

from collections.abc import Sequence
from dataclasses import replace

from structlog.testing import capture_logs

from assistant.errors import LogError
from assistant.testing.script import calls, says
from assistant.voice.session import VoiceSessionFactory
from assistant.voice.turn_progress import AnswerWaits
from tests.support.spoken_chat import SpokenChat
from tests.turn.conftest import Company


async def test_a_disconnect_in_mid_sentence_gives_no_message(company: Company) -> None:
    chat = company.chat()
    async with SpokenChat(chat=chat, clock=company.clock, understood=["When"]) as ana:
        ana.speaks(0.5)
        await company.clock.sleep(0.8)  # they pause, and it is being written down
        assert ana.speech_to_text.heard
    async with SpokenChat(chat=chat, clock=company.clock, understood=["When"]) as ana:
        ana.speech_to_text.takes_s = 5.0
        ana.speaks(0.5)
        await company.clock.sleep(3.0)  # it has ended, and is still being written down
    await company.clock.sleep(9.0)
    assert chat.session.entries == []


async def test_text_that_cannot_be_spoken_is_heard_with_the_text_before_it(company: Company) -> None:
    text = "Here it is, as you asked:\n\n```\nx = 1\n```"
    chat = company.chat(says([text]))
    async with SpokenChat(chat=chat, clock=company.clock, understood=["Show me"]) as ana:
        await ana.says()
    assert chat.session.state.turns[0].messages[0].heard == len(text)


async def test_a_requested_number_gets_longer_pauses(company: Company) -> None:
    chat = company.chat(says("What is your order number?"), says("Thank you."))
    understood = ["Where is my order?", "4711", "4711 0815"]
    async with SpokenChat(chat=chat, clock=company.clock, understood=understood) as ana:
        await ana.says()
        ana.speaks(0.5)
        await company.clock.sleep(0.5 + 1.3)
        await ana.says(0.5)
    assert [turn.message.text for turn in chat.session.state.turns][1].replace(" ", "") == "47110815"


class BrokenWaits(AnswerWaits):
    """A mistake of ours."""

    def expected_s(self, tools: Sequence[str]) -> float:
        raise RuntimeError("a mistake of ours")


async def test_an_error_in_speech_does_not_end_the_conversation(company: Company) -> None:
    chat = company.chat(calls("list_upcoming_appointments"), says("On Tuesday."))
    ana = SpokenChat(chat=chat, clock=company.clock)
    ana.voice = replace(ana.voice, waits=BrokenWaits())
    with capture_logs() as logs:
        async with ana:
            await chat.says("When?")
    assert chat.session.state.turns[0].messages[-1].text == "On Tuesday."
    assert "cannot follow" in {line["event"] for line in logs}


async def test_when_the_log_fails_the_speech_stops(company: Company) -> None:
    chat = company.chat()
    async with SpokenChat(chat=chat, clock=company.clock, understood=["When?"]) as ana:
        chat.session.stop_recording(LogError("the disk is full"))
        with capture_logs():
            await ana.says()
    assert ana.loudspeaker.sounds == []


async def test_when_the_server_stops_every_voice_session_is_closed(company: Company) -> None:
    chat = company.chat(says("Hello."))
    ana = SpokenChat(chat=chat, clock=company.clock)
    switchboard = VoiceSessionFactory("loading")
    switchboard.set_services(ana.voice)
    await switchboard.open_session(chat.session, ana.loudspeaker, locale="en")
    await switchboard.close()
    await chat.says("Hi")
    assert ana.loudspeaker.sounds == []
