"""Conversations in speech: what is said becomes messages, and what is answered is heard."""

from assistant.conversation.entries import CustomerSaid
from assistant.errors import SpeechError
from assistant.testing.chat import Chat
from assistant.testing.script import says
from assistant.testing.spoken_chat import SpokenChat
from tests.turn.conftest import Company

ANSWER = "Your appointment is on Tuesday at two. You have no open bills."


def spoken(company: Company, chat: Chat, *understood: str | SpeechError) -> SpokenChat:
    return SpokenChat(chat=chat, clock=company.clock, understood=understood)


def said(ana: SpokenChat) -> list[CustomerSaid]:
    entries = (logged.entry for logged in ana.chat.session.entries)
    return [entry for entry in entries if isinstance(entry, CustomerSaid)]


async def test_a_question_is_answered_aloud(company: Company) -> None:
    chat = company.chat(says(ANSWER, each_s=0.02))
    async with spoken(company, chat, "When is my appointment?") as ana:
        await ana.says()

    assert [(one.text, one.spoken) for one in said(ana)] == [("When is my appointment?", True)]
    assert said(ana)[0].client_message_id == "v-said-1"
    assert " ".join(ana.heard) == ANSWER
    assert chat.session.state.turns[0].messages[0].heard == len(ANSWER)
    assert ana.loudspeaker.captions == [("When is my appointment?", False), ("When is my appointment?", True)]
