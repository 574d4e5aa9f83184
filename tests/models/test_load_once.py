"""An object that is made once is made once for all callers."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from assistant.models.load_once import LoadOnce


def test_two_concurrent_threads_get_the_same_object() -> None:
    made: list[object] = []
    both_are_here = threading.Barrier(2)

    def make() -> object:
        made.append(object())
        return made[-1]

    thing = LoadOnce(make)

    def ask() -> object:
        both_are_here.wait(5)
        return thing()

    with ThreadPoolExecutor(2) as threads:
        first, second = (threads.submit(ask) for _ in range(2))
        assert first.result() is second.result()
    assert len(made) == 1


def test_a_failed_attempt_is_repeated() -> None:
    answers = iter([OSError("not yet"), "here"])

    def make() -> str:
        answer = next(answers)
        if isinstance(answer, OSError):
            raise answer
        return answer

    thing = LoadOnce(make)

    with pytest.raises(OSError, match="not yet"):
        thing()
    assert thing() == "here"
