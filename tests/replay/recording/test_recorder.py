"""A cassette has everything that came from outside, and when."""

import pytest

from assistant.replay.cassette import Cassette, Event
from assistant.replay.recording.recorder import cassette_from_log
from assistant.replay.replies import ArgumentsPiece, EndPiece, NamePiece, Run, TextPiece
from assistant.testing.chat import KEY, Chat
from assistant.testing.fake_tool import Broken, Gives, Refuses
from assistant.testing.scene import scene
from assistant.testing.script import Line, breaks, calls, says, stalls
from tests.turn.conftest import Company


async def cassette_of(company: Company) -> Cassette:
    """What is recorded of the company's one conversation."""
    return cassette_from_log(await company.log.read(KEY), KEY, name="Ana Lindqvist")


async def test_a_conversation_is_recorded_with_its_times(company: Company) -> None:
    ana = company.chat(
        calls("list_upcoming_appointments", first_s=0.3), says("On Tuesday.", first_s=0.4, each_s=0.01)
    )
    company.appointments.behaviour = Gives([{"when": "2026-03-10T14:00"}], after_s=0.2)
    await ana.says("When am I due?")

    cassette = await cassette_of(company)

    assert cassette.customer.model_dump() == {
        "tenant": "shop",
        "id": "ana",
        "level": "anonymous",
        "name": "Ana Lindqvist",
        "locale": "en",
        "credential": True,
        "claims": {},
    }
    assert cassette.now.isoformat() == "2026-03-02T09:00:00+00:00"
    assert cassette.about == "When am I due? (recorded on 2026-03-02)"
    (turn,) = cassette.turns
    decider, narrator = turn.replies
    assert decider.role == "decider"
    assert decider.pieces == (
        NamePiece(at_ms=300, call="list_upcoming_appointments"),
        ArgumentsPiece(at_ms=300, arguments="{}"),
        EndPiece(at_ms=300, end="tool_calls"),
    )
    assert narrator.role == "narrator"
    assert narrator.pieces == (
        TextPiece(at_ms=400, text="On"),
        TextPiece(at_ms=410, text=" Tuesday."),
        EndPiece(at_ms=420, end="stop"),
    )
    assert turn.results == (
        Run(
            tool="list_upcoming_appointments",
            does="returns",
            returns=[{"when": "2026-03-10T14:00"}],
            after_ms=200,
        ),
    )
    assert turn.expect.scene == scene("""
        Assistant (acknowledgement): Let me see. I'll look up your appointments.
          [list_upcoming_appointments ok]
        Assistant: On Tuesday.
    """)


async def test_the_pause_before_a_message_is_recorded(company: Company) -> None:
    ana = company.chat(says("Hello.", first_s=0.5), says("Bye."))
    await ana.says("Hello")
    await company.clock.sleep(2)
    await ana.says("Bye")

    first, second = (await cassette_of(company)).turns

    assert (first.after_ms, first.at_ms) == (0, None)
    assert (second.after_ms, second.at_ms, second.barge_in_ms) == (2000, None, None)


async def test_a_message_that_waited_for_another_turn_has_its_own_time(company: Company) -> None:
    ana = company.chat(says("Hello.", first_s=0.5), says("Bye."))
    await ana.begins("Hello")
    await company.clock.sleep(0.2)
    await ana.says("And bye")

    _, second = (await cassette_of(company)).turns

    assert (second.at_ms, second.after_ms, second.barge_in_ms) == (200, 0, None)


async def test_a_stop_is_an_event_of_its_turn(company: Company) -> None:
    ana = company.chat(says("You can stay for lunch.", each_s=1), says("At lunch."))
    await _stops(ana, company, after_s=2.5)
    await company.clock.sleep(1)
    await ana.says("Again, please")

    first, second = (await cassette_of(company)).turns

    assert first.meanwhile == (Event(happens="stop", at_ms=2500),)
    assert first.replies[0].ends == "stopped"
    assert [piece.at_ms for piece in first.replies[0].pieces] == [0, 1000, 2000]
    assert (second.after_ms, second.barge_in_ms) == (1000, None)


async def test_a_stop_followed_by_a_message_is_a_barge_in(company: Company) -> None:
    ana = company.chat(says("You can stay for lunch.", each_s=1), says("At lunch."))
    await _stops(ana, company, after_s=2.5)
    await company.clock.sleep(0.04)
    await ana.says("No, wait")

    first, second = (await cassette_of(company)).turns

    assert first.meanwhile == ()
    assert (second.barge_in_ms, second.at_ms, second.after_ms) == (2540, None, 0)


