"""Which acknowledgement is spoken, and how the waits for tools are measured."""

from assistant.voice.playback import heard_up_to
from assistant.voice.scheduler import AcknowledgementLength, acknowledgement_length
from assistant.voice.turn_progress import UNKNOWN_S, AnswerWaits
from tests.support.rows import check_rows


@check_rows(
    ("expected_s", "silent_s", "answered", "manner"),
    [
        (2.0, 0.3, False, "whole"),
        (9.0, 3.0, True, "whole"),
        (1.9, 0.3, False, "short"),
        (0.3, 1.4, False, "short"),
        (0.3, 0.3, False, "none"),
        (1.9, 0.3, True, "none"),
    ],
)
def test_its_length_depends_on_the_expected_wait(
    expected_s: float, silent_s: float, answered: bool, manner: AcknowledgementLength
) -> None:
    assert acknowledgement_length(expected_s, silent_s, answered=answered) == manner


def test_of_several_tools_the_slowest_and_its_latest_waits_count_most() -> None:
    waits = AnswerWaits()
    assert waits.expected_s(["orders"]) == waits.expected_s([]) == UNKNOWN_S
    waits.note(["orders"], 4.0)
    waits.note(["billing"], 0.2)
    assert waits.expected_s(["billing", "orders"]) == 4.0
    for _ in range(9):
        waits.note(["orders"], 0.2)
    assert waits.expected_s(["orders"]) < 0.5


def test_a_declared_duration_counts_until_one_was_measured() -> None:
    waits = AnswerWaits({"archive": 6.0, "orders": 0.1}.get)
    assert (waits.expected_s(["archive"]), waits.expected_s(["orders"])) == (6.0, UNKNOWN_S)
    waits.note(["archive"], 0.5)
    assert waits.expected_s(["archive"]) == 0.5


@check_rows("part", [number / 97 for number in range(110)])
def test_a_position_is_the_end_of_a_completely_heard_word(part: float) -> None:
    text = "Before. You owe  150 euros, in all. After"
    start, end = 8, 36
    reached = heard_up_to(text, start, end, part)
    words = text[start:end].rstrip()
    assert start <= reached <= end
    assert reached - start <= max(0, part) * len(words) or part >= 1
    assert reached in (start, end) or (text[reached].isspace() and not text[reached - 1].isspace())
