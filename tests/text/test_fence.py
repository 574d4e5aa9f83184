"""The mark around a result is known to nobody who writes one."""

import pytest

from assistant.text.fence import FENCE_LENGTH, fence

SECRET = b"of this house"


def test_the_same_call_has_the_same_mark_whenever_it_is_asked_for() -> None:
    assert fence(SECRET, "v1", "t1/c1.1") == fence(SECRET, "v1", "t1/c1.1")


def test_every_house_conversation_and_call_has_a_mark_of_its_own() -> None:
    marks = {
        fence(SECRET, "v1", "t1/c1.1"),
        fence(SECRET, "v1", "t1/c1.2"),
        fence(SECRET, "v1", "t2/c1.1"),
        fence(SECRET, "v2", "t1/c1.1"),
        fence(b"of another house", "v1", "t1/c1.1"),
    }
    assert len(marks) == 5


def test_a_conversation_and_a_call_that_run_together_are_still_told_apart() -> None:
    assert fence(SECRET, "a", "bc") != fence(SECRET, "ab", "c")
    assert fence(SECRET, "a 1", "b") != fence(SECRET, "a", "1 b")


def test_a_mark_is_short_and_of_plain_letters() -> None:
    mark = fence(SECRET, "v1", "t1/c1.1")
    assert len(mark) == FENCE_LENGTH
    assert set(mark) <= set("0123456789abcdef")


def test_half_a_surrogate_pair_in_a_name_is_no_mistake() -> None:
    assert len(fence(SECRET, "v1", "\ud83d")) == FENCE_LENGTH


def test_without_a_secret_there_is_no_mark() -> None:
    with pytest.raises(ValueError, match="needs a secret"):
        fence(b"", "v1", "t1/c1.1")
