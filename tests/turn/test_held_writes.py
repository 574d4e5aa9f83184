"""A message that comes before a side effect has started holds it back; the next turn decides again."""

from dataclasses import replace

import pytest

from assistant.conversation.outcomes import CallCancelled
from assistant.conversation.views import FromTools
from assistant.testing.chat import Chat
from assistant.testing.fake_tool import Gives
from assistant.testing.script import Line, Pause, calls, says
from assistant.turn.confirmation_rules import HELD_BACK
from tests.turn.conftest import Company

CANCEL = ("cancel_appointment", {"day": "2026-03-10"})
LATE = ("add_note", {"text": "late"})
ILL = ("add_note", {"text": "ill"})


async def says_meanwhile(chat: Chat, *messages: str, company: Company) -> None:
    """Say these a second apart, and wait for all answers."""
    for message in messages:
        await chat.begins(message)
        await company.clock.sleep(1)
    await chat.session.answered()


def scenes(chat: Chat) -> list[str]:
    turns = chat.session.state.turns
    return [" ".join(f"{o.call.tool} {type(o).__name__}" for o in turn.outcomes.values()) for turn in turns]


async def test_a_newer_message_holds_back_a_side_effect_that_has_not_started(company: Company) -> None:
    ana = company.chat(
        calls("get_open_invoices", LATE),
        says("You owe $150. I have not noted anything yet."),
        says("All right, I'll leave it."),
        billing=Gives(150, after_s=5),
    )

    await says_meanwhile(ana, "Check my bill and note that I am late", "Don't note it", company=company)

    assert scenes(ana) == ["get_open_invoices CallSucceeded add_note CallCancelled", ""]
    assert company.note.ran == []
    (held,) = [one for one in ana.session.state.turns[0].outcomes.values() if isinstance(one, CallCancelled)]
    assert held.why == HELD_BACK
    seen = [message for message in company.model.requests[-1].view.messages if isinstance(message, FromTools)]
    assert seen[0].outcomes[1] is held


async def test_a_started_side_effect_ends_and_the_next_one_is_held_back(company: Company) -> None:
    ana = company.chat(
        calls(LATE, ILL), says("Late is noted."), says("Very well."), note=Gives("noted", after_s=5)
    )

    await says_meanwhile(ana, "Note that I am late and ill", "Only late!", company=company)

    assert [arguments for arguments, _ in company.note.ran] == [LATE[1]]
    assert scenes(ana)[0] == "add_note CallSucceeded add_note CallCancelled"


async def test_a_side_effect_that_will_be_held_back_is_not_announced(company: Company) -> None:
    ana = company.chat(late(calls(LATE), 2), says("Not noted."), says("Fine."))

    await says_meanwhile(ana, "Note that I am late", "Wait", company=company)

    assert ana.session.state.turns[0].messages[0].text == "Not noted."


async def test_nothing_is_asked_about_that_a_newer_message_may_have_changed(company: Company) -> None:
    ana = company.chat(late(calls(CANCEL), 2), says("I have not cancelled it."), says("I see, Wednesday."))

    await says_meanwhile(ana, "Cancel my appointment", "I mean Wednesday's", company=company)

    assert all(turn.asked is None for turn in ana.session.state.turns)
    assert ana.session.state.turns[1].turn.cause == "message"


async def held_after_a_yes(company: Company, *then: Line, newer: str = "And what do I owe?") -> Chat:
    """The customer agrees to a cancellation that waits for another, and writes again before it starts."""
    company.respec(company.note, confirm=True)
    company.note.clause = "note it"
    ana = company.chat(
        calls(LATE, CANCEL), says("Noted; I have not cancelled yet."), *then, note=Gives("noted", after_s=5)
    )
    await ana.says("Note that I am late, then cancel")
    await says_meanwhile(ana, "Yes", newer, company=company)
    return ana


@pytest.mark.parametrize("newer", ["thank you", "Yes", "And what do I owe?", "Great, bye!"])
async def test_an_agreed_call_runs_although_another_message_follows(company: Company, newer: str) -> None:
    company.respec(company.note, confirm=True)
    company.note.clause = "note it"
    ana = company.chat(
        calls(LATE, CANCEL),
        says("Noted and cancelled."),
        says("You are welcome."),
        note=Gives("noted", after_s=5),
    )
    await ana.says("Note that I am late, then cancel")

    await says_meanwhile(ana, "Yes", newer, company=company)

    assert [arguments for arguments, _ in company.cancel.ran] == [CANCEL[1]]
    assert "assistant: Noted and cancelled." in ana.transcript


async def test_an_agreed_call_that_was_held_back_and_changed_is_asked_about(company: Company) -> None:
    wednesday = ("cancel_appointment", {"day": "2026-03-11"})

    ana = await held_after_a_yes(company, calls(wednesday), newer="I mean Wednesday's")

    assert company.cancel.ran == []
    assert ana.session.state.turns[-1].how == "awaiting_confirmation"


@pytest.mark.parametrize("newer", ["No, don't", "Wait a moment", "Actually, make it Wednesday"])
async def test_a_held_back_call_is_asked_about_when_the_newer_message_differs(
    company: Company, newer: str
) -> None:
    ana = await held_after_a_yes(company, calls(CANCEL), newer=newer)

    assert company.cancel.ran == []
    assert ana.session.state.turns[-1].how == "awaiting_confirmation"


async def test_a_withdrawn_yes_does_not_count_again(company: Company) -> None:
    ana = await held_after_a_yes(company, says("All right."), calls(CANCEL), newer="No, wait")

    await ana.says("Now cancel it")

    assert company.cancel.ran == []
    assert ana.session.state.turns[-1].how == "awaiting_confirmation"


async def test_a_call_held_back_without_a_yes_is_asked_about(company: Company) -> None:
    ana = company.chat(late(calls(CANCEL), 2), says("I have not cancelled it."), calls(CANCEL))

    await says_meanwhile(ana, "Cancel my appointment", "Really, do it", company=company)

    assert company.cancel.ran == []
    assert ana.session.state.turns[-1].how == "awaiting_confirmation"


async def test_an_agreed_call_that_failed_is_asked_about_again(company: Company) -> None:
    ana = company.chat(calls(CANCEL), says("It failed."), calls(CANCEL))
    company.cancel.behaviour = Gives(None, after_s=60)
    await ana.says("Cancel my appointment")
    await ana.says("Yes", button=True)

    await ana.says("Try again")

    assert len(company.cancel.ran) == 1
    assert ana.session.state.turns[-1].how == "awaiting_confirmation"


def late(line: Line, first_s: float) -> Line:
    return replace(line, steps=(Pause(first_s), *line.steps))
