"""Each expectation that a file can contain: met, and missed by one difference."""

from typing import Any

import pytest

from assistant.replay.checks.transcript import CheckFailure
from assistant.replay.expectations import Expectations, ExpectedCall, Hears, Never
from tests.replay.checks.scripted_conversation import TIMED_OUT, Acted, failed, failures, told
from tests.support.rows import check_rows

ACK = "Sure, I'll look up your appointments and check your billing."
ANSWER = "You're booked for Tuesday at 2 pm. I couldn't reach billing just now."


def two_lookups() -> Acted:
    """Two lookups at once; one of them fails."""
    return (
        Acted()
        .customer("Check my appointments and billing", 100)
        .acknowledges((400, ACK[:37]), (420, ACK[37:]))
        .calls("list_upcoming_appointments", (410, 600), gives=[{"when": "2026-11-24T14:00"}])
        .calls("get_open_invoices", (420, 470), failed("billing can't be reached"), arguments={"days": 30})
        .says(
            (912, "You're booked for Tuesday at 2 pm."),
            (950, " I couldn't reach billing just now."),
            round_=2,
        )
        .ends(960)
    )


def written(expect: Expectations, acted: Acted | None = None) -> list[CheckFailure]:
    return failures(acted or two_lookups(), expect)


def heard(**wanted: Any) -> list[CheckFailure]:
    return written(Expectations(hears=(Hears(**wanted),)))


def test_a_message_is_found_by_any_of_its_known_parts() -> None:
    wanted = (
        Hears(kind="acknowledgement", text=ACK, within_ms=300, complete_within_ms=320, interrupted=False),
        Hears(kind="response", text_contains=("TUESDAY", "2 pm"), text_matches=r"\d PM"),
    )

    assert written(Expectations(hears=wanted)) == []


def test_other_messages_may_come_between() -> None:
    acted = two_lookups().says((700, "One moment, please."), kind="status")
    wanted = (Hears(kind="acknowledgement"), Hears(kind="response"))

    assert written(Expectations(hears=wanted), acted) == []


@check_rows(
    ("wanted", "expected", "found", "at_ms"),
    [
        (
            {"kind": "status"},
            "a status",
            f'the acknowledgement "{ACK}": it is an acknowledgement',
            400,
        ),
        (
            {"text": ANSWER[:-1]},
            f'a message "{ANSWER[:-1]}"',
            f'the acknowledgement "{ACK}": its words differ',
            400,
        ),
        (
            {"kind": "response", "text_contains": ("Tuesday", "3 pm")},
            'a response with "Tuesday" and "3 pm"',
            f'the response "{ANSWER}": without "3 pm"',
            912,
        ),
        (
            {"kind": "response", "text_matches": "^booked"},
            'a response that matches "^booked"',
            f'the response "{ANSWER}": it does not match "^booked"',
            912,
        ),
        (
            {"kind": "response", "interrupted": True},
            "a response, interrupted",
            f'the response "{ANSWER}": it was not interrupted',
            912,
        ),
        (
            {"kind": "acknowledgement", "within_ms": 299},
            "an acknowledgement, within 299 ms",
            f'the acknowledgement "{ACK}": its first words came after 300 ms',
            400,
        ),
        (
            {"text_contains": ("booked",), "complete_within_ms": 849},
            'a message with "booked", complete within 849 ms',
            f'the response "{ANSWER}": its last words came after 850 ms',
            912,
        ),
    ],
)
def test_a_different_message_is_reported_by_the_difference(
    wanted: dict[str, Any], expected: str, found: str, at_ms: int
) -> None:
    assert told(heard(**wanted)) == [("hears", expected, found, at_ms)]


def test_a_cut_off_message_does_not_count_as_a_whole_one() -> None:
    acted = Acted().customer("When?").says((50, "You are"), interrupted=True).ends(60, "interrupted")

    assert written(Expectations(hears=(Hears(interrupted=True),)), acted) == []
    assert told(written(Expectations(hears=(Hears(text="You are", interrupted=False),)), acted)) == [
        (
            "hears",
            'a message "You are", not interrupted',
            'the response "You are", interrupted: it was interrupted',
            50,
        )
    ]


def test_messages_in_the_wrong_order_are_reported() -> None:
    wanted = (Hears(kind="response"), Hears(kind="acknowledgement", text_contains=("Sure",)))

    (failure,) = written(Expectations(hears=wanted))

    assert failure.expected == 'an acknowledgement with "Sure"'
    assert failure.found == (
        f'the acknowledgement "{ACK}" came before, not after what was expected before it'
    )
    assert failure.place == ("turns", 0, "expect", "hears", 1)