async def test_the_last_answer_may_have_been_stopped(company: Company) -> None:
    await _stops(company.chat(says("You are booked.", each_s=1)), company, after_s=1.5)

    (turn,) = (await cassette_of(company)).turns

    assert turn.meanwhile == (Event(happens="stop", at_ms=1500),)


async def test_a_confirmation_is_recorded_with_its_clause_and_its_button(company: Company) -> None:
    ana = company.chat(calls(("cancel_appointment", {"day": "Tuesday"})), says("It is cancelled."))
    await ana.says("Cancel my appointment on Tuesday")
    await ana.says("Yes", button=True)

    asked, agreed = (await cassette_of(company)).turns

    clause = "cancel your eye test on Tuesday at 2 pm"
    assert asked.results == (
        Run(tool="cancel_appointment", does="asks", confirm=clause, arguments={"day": "Tuesday"}),
    )
    assert agreed.button == "yes"
    assert agreed.results == (
        Run(
            tool="cancel_appointment",
            does="returns",
            returns={"cancelled": True},
            arguments={"day": "Tuesday"},
        ),
    )


async def test_a_message_in_another_language_says_so(company: Company) -> None:
    ana = company.chat(says("Hello."), says("Guten Tag."))
    await ana.says("Hello, can you help me?")
    await ana.says("Ich möchte bitte meinen Termin wissen")

    cassette = await cassette_of(company)

    assert cassette.customer.locale == "en"
    assert [turn.locale for turn in cassette.turns] == [None, "de"]


async def test_tools_that_refuse_hang_and_find_nothing(company: Company) -> None:
    ana = company.chat(
        calls("list_upcoming_appointments", "get_open_invoices", "get_opening_hours"),
        says("Sorry."),
        appointments=Gives([]),
        billing=Refuses("billing is closed"),
        hours=Gives("9 to 5", after_s=60),
    )
    await ana.says("Everything, please")

    (turn,) = (await cassette_of(company)).turns

    assert turn.results == (
        Run(tool="list_upcoming_appointments", does="returns", returns=[]),
        Run(tool="get_open_invoices", does="fails", fails="billing is closed"),
        Run(tool="get_opening_hours", does="hangs"),
    )


async def test_a_tool_that_tells_the_model_more_is_recorded_so(company: Company) -> None:
    ana = company.chat(calls("get_open_invoices"), says("Sorry."))
    company.billing.behaviour = Broken()
    await ana.says("My bill, please")

    (turn,) = (await cassette_of(company)).turns

    assert turn.results[0].for_model == "RuntimeError inside the tool."


async def test_a_tool_that_refuses_its_question_is_recorded_so(company: Company) -> None:
    ana = company.chat(calls(("cancel_appointment", {"day": "Tuesday"})), says("There is none on Tuesday."))
    company.cancel.clause = Refuses("you have no appointment on Tuesday")
    await ana.says("Cancel my appointment on Tuesday")

    (turn,) = (await cassette_of(company)).turns

    assert turn.results == (
        Run(
            tool="cancel_appointment",
            does="fails",
            fails="you have no appointment on Tuesday",
            arguments={"day": "Tuesday"},
        ),
    )


async def test_calls_that_never_reached_their_tool_are_no_runs(company: Company) -> None:
    ana = company.chat(calls("no_such_tool", ("get_order_status", {"colour": "red"})), says("I could not."))
    await ana.says("Where is my order?")

    (turn,) = (await cassette_of(company)).turns

    assert turn.results == ()


@pytest.mark.parametrize(
    ("line", "ends"),
    [(breaks("Hel"), "breaks"), (stalls("Hel"), "stalls"), (stalls(), "stalls")],
)
async def test_the_failure_of_a_reply_is_recorded(company: Company, line: Line, ends: str) -> None:
    ana = company.chat(line)
    await ana.says("Hello")

    (turn,) = (await cassette_of(company)).turns

    assert [reply.ends for reply in turn.replies] == [ends]


async def _stops(chat: Chat, company: Company, *, after_s: float) -> None:
    await chat.begins("When am I due?")
    await company.clock.sleep(after_s)
    await chat.session.stop()
