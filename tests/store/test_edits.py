"""The database finds the same newest edit as the edits in memory that other tests use."""

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
    ):
        for one in every:
            await one.publish("acme", before, bundle)
        for begun in "abcdex":
            assert await kept.newest("acme", begun) == await memory.newest("acme", begun), (before, begun)
    assert await kept.newest("other", "a") == "a"
