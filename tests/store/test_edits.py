"""The database finds the same newest edit as the edits in memory that other tests use."""

import asyncio

from assistant.store.postgres.database import ConnectionPool
from assistant.store.postgres.state import PostgresEdits
from assistant.store.storage import SharedEdits
from tests.support.memory_edits import MemoryEdits


async def test_the_database_finds_the_newest_edit(connections: ConnectionPool) -> None:
    kept, memory = PostgresEdits(connections), MemoryEdits()
    every: tuple[SharedEdits, SharedEdits] = (kept, memory)
    for before, bundle in (
        (["a"], "b"),
        (["a", "b"], "c"),
        (["x"], "c"),
        (["c", "x"], "d"),
        (["d"], "a"),
        (["a"], "e"),
        (["b"], "f"),
        (["a"], "g"),
        (["f"], "b"),
    ):
        for one in every:
            await one.publish("acme", before, bundle)
        for begun in "abcdefgx":
            assert await kept.newest("acme", begun) == await memory.newest("acme", begun), (before, begun)
    assert await kept.newest("other", "a") == "a"


async def test_of_edits_published_together_one_is_the_last_for_all(
    connections: ConnectionPool,
) -> None:
    kept = PostgresEdits(connections)
    for round_ in range(5):  # in the first, the connections are still being opened
        edits = [f"{round_} {number}" for number in range(8)]
        await asyncio.gather(*(kept.publish("acme", ["a"], edit) for edit in edits))

        last = await kept.newest("acme", "a")
        assert last in edits
        assert [await kept.newest("acme", edit) for edit in edits] == [last] * 8
