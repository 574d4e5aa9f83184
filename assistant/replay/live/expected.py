"""What of a file's expectations a live model can be held to: its words are its own, and so is its time."""

from assistant.replay.expectations import Expectations, Hears

_NO_TIMES = {"within_ms": None, "complete_within_ms": None}
_NO_WORDS = {"text": None, "text_contains": (), "text_matches": None}


def words_expected(expect: Expectations) -> Expectations:
    """Its ``hears`` without whole texts and without times.

    A status is not waited for: whether one comes depends on how long things take, and on the model.
    """
    update = {"text": None, "interrupted": None, **_NO_TIMES}
    words = [one.model_copy(update=update) for one in expect.hears if one.kind != "status"]
    says_something = [one for one in words if one.kind or one.text_contains or one.text_matches]
    return expect.model_copy(update={"hears": tuple(says_something)})


def times_expected(expect: Expectations) -> Expectations:
    """Its ``hears`` with their kinds and times alone, where they have times; and its ``silence_ms``."""
    timed = [one.model_copy(update={"interrupted": None, **_NO_WORDS}) for one in expect.hears if _timed(one)]
    return Expectations(hears=tuple(timed), silence_ms=expect.silence_ms)


def _timed(one: Hears) -> bool:
    return one.within_ms is not None or one.complete_within_ms is not None
