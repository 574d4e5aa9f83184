"""Whatever is asked of them, in whatever order, all logs answer alike, and tenants stay apart."""

import asyncio
import tempfile
from collections.abc import Sequence
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import (
    CustomerMessage,
    Entry,
    Logged,
    MessageText,
    TurnEnded,
    TurnStarted,
)
from assistant.errors import LogError
from assistant.ports import Log
from assistant.store.memory_log import MemoryLog
from assistant.store.sqlite_log import SqliteLog

few = st.sampled_from("ab")
keys = st.builds(ConversationKey, tenant=few, customer=few, conversation=few)
entries: st.SearchStrategy[Entry] = st.one_of(
    st.builds(CustomerMessage, message_id=few, client_message_id=st.sampled_from("vwxyz"), text=few),
    st.builds(TurnStarted, turn_id=few, message_id=few, cause=st.just("message"), bundle=few),
    st.builds(MessageText, message_id=few, text=few),
    st.builds(TurnEnded, turn_id=few, how=st.just("answered")),
)
off_by = st.sampled_from([0, 0, 0, 0, 0, 1, -1])
appends = st.tuples(keys, st.lists(entries, max_size=4), off_by)


@settings(max_examples=25, deadline=None)
@given(st.lists(appends, max_size=15))
def test_all_logs_answer_alike(history: list[tuple[ConversationKey, list[Entry], int]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        in_memory = asyncio.run(told(MemoryLog(), history))
        on_disk = asyncio.run(told(SqliteLog(Path(folder) / "log.sqlite3"), history))

    assert on_disk == in_memory


async def told(log: Log, history: Sequence[tuple[ConversationKey, Sequence[Entry], int]]) -> list[object]:
    """All that a log answers while it is given a history, and after it."""
    answers: list[object] = []
    touched = {key: 0 for key, _, _ in history}
    for at_ms, (key, new, off) in enumerate(history):
        begin = touched[key] + 1 + off
        logged = [Logged(seq, at_ms, "", entry) for seq, entry in enumerate(new, begin)]
        try:
            await log.append(key, logged)
            touched[key] += len(new)
        except LogError as refusal:
            answers.append((type(refusal), str(refusal)))
    for key, last in touched.items():
        kept = await log.read(key)
        assert [logged.seq for logged in kept] == list(range(1, last + 1))
        answers += [kept, await log.read(key, after=2), await log.conversations(key.tenant, key.customer)]
    answers.append(set(await log.unfinished()))
    await log.close()
    return answers
