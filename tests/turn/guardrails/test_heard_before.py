"""An interrupted answer is continued: heard sentences are not repeated."""

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
def test_the_rest_begins_with_the_first_sentence_that_was_not_heard(heard: str, left: str) -> None:
    assert shown(NotHeardBefore([heard]), POLICY) == left


def test_suppressed_sentences_are_returned_for_the_log() -> None:
    guard = NotHeardBefore([FIRST + SECOND])
    shown(guard, POLICY)

    assert [kept.text for kept in guard.withheld] == [FIRST.strip(), SECOND.strip()]


def test_a_sentence_in_other_words_is_shown() -> None:
    said = "You can send it back for 30 days."

    assert shown(NotHeardBefore([FIRST]), said) == said


def test_a_sentence_that_only_begins_the_same_is_shown_whole() -> None:
    assert shown(NotHeardBefore([FIRST]), "You can send ", "it back to us.") == "You can send it back to us."


def test_a_clearly_different_sentence_does_not_wait_for_its_end() -> None:
    guard = NotHeardBefore([FIRST])

    assert guard.push("You owe $150, ") == "You owe $150, "


def test_each_of_several_answers_counts_as_heard() -> None:
    guard = NotHeardBefore([FIRST, "It is blue. And"])

    assert shown(guard, "It is blue. ", FIRST, "That is all.") == "That is all."


def test_without_heard_text_everything_is_shown_immediately() -> None:
    guard = NotHeardBefore([])

    assert guard.push("You can") == "You can"


@given(st.data(), st.sampled_from([FIRST, FIRST + SECOND, SECOND, "It is blue."]))
def test_cuts_in_the_stream_make_no_difference(data: st.DataObject, heard: str) -> None:
    cuts = sorted(data.draw(st.sets(st.integers(1, len(POLICY) - 1), max_size=12)))
    pieces = [POLICY[start:end] for start, end in zip([0, *cuts], [*cuts, len(POLICY)], strict=True)]

    assert shown(NotHeardBefore([heard]), *pieces) == shown(NotHeardBefore([heard]), POLICY)