def test_a_missing_message_is_reported() -> None:
    wanted = (Hears(kind="response"), Hears(kind="status"))

    assert told(written(Expectations(hears=wanted))) == [("hears", "a status", "nothing more was said", None)]


def test_a_late_message_passes_the_other_expectations() -> None:
    wanted = (Hears(kind="acknowledgement", within_ms=1), Hears(kind="response"), Hears(kind="status"))

    found = written(Expectations(hears=wanted))

    assert [one.place[-1] for one in found] == [0, 2]


def test_an_empty_message_has_no_times() -> None:
    acted = Acted().customer("Hello").says((50, "")).ends(60)

    assert written(Expectations(hears=(Hears(kind="response", within_ms=10),)), acted) == []


SCENE = f"""
    Assistant (acknowledgement): {ACK}
      [list_upcoming_appointments ok]
      [get_open_invoices failed]
    Assistant: {ANSWER}
"""


def test_a_scene_is_compared_line_by_line() -> None:
    assert written(Expectations(scene=SCENE)) == []


def test_the_first_line_that_differs_is_marked_in_both_scenes() -> None:
    (failure,) = written(Expectations(scene=SCENE.replace("invoices failed", "invoices ok")))

    assert failure.expected.splitlines()[1:3] == [
        "    [list_upcoming_appointments ok]",
        ">   [get_open_invoices ok]",
    ]
    assert failure.found.splitlines()[2] == ">   [get_open_invoices failed]"
    assert failure.at_ms == 470


def test_scenes_of_different_length_differ_after_their_last_line() -> None:
    longer, shorter = SCENE + "    Assistant: Bye.", SCENE[: SCENE.rindex("\n    Assistant")]

    (more,), (less,) = written(Expectations(scene=longer)), written(Expectations(scene=shorter))

    assert (more.expected.splitlines()[-1], more.found.splitlines()[-1]) == (
        "> Assistant: Bye.",
        "> (nothing more)",
    )
    assert (less.expected.splitlines()[-1], less.at_ms) == ("> (nothing more)", 912)


def test_a_scene_of_the_whole_conversation_has_the_customer_in_it() -> None:
    acted = (
        Acted()
        .customer("Hello", 0)
        .says((10, "Hello."))
        .ends(20)
        .customer("Bye", 30)
        .says((40, "Bye."))
        .ends(50)
    )
    scene = "Customer: Hello\nAssistant: Hello.\nCustomer: Bye\nAssistant: Bye."

    assert failures(acted, whole=Expectations(scene=scene)) == []
    (failure,) = failures(acted, whole=Expectations(scene=scene.replace("Customer: Bye", "Customer: No")))
    assert (failure.turn, failure.at_ms, failure.place) == (0, 30, ("expect", "scene"))


@pytest.mark.parametrize(
    ("unwanted", "expected", "found", "at_ms"),
    [
        ({"kind": "response"}, "response", f'the response "{ANSWER}"', 912),
        ({"text_contains": "sure"}, 'message with "sure"', f'the acknowledgement "{ACK}"', 400),
        (
            {"kind": "response", "text_matches": "billing"},
            'response that matches "billing"',
            f'the response "{ANSWER}"',
            912,
        ),
        ({"tool": "get_open_invoices"}, "run of get_open_invoices", "it ran", 420),
        ({"frame": "tool.started"}, "tool.started frame", "one came", 410),
    ],
)
def test_a_forbidden_thing_is_reported_when_it_comes(
    unwanted: dict[str, Any], expected: str, found: str, at_ms: int
) -> None:
    failure = ("never", f"no {expected}", found, at_ms)

    assert told(written(Expectations(never=(Never(**unwanted),)))) == [failure]


@pytest.mark.parametrize(
    "unwanted",
    [
        {"kind": "status"},
        {"kind": "response", "text_contains": "Sure"},
        {"text_matches": r"^\d"},
        {"tool": "cancel_appointment"},
        {"frame": "error"},
    ],
)
def test_an_absent_forbidden_thing_causes_no_complaint(unwanted: dict[str, Any]) -> None:
    assert written(Expectations(never=(Never(**unwanted),))) == []


