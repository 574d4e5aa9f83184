"""An answer that was cut off is gone on with: what was heard of it is not said again."""

from hypothesis import given
from hypothesis import strategies as st

from assistant.turn.guardrails.repetition import NotHeardBefore
from tests.support.rows import check_rows

POLICY = "You can send it back within 30 days. After three weeks you are in time. Shipping is free."
FIRST, SECOND, THIRD = (
    "You can send it back within 30 days. ",
    "After three weeks you are in time. ",
    "Shipping is free.",
)


def shown(guard: NotHeardBefore, *pieces: str) -> str:
    return "".join([*(guard.push(piece) for piece in pieces), guard.close()])


@check_rows(
    ("heard", "left"),
    [
        ("", POLICY),
        ("You can send it", POLICY),
        ("You can send it back within 30 days.", SECOND + THIRD),
        ("You can send it back within 30 days. After three", SECOND + THIRD),
        ("You can send it back within 30 days. After three weeks you are in time.", THIRD),
        ("You can send it back within 30 days. After three weeks you are in time. Ship", THIRD),
        (POLICY, ""),
    ],
)
def test_the_rest_begins_with_the_first_sentence_that_was_not_heard_out(heard: str, left: str) -> None:
    assert shown(NotHeardBefore([heard]), POLICY) == left


def test_what_was_kept_back_is_told_for_the_log() -> None:
    guard = NotHeardBefore([FIRST + SECOND])
    shown(guard, POLICY)

    assert [kept.text for kept in guard.withheld] == [FIRST.strip(), SECOND.strip()]


def test_a_sentence_in_other_words_is_said() -> None:
    said = "You can send it back for 30 days."

    assert shown(NotHeardBefore([FIRST]), said) == said


def test_a_sentence_that_only_begins_the_same_is_said_whole() -> None:
    assert shown(NotHeardBefore([FIRST]), "You can send ", "it back to us.") == "You can send it back to us."


def test_what_is_surely_other_does_not_wait_for_its_end() -> None:
    guard = NotHeardBefore([FIRST])

    assert guard.push("You owe $150, ") == "You owe $150, "


def test_of_several_answers_each_was_heard() -> None:
    guard = NotHeardBefore([FIRST, "It is blue. And"])

    assert shown(guard, "It is blue. ", FIRST, "That is all.") == "That is all."


def test_who_heard_nothing_is_told_everything_at_once() -> None:
    guard = NotHeardBefore([])

    assert guard.push("You can") == "You can"


@given(st.data(), st.sampled_from([FIRST, FIRST + SECOND, SECOND, "It is blue."]))
def test_however_it_streams_the_same_is_left(data: st.DataObject, heard: str) -> None:
    cuts = sorted(data.draw(st.sets(st.integers(1, len(POLICY) - 1), max_size=12)))
    pieces = [POLICY[start:end] for start, end in zip([0, *cuts], [*cuts, len(POLICY)], strict=True)]

    assert shown(NotHeardBefore([heard]), *pieces) == shown(NotHeardBefore([heard]), POLICY)
