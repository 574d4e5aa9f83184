"""Counted ids are in order and predictable."""

from assistant.ports import Ids
from assistant.testing.counted_ids import CountedIds


def test_ids_count_from_one() -> None:
    ids: Ids = CountedIds()

    assert [ids.new() for _ in range(3)] == ["id-1", "id-2", "id-3"]


def test_two_counters_are_independent() -> None:
    CountedIds().new()

    assert CountedIds("turn-").new() == "turn-1"


def test_its_secret_is_long_enough_for_signing_and_the_same_every_time() -> None:
    assert CountedIds().secret() == CountedIds().secret()
    assert len(CountedIds().secret()) >= 32