def test_a_requested_tool_that_did_not_run_never_ran() -> None:
    acted = Acted().customer("Cancel it").calls("cancel_appointment", None).says((5, "No.")).ends(9)

    assert (
        written(
            Expectations(never=(Never(tool="cancel_appointment"),), skip_checks=("all_outcomes_reported",)),
            acted,
        )
        == []
    )


def test_a_frame_belongs_to_the_turn_of_its_entry() -> None:
    acted = (
        Acted()
        .customer("Bill?", 0)
        .acknowledges((10, "Let me see."))
        .calls("get_open_invoices", (10, 40))
        .ends(20, "interrupted")
        .customer("Hello", 30)
        .says((50, "Hello."))
        .ends(60)
    )
    finished = Expectations(never=(Never(frame="tool.finished"),))
    accepted = Expectations(never=(Never(frame="accepted"),))

    assert [one.turn for one in failures(acted, finished, finished)] == [1]
    assert [one.at_ms for one in failures(acted, accepted, accepted)] == [0, 30]
    assert [one.at_ms for one in failures(acted, whole=accepted)] == [0]


def called(*calls: ExpectedCall) -> list[CheckFailure]:
    return written(Expectations(calls=calls))


APPOINTMENTS = ExpectedCall(tool="list_upcoming_appointments")
INVOICES = ExpectedCall(tool="get_open_invoices")


def test_exactly_these_calls_are_expected_with_their_details() -> None:
    failing = INVOICES.model_copy(update={"outcome": "failed", "arguments": {"days": 30}, "within_ms": 320})

    assert called(APPOINTMENTS, failing) == []


@pytest.mark.parametrize(
    ("wanted", "expected", "at_ms"),
    [
        ((), "no call", 410),
        ((APPOINTMENTS,), "list_upcoming_appointments", 420),
        ((INVOICES, APPOINTMENTS), "get_open_invoices, list_upcoming_appointments", 410),
        (
            (APPOINTMENTS, INVOICES, INVOICES),
            "list_upcoming_appointments, get_open_invoices, get_open_invoices",
            None,
        ),
    ],
)
def test_other_calls_are_reported_together(
    wanted: tuple[ExpectedCall, ...], expected: str, at_ms: int | None
) -> None:
    found = "list_upcoming_appointments, get_open_invoices"

    assert told(called(*wanted)) == [("calls", expected, found, at_ms)]


@pytest.mark.parametrize(
    ("particular", "expected", "found", "at_ms"),
    [
        ({"arguments": {"days": 31}}, 'with {"days":31}', 'with {"days":30}', 420),
        ({"arguments": {}}, "with {}", 'with {"days":30}', 420),
        ({"outcome": "ok"}, "ok", "failed", 470),
        ({"within_ms": 319}, "within 319 ms", "it started after 320 ms", 420),
    ],
)
def test_a_different_call_is_reported_by_the_difference(
    particular: dict[str, Any], expected: str, found: str, at_ms: int
) -> None:
    (failure,) = called(APPOINTMENTS, INVOICES.model_copy(update=particular))

    assert (failure.expected, failure.found) == (f"get_open_invoices {expected}", found)
    assert (failure.at_ms, failure.place) == (at_ms, ("turns", 0, "expect", "calls", 1))


def test_a_call_that_neither_started_nor_ended_is_reported() -> None:
    acted = Acted().customer("Bill?").calls("get_open_invoices", (5, None)).ends(9, "interrupted")
    never_ran = Acted().customer("Bill?").calls("get_open_invoices", None).ends(9, "interrupted")
    expect = Expectations(
        calls=(INVOICES.model_copy(update={"outcome": "ok"}),), skip_checks=("all_outcomes_reported",)
    )
    soon = Expectations(calls=(INVOICES.model_copy(update={"within_ms": 9}),))

    assert told(written(expect, acted)) == [("calls", "get_open_invoices ok", "no end", None)]
    assert told(written(soon, never_ran)) == [
        ("calls", "get_open_invoices within 9 ms", "it never started", None)
    ]
    assert [one.found for one in written(Expectations(calls=()), never_ran)] == ["get_open_invoices"]


BOTH = ("list_upcoming_appointments", "get_open_invoices")


def test_tools_that_ran_together_overlap() -> None:
    assert written(Expectations(overlap=(BOTH,))) == []


