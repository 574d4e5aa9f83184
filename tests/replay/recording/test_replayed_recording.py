"""A new recording is replayed immediately: masked or not, it gives the same conversation, or the difference is
reported.
"""

import asyncio
from datetime import UTC, datetime

import pytest

from assistant.conversation.customer import Customer
from assistant.conversation.entries import CallEnded, CallRequested, ConfirmationAsked, TurnEnded
from assistant.conversation.outcomes import outcome_name
from assistant.prompts.book import shipped_book
from assistant.replay.cassette import Cassette
from assistant.replay.checks.check import check
from assistant.replay.played import Played
from assistant.replay.player.environment import ReplayEnvironment, environment_with
from assistant.replay.player.play import play, replay
from assistant.replay.recording.masking import mask
from assistant.replay.recording.recorder import cassette_from_log, compare_with_replay
from assistant.replay.replies import TextPiece
from assistant.testing.chat import KEY
from assistant.testing.fake_tool import Gives, Refuses
from assistant.testing.script import Line, breaks, calls, says
from tests.turn.conftest import Company

ANA = Customer(tenant="shop", id="ana", level="verified", name="Ana Lindqvist")


@pytest.fixture
def environment(company: Company) -> ReplayEnvironment:
    return environment_with(shipped_book(), company.tools)


async def held(company: Company) -> Cassette:
    """A conversation of lookups, a failure, a confirmation, a stop, and a message that speaks over an answer."""
    lines: tuple[Line, ...] = (
        calls("list_upcoming_appointments", "get_open_invoices", first_s=0.3, each_s=0.05),
        says("Ms Lindqvist, you're booked for Tuesday. I couldn't reach billing.", first_s=0.4, each_s=0.02),
        calls(("cancel_appointment", {"day": "Tuesday"}), first_s=0.2),
        says("It is cancelled, Ms Lindqvist.", each_s=0.1),
        calls(("add_note", {"text": "call ana.lindqvist@seaside.example"})),
        says("Noted: call ana.lindqvist@seaside.example.", first_s=0.1),
        says("Our hours are from nine to five, Ms Lindqvist.", each_s=0.2),
        breaks("I am"),
    )
    ana = company.chat(
        *lines,
        customer=ANA,
        appointments=Gives([{"when": "2026-03-10T14:00", "name": "Ana Lindqvist"}], after_s=0.2),
        billing=Refuses("billing can't be reached for Ms Lindqvist"),
    )
    await ana.session.welcome(ANA)
    await ana.says("Check my appointments and billing, I am Ana")
    await company.clock.sleep(1)
    await ana.says("Cancel my appointment on Tuesday")
    await ana.says("Yes", button=True)
    await ana.says("Please note: call ana.lindqvist@seaside.example")
    await ana.begins("When are you open?")
    await company.clock.sleep(0.5)
    await ana.session.stop()
    await ana.says("Thank you, and bye")
    entries = await company.log.read(KEY)
    return cassette_from_log(entries, KEY, name=ANA.name)


def shape(played: Played) -> list[tuple[str, str]]:
    """The kinds of what happened, without what was said."""
    found: list[tuple[str, str]] = []
    for logged in played.entries:
        match logged.entry:
            case CallRequested(call=call):
                found.append(("asked for", call.tool))
            case CallEnded(outcome=outcome):
                found.append((outcome.call.tool, outcome_name(outcome)))
            case ConfirmationAsked():
                found.append(("asked", ""))
            case TurnEnded(how=how):
                found.append(("turn", how))
            case _:
                pass
    found += [("said", str(message.kind)) for turn in played.state.turns for message in turn.messages]
    return found


async def test_a_recording_replays_as_the_conversation_went(
    company: Company, environment: ReplayEnvironment
) -> None:
    cassette = await held(company)

    played = await asyncio.to_thread(replay, cassette, environment)

    found = compare_with_replay(cassette, played)
    assert found.difference == ""
    pairs = zip(found.cassette.turns, cassette.turns, strict=True)
    assert all(now.expect.scene in (before.expect.scene, None) for now, before in pairs)
    assert check(found.cassette, played, environment.book) == []
    assert [heard.frame for heard in found.cassette.frames] == [heard.frame for heard in played.frames]
    assert found.cassette.bundle == played.bundle


async def test_masked_it_has_the_same_structure_and_no_personal_data(
    company: Company, environment: ReplayEnvironment
) -> None:
    cassette = await held(company)
    masked = mask(cassette).cassette

    unmasked_played = await asyncio.to_thread(replay, cassette, environment)
    played = await asyncio.to_thread(replay, masked, environment)

    found = compare_with_replay(masked, played)
    assert found.difference == ""
    assert shape(played) == shape(unmasked_played)
    assert [heard.at_ms for heard in played.frames] == [heard.at_ms for heard in unmasked_played.frames]
    text = found.cassette.model_dump_json().casefold()
    assert "lindqvist" not in text
    assert "seaside" not in text
    assert '"ana' not in text


async def test_the_first_different_line_is_named(company: Company, environment: ReplayEnvironment) -> None:
    cassette = await held(company)
    reply = cassette.turns[2].replies[0]
    edited = reply.model_copy(update={"pieces": (TextPiece(at_ms=0, text="Done."), reply.pieces[-1])})
    third = cassette.turns[2].model_copy(update={"replies": (edited,)})
    other = cassette.model_copy(update={"turns": (*cassette.turns[:2], third, *cassette.turns[3:])})

    found = compare_with_replay(other, await asyncio.to_thread(replay, other, environment))

    assert found.difference == (
        "turn 3\n    was: Assistant: It is cancelled, Ms Lindqvist.\n    is:  Assistant: Done."
    )
    scene = found.cassette.turns[2].expect.scene
    assert scene is not None
    assert scene.endswith("Assistant: Done.")


async def test_a_missing_reply_is_named_if_nothing_else_differs(
    environment: ReplayEnvironment,
) -> None:
    cassette = Cassette.model_validate(
        {
            "about": "One reply too many.",
            "now": datetime(2026, 11, 22, 9, tzinfo=UTC),
            "turns": [{"customer": "Hello", "replies": [{"decider": "Hello."}, {"decider": "Too much."}]}],
        }
    )

    found = compare_with_replay(cassette, await play(cassette, environment))

    assert "Too much." in found.difference
    assert found.cassette.turns[0].expect.scene == "Assistant: Hello."


async def test_a_message_without_an_answer_is_a_difference(environment: ReplayEnvironment) -> None:
    cassette = Cassette.model_validate(
        {
            "about": "Nobody answers.",
            "now": datetime(2026, 11, 22, 9, tzinfo=UTC),
            "turns": [{"customer": "Hello", "expect": {"scene": "Assistant: Hello."}}],
        }
    )

    found = compare_with_replay(cassette, Played(began_ms=0, frames=(), entries=()))

    assert found.difference == "turn 1\n    was: Assistant: Hello.\n    is:  (nothing more)"
