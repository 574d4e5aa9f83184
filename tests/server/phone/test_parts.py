"""The parts of a call: the spoken position, the keys, the played sound."""

import pytest

from assistant.server.phone.call import Answered, DtmfReader, Keyed, Pressed, WantsPerson
from assistant.server.phone.media_call import LATE_S, StreamClock
from assistant.server.phone.text_sender import FAST, ON_ITS_WAY_S, PACE, PlaybackLedger, Sent, spoken_up_to
from tests.support.rows import check_rows

SPOKEN = "Your appointment is on Tuesday at two. Is that right? Your appointment costs nothing."


@check_rows(
    ("uttered", "near", "place"),
    [
        ("Your appointment is on", 0, "Your appointment is on"),
        ("your  APPOINTMENT, is: on", 0, "Your appointment is on"),
        ("Your appointment", 0, "Your appointment"),
        ("Your appointment", 80, "Your appointment is on Tuesday at two. Is that right? Your appointment"),
        ("at two", 0, "Your appointment is on Tuesday at two."),
        ("Ihr Termin ist on Tuesday at two", 0, "Your appointment is on Tuesday at two."),
        ("Your appointment costs nothing.", 0, SPOKEN),
        ("", 20, ""),
        ("...", 20, ""),
    ],
)
def test_the_end_of_an_utterance_is_found_in_any_spelling(uttered: str, near: int, place: str) -> None:
    assert spoken_up_to(uttered, SPOKEN, near=near) == len(place)


@pytest.mark.parametrize("uttered", ["something else", "on Monday", "Tuesday two"])
def test_text_that_was_not_sent_is_not_found(uttered: str) -> None:
    assert spoken_up_to(uttered, SPOKEN, near=0) is None


def ledger(*texts: str) -> PlaybackLedger:
    made = PlaybackLedger()
    for number, text in enumerate(texts, 1):
        made.send(Sent(number, text, 0.0))
    return made


def test_time_tells_how_much_was_spoken_clip_by_clip() -> None:
    sent = ledger("x" * 14, "y" * 28)
    assert sent.next_s() == pytest.approx(ON_ITS_WAY_S + 1)
    assert sent.passes(ON_ITS_WAY_S) == []
    assert sent.passes(ON_ITS_WAY_S + 0.5) == [(1, 0.5)]
    assert sent.passes(ON_ITS_WAY_S + 2) == [(1, 1.0), (2, 0.5)]
    assert sent.next_s() == pytest.approx(ON_ITS_WAY_S + 3)
    assert sent.passes(99) == [(2, 1.0)]
    assert sent.next_s() is None


def test_an_early_answer_means_faster_speech_within_limits() -> None:
    sent = ledger("x" * 100)
    assert sent.answered(ON_ITS_WAY_S + 1) == [(1, FAST / 100)]
    assert FAST > PACE


def test_an_unknown_utterance_leaves_the_estimate_by_time() -> None:
    sent = ledger("You are booked for Tuesday at two in the afternoon.")
    assert sent.cut("Termin am Dienstag", ON_ITS_WAY_S + 1) == [(1, 14 / 51)]


def test_the_heard_position_never_decreases() -> None:
    sent = ledger("You are booked.", "On Tuesday at two.")
    assert sent.passes(ON_ITS_WAY_S + 2) == [(1, 1.0), (2, 13 / 18)]
    assert sent.cut("You are", ON_ITS_WAY_S + 2) == [(2, 13 / 18)]


def test_unspoken_text_is_repeated_from_the_beginning_of_a_word() -> None:
    sent = ledger("You are booked.", "On Tuesday at two.", "Bye.")
    sent.cut("On Tues", 2.0)
    assert [one.new for one in sent.rest()] == ["Tuesday at two.", "Bye."]
    assert sent.rest() == []
    sent.send(Sent(2, "On Tuesday at two.", 10.0, skipped=3))
    assert sent.passes(99) == [(2, 1.0)]


def test_a_dropped_clip_does_not_change_the_estimate_of_others() -> None:
    sent = ledger("x" * 14, "y" * 14, "z" * 14)
    sent.passes(ON_ITS_WAY_S + 1.5)
    assert sent.drop((2,)) == [(2, 0.5)]
    assert [one.number for one in sent.rest()] == [3]


def test_a_long_call_needs_no_growing_memory() -> None:
    sent = ledger()
    for number in range(500):
        sent.send(Sent(number, "x" * 14, float(2 * number)))
        sent.passes(2.0 * number + 1.9)
    assert sent.drop(tuple(range(400))) == []


@check_rows(
    ("keys", "asked", "wanted", "means"),
    [
        ("1", True, False, [Answered("yes")]),
        ("2", True, False, [Answered("no")]),
        ("1", False, False, [None]),
        ("0", False, False, [WantsPerson()]),
        ("0#", True, True, [None, Keyed("0")]),
        ("12#", True, True, [None, None, Keyed("12")]),
        ("4711#", False, False, [None] * 4 + [Keyed("4711")]),
        ("471#", False, False, [None] * 4),
        ("99*12#", False, True, [None] * 5 + [Keyed("12")]),
        ("#", False, True, [None]),
        ("A", False, True, [None]),
        ("3", True, False, [None]),
    ],
)
def test_each_key_has_its_meaning(keys: str, asked: bool, wanted: bool, means: list[Pressed | None]) -> None:
    pad = DtmfReader()
    assert [pad.press(key, 0.0, asked=asked, wanted=wanted) for key in keys] == means


def test_a_number_is_complete_after_a_pause() -> None:
    pad = DtmfReader()
    pad.press("4", 10.0, asked=False, wanted=True)
    assert pad.due_s == 12.0
    assert pad.passes(11.0) is None
    assert pad.passes(12.0) == Keyed("4")
    assert pad.due_s is None
    assert pad.passes(13.0) is None


def test_sound_plays_at_its_rate_and_waits_for_marks() -> None:
    reel = StreamClock(1_000)
    reel.send(500, 0.0)
    assert reel.mark() == 500
    reel.send(500, 0.0)
    assert reel.played(LATE_S) == 0
    assert reel.played(LATE_S + 0.3) == 300
    assert reel.played(LATE_S + 0.9) == 500
    reel.marked(500, 1.0)
    assert reel.played(1.2) == 700
    assert reel.played(9.0) == 1_000
    reel.clear()
    assert reel.played(9.0) == 0


def test_a_lost_mark_is_not_waited_for_forever() -> None:
    reel = StreamClock(1_000)
    reel.send(500, 0.0)
    reel.mark()
    reel.send(5_000, 0.0)
    assert reel.played(2.0) == 500
    assert reel.played(LATE_S + 2.6) == 2_600
    reel.marked(500, LATE_S + 2.7)
    assert reel.played(LATE_S + 2.7) == 2_700


def test_after_a_silence_playback_starts_again() -> None:
    reel = StreamClock(1_000)
    reel.send(500, 0.0)
    assert reel.played(5.0) == 500
    reel.send(500, 5.0)
    assert reel.played(5.0 + LATE_S) == 500
    assert reel.played(5.0 + LATE_S + 0.1) == 600