def test_tools_that_ran_one_after_the_other_do_not_overlap() -> None:
    acted = (
        Acted()
        .customer("Both?")
        .calls("list_upcoming_appointments", (10, 50))
        .calls("get_open_invoices", (50, 90))
        .says((95, "Both found."))
        .ends(99)
    )

    assert told(written(Expectations(overlap=(BOTH,)), acted)) == [
        (
            "overlap",
            "list_upcoming_appointments and get_open_invoices at the same time",
            "list_upcoming_appointments ran from 10 ms to 50 ms, get_open_invoices ran from 50 ms to 90 ms",
            50,
        )
    ]


def test_a_tool_that_is_named_twice_must_have_run_twice() -> None:
    once = Acted().customer("Bill?").calls("get_open_invoices", (1, 9)).says((9, "Found.")).ends(9)
    twice = (
        Acted()
        .customer("Bill?")
        .calls("get_open_invoices", (1, 9))
        .calls("get_open_invoices", (2, None))
        .ends(9, "interrupted")
    )
    expect = Expectations(
        overlap=(("get_open_invoices", "get_open_invoices"),), skip_checks=("all_outcomes_reported",)
    )

    assert [one.found for one in written(expect, once)] == ["get_open_invoices ran from 1 ms to 9 ms"]
    assert written(expect, twice) == []


def test_tools_that_did_not_run_do_not_overlap() -> None:
    acted = Acted().customer("Hello").says((1, "Hello.")).ends(2)
    running = Acted().customer("Hello").calls("get_open_invoices", (1, None)).ends(2, "interrupted")
    expect = Expectations(overlap=(BOTH,), skip_checks=("all_outcomes_reported",))

    assert told(written(expect, acted))[0][2:] == ("none of them ran", None)
    assert told(written(expect, running))[0][2:] == ("get_open_invoices ran from 1 ms and has not ended", 1)


def test_a_turn_ends_as_expected() -> None:
    assert written(Expectations(ended="answered")) == []
    assert told(written(Expectations(ended="apologised"))) == [("ended", "apologised", "answered", 960)]


def test_an_unfinished_turn_has_no_end() -> None:
    acted = Acted().customer("Hello").says((1, "Hello."))

    found = written(Expectations(ended="answered"), acted)

    assert ("ended", "answered", "it has not ended", None) in told(found)


def test_a_long_time_without_news_is_a_silence() -> None:
    assert written(Expectations(max_silence_ms=312)) == []
    assert told(written(Expectations(max_silence_ms=311))) == [
        ("max_silence_ms", "something new every 311 ms", "312 ms, from 600 ms on", 600)
    ]


def test_the_silence_before_the_first_words_counts_too() -> None:
    acted = Acted().customer("Hello", 100).says((600, "Hello.")).ends(600)

    assert told(written(Expectations(max_silence_ms=499), acted)) == [
        ("max_silence_ms", "something new every 499 ms", "500 ms, from 100 ms on", 100)
    ]


def test_events_after_the_turn_are_no_part_of_its_silence() -> None:
    acted = (
        Acted()
        .customer("Bill?")
        .calls("get_open_invoices", (1, 5000), TIMED_OUT)
        .says((2, "You"), interrupted=True)
        .ends(3, "interrupted")
    )

    assert written(Expectations(max_silence_ms=1), acted) == []


def test_suppressed_sentences_are_counted() -> None:
    def acted() -> Acted:
        return two_lookups().withholds(900, "repetition", "I looked up your appointments.")

    assert written(Expectations(suppressed={"repetition": 1}), acted()) == []
    assert written(Expectations(suppressed={"claims": 0}), acted()) == []
    assert told(written(Expectations(suppressed={"repetition": 0}), acted())) == [
        ("suppressed", "0", '1: "I looked up your appointments."', 900)
    ]
    assert told(written(Expectations(suppressed={"claims": 1}), acted())) == [("suppressed", "1", "0", None)]


def test_expectations_of_the_conversation_are_checked_in_all_of_it() -> None:
    acted = (
        Acted()
        .customer("Hello", 0)
        .says((10, "Hello."))
        .ends(20)
        .customer("Bye", 30)
        .says((40, "Bye."))
        .ends(90)
    )
    whole = Expectations(
        hears=(Hears(text="Hello."), Hears(text="Bye.", within_ms=10)),
        never=(Never(kind="status"),),
        calls=(),
        ended="answered",
        max_silence_ms=50,
    )

    assert failures(acted, whole=whole) == []
    (failure,) = failures(acted, whole=Expectations(max_silence_ms=49))
    assert (failure.turn, failure.at_ms, failure.place) == (0, 40, ("expect", "max_silence_ms"))
