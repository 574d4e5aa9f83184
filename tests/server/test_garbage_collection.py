"""Collections stay short: what survives one is not visited by the next, and is freed all the same."""

import asyncio
import gc
from weakref import ref

import pytest

from assistant.server.garbage_collection import short_collections
from assistant.sessions.fair_steps import run_fairly

pytestmark = pytest.mark.usefixtures("everything_is_collected")


class Node:
    """Refers to itself, so only a collection frees it."""

    def __init__(self) -> None:
        self.itself = self


def _as_many_as_are_frozen() -> list[list[None]]:
    gc.disable()  # otherwise they are collected, frozen and counted forty times
    try:
        return [[] for _ in range(gc.get_freeze_count())]
    finally:
        gc.enable()


async def test_what_survives_a_collection_is_not_visited_again() -> None:
    with short_collections():
        kept = [Node() for _ in range(10)]
        assert any(one is kept for one in gc.get_objects())
        gc.collect()
        assert not any(one is kept for one in gc.get_objects())


async def test_young_objects_that_refer_to_themselves_are_freed() -> None:
    with short_collections():
        node = ref(Node())
        gc.collect()
        assert node() is None


async def test_old_ones_are_freed_when_many_objects_have_been_kept() -> None:
    with short_collections(most=10, count_every=1):
        node = Node()
        known = ref(node)
        gc.collect()
        del node
        assert known() is not None, "it is not visited any more"
        more = _as_many_as_are_frozen()
        gc.collect()
        await asyncio.sleep(0.01)
        assert known() is None, "twice as many objects are frozen, so all are visited again"
    assert more


async def test_all_objects_are_visited_when_no_turn_runs_or_after_a_limit() -> None:
    for wait_s in (60.0, 0.1):
        with short_collections(most=10, count_every=1, wait_s=wait_s):
            answered = asyncio.Event()
            turn = asyncio.create_task(run_fairly("shop", answered.wait))
            node = Node()
            known = ref(node)
            gc.collect()
            del node
            more = _as_many_as_are_frozen()
            gc.collect()
            await asyncio.sleep(0.2)
            assert (known() is None) == (wait_s < 1), "a customer waits for this turn"
            answered.set()
            await turn
            await asyncio.sleep(0.1)
            assert known() is None
        more.clear()


async def test_few_kept_objects_cause_no_complete_collection() -> None:
    with short_collections(most=10, count_every=1):
        node = Node()
        known = ref(node)
        gc.collect()
        del node
        gc.collect()
        await asyncio.sleep(0)
        assert known() is not None


async def test_afterwards_python_collects_as_before() -> None:
    before, callbacks = gc.get_threshold(), list(gc.callbacks)
    with short_collections():
        assert gc.get_threshold() != before
    assert gc.get_threshold() == before
    assert gc.callbacks == callbacks
    assert gc.get_freeze_count() == 0
