"""What a failing replay prints: the conversation, and a mark where it first differs."""

import pytest

from assistant.conversation.calls import Call
from assistant.conversation.outcomes import Outcome, outcome_name
from assistant.replay.cassette import Event
from assistant.replay.checks.rendering import WIDTH, render_transcript
from assistant.replay.checks.transcript import CheckFailure
from assistant.replay.expectations import Check, Expectations, Hears, Never
from assistant.testing.scene import scene
from tests.replay.checks.scripted_conversation import CANCELLED, Acted, cassette, denied, failed, failures
from tests.support.rows import check_rows

ALL: tuple[Check, ...] = ("all_outcomes_reported", "grounded", "no_repetition", "claims", "language")


def conversation() -> Acted:
    question = Call(id="c1.1", tool="cancel_appointment")
    return (
        Acted()
        .customer("Check my appointments and billing", 0)
        .acknowledges((300, "Sure, I'll look up your appointments"), (310, " and check your billing."))
        .calls("list_upcoming_appointments", (310, 510))
        .calls("get_open_invoices", (310, None))
        .calls("get_order_status", None, failed())
        .withholds(600, "repetition", "I looked it all up.")
        .says((612, "You're booked"), (640, " for Tuesday."), interrupted=True, round_=2)
        .ends(700, "interrupted")
        .customer("Cancel it", 2500)
        .calls("cancel_appointment", (2600, 2600), denied())
        .asks(2600, "Shall I cancel your appointment?", question)
        .ends(2600, "awaiting_confirmation")
    )


def shown(*failures: CheckFailure, events: tuple[Event, ...] = (), acted: Acted | None = None) -> str:
    return render_transcript(cassette(happens=events), (acted or conversation()).played(), failures)


def failure(
    turn: int = 1, at_ms: int | None = None, expected: str = "this", found: str = "that"
) -> CheckFailure:
    return CheckFailure(turn=turn, check="hears", expected=expected, found=found, at_ms=at_ms)


def test_a_conversation_is_shown_with_times_and_the_first_difference() -> None:
    acted = conversation()
    events = (Event(happens="disconnect", at_ms=350, for_ms=2000), Event(happens="stop", after="booked"))

    assert shown(failure(at_ms=612), failure(2, 2600), events=events, acted=acted) == scene("""
        A test.

        Turn 1
                0 ms  Customer         Check my appointments and billing
                0 ms                   [get_order_status: failed, did not run; that did not work]
              300 ms  acknowledgement  Sure, I'll look up your appointments and check your billing.
              310 ms                   [list_upcoming_appointments: ok, 200 ms]
              310 ms                   [get_open_invoices: running]
              350 ms                   -- line cut, back after 2,000 ms --
              600 ms                   (kept back for repetition: "I looked it all up.")
        >     612 ms  response         You're booked for Tuesday. --
            hears
            expected  this
            found     that
              612 ms                   -- the customer presses stop --
              700 ms                   -- interrupted --
            2,350 ms                   -- the client is back --

        Turn 2
            2,500 ms  Customer         Cancel it
            2,600 ms                   [cancel_appointment: denied, 0 ms]
            2,600 ms  response         Shall I cancel your appointment?
            2,600 ms                   [Yes] [No] to cancel_appointment
            2,600 ms                   -- awaiting confirmation --

        1 more:
          turn 2 at 2,600 ms: hears: expected this; found that
    """)


def mark(text: str) -> str:
    """The line with the mark, without it."""
    (line,) = [line for line in text.splitlines() if line.startswith(">")]
    return line[1:].strip()


@pytest.mark.parametrize(
    ("outcome", "why"),
    [
        (failed("that is out of reach", for_model="There is no tool 'any'."), "There is no tool 'any'."),
        (denied("I don't know who you are"), "I don't know who you are"),
        (CANCELLED, "stopped"),
    ],
)
def test_a_call_without_a_result_says_why(outcome: Outcome, why: str) -> None:
    text = shown(acted=Acted().customer("Hello").calls("any", None, outcome).ends(10))

    assert f"[any: {outcome_name(outcome)}, did not run; {why}]" in text


def test_a_long_reason_is_cut() -> None:
    text = shown(acted=Acted().customer("Hello").calls("any", None, failed("word " * 80)).ends(10))

    assert (" ...]" in text, text.count("word")) == (True, 31)


def test_without_complaints_there_is_no_mark() -> None:
    assert ">" not in shown()


@check_rows(
    ("about", "line"),
    [
        (
            failure(at_ms=305),
            "300 ms  acknowledgement  Sure, I'll look up your appointments and check your",
        ),
        (failure(at_ms=None), "700 ms                   -- interrupted --"),
        (failure(2, None), "2,600 ms                   -- awaiting confirmation --"),
        (failure(0, 650), "612 ms  response         You're booked for Tuesday. --"),
        (failure(0, 2500), "2,500 ms  Customer         Cancel it"),
        (failure(2, 10), "2,500 ms  Customer         Cancel it"),
    ],
)
def test_the_mark_is_at_the_moment_or_at_the_last_line_before_it(about: CheckFailure, line: str) -> None:
    assert mark(shown(about)).startswith(line)


OTHERWISE = Expectations(scene="Assistant (acknowledgement): One moment.\n  [any ok]\nAssistant: It is $7.")


@check_rows(
    ("expect", "line"),
    [
        (Expectations(), "response         It is $7."),
        (OTHERWISE, "[any: failed, 0 ms; no]"),
        (
            Expectations(hears=(Hears(kind="response", text="It is $8."),), skip_checks=ALL),
            "response         It is $7.",
        ),
        (Expectations(never=(Never(text_contains="$7"),), skip_checks=ALL), "response         It is $7."),
        (Expectations(never=(Never(tool="any"),), skip_checks=ALL), "[any: failed, 0 ms; no]"),
        (
            Expectations(suppressed={"repetition": 2}, skip_checks=ALL),
            '(kept back for repetition: "I looked.")',
        ),
    ],
)
def test_within_one_moment_the_mark_is_at_the_complaints_subject(expect: Expectations, line: str) -> None:
    acted = Acted().customer("Hello").acknowledges((5, "One moment.")).calls("any", (5, 5), failed("no"))
    acted.withholds(5, "repetition", "I looked.").says((5, "It is $7."), round_=2).ends(5)

    first = failures(acted, expect)[0]

    assert mark(shown(first, acted=acted)) == f"5 ms  {line}" if "  " in line else f"5 ms{'':19}{line}"


def test_a_sentence_that_had_been_shown_was_put_right() -> None:
    acted = Acted().customer("Cancel it").withholds(9, "claims", "It's cancelled.")
    acted.says((5, "It's cancelled. That was wrong: it isn't.")).ends(10)

    assert '(put right: "It\'s cancelled.")' in shown(acted=acted)
    assert "kept back" not in shown(acted=acted)


@pytest.mark.parametrize("about", [failure(0), failure(7, 650)])
def test_a_complaint_without_a_turn_comes_at_the_end(about: CheckFailure) -> None:
    assert shown(about).splitlines()[-4:] == [
        "",
        "    hears",
        "    expected  this",
        "    found     that",
    ]


def test_drawings_keep_their_lines_and_long_texts_are_wrapped() -> None:
    drawing = "> one\n  two"
    text = shown(failure(at_ms=0, expected=drawing, found="word " * 40))

    assert "    expected  > one\n                two\n" in text
    assert all(len(line) <= WIDTH for line in text.splitlines())
    assert text.count("word") == 40


def test_another_complaint_is_reported_by_the_marked_line_of_its_scene() -> None:
    text = shown(failure(), failure(expected="  one\n> two", found=""))

    assert text.splitlines()[-1] == "  turn 1: hears: expected two; found"


def test_a_complaint_with_text_above_its_scene_is_reported_by_it() -> None:
    text = shown(failure(), failure(found='hint "b"\n  one\n> two'))

    assert text.splitlines()[-1] == '  turn 1: hears: expected this; found hint "b"'


def test_a_complaint_without_a_finding_says_so() -> None:
    assert shown(failure(0, expected="", found="")).splitlines()[-2:] == [
        "    expected  nothing",
        "    found     nothing",
    ]


def test_messages_of_several_lines_and_long_ones_stay_in_their_column() -> None:
    text = "One thing.\n\nAnother thing, which takes " + "very " * 12 + "long."
    lines = shown(acted=Acted().customer("Hello").says((10, text)).ends(20)).splitlines()

    assert lines[4:8] == [
        "       10 ms  response         One thing.",
        "",
        "                               Another thing, which takes very very very very very very very very",
        "                               very very very very long.",
    ]


def test_an_unended_message_and_an_unknown_turn_are_shown_as_they_are() -> None:
    acted = Acted().customer("Hello").says((10, "Well"), kind=None)

    assert shown(acted=acted).splitlines()[-1] == "       10 ms  Assistant        Well ..."


def test_events_are_shown_when_they_came() -> None:
    came = (Event(happens="restart", at_ms=40), Event(happens="stop", after="nobody says this"))
    acted = Acted().customer("Hello", 100).says((200, "Hello.")).ends(200)

    assert shown(events=came, acted=acted).splitlines()[3:] == [
        "      100 ms  Customer         Hello",
        "      140 ms                   -- the server ends and starts again --",
        "      200 ms  response         Hello.",
        "      200 ms                   -- answered --",
    ]
