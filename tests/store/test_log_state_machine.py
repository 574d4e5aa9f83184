"""After any sequence of operations, all logs have the same content."""

import asyncio
import os
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from assistant.conversation.calls import Call
from assistant.conversation.chunks import StreamEnded, TextDelta
from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import (
    CallEnded,
    CustomerMessage,
    Entry,
    ForwardedToAgent,
    Handoff,
    Identified,
    Logged,
    MessageText,
    ModelChunks,
    TurnEnded,
    TurnStarted,
)
from assistant.conversation.outcomes import CallSucceeded
from assistant.errors import AlreadySaid, LogError
from assistant.storage_ports import Log
from assistant.store.memory_log import MemoryLog
from assistant.store.postgres.database import ConnectionPool, migrate, read_address
from assistant.store.postgres.log import PostgresLog
from assistant.store.sqlite.log import SqliteLog
from tests.support.postgres import empty_database, install

RUNS = int(os.environ.get("LOG_HISTORIES", "6"))

few = st.sampled_from("ab")
words = st.text(max_size=3)
keys = st.builds(ConversationKey, tenant=few, customer=few, conversation=few)
long_value = [{"amount": number, "due": "2026-11-23"} for number in range(20)]
entries: st.SearchStrategy[Entry] = st.one_of(
    st.builds(CustomerMessage, message_id=few, client_message_id=st.sampled_from("vwxyz"), text=words),
    st.builds(TurnStarted, turn_id=few, message_id=few, cause=st.just("message"), bundle=few),
    st.builds(MessageText, message_id=few, text=words),
    st.builds(TurnEnded, turn_id=few, how=st.just("answered")),
    st.builds(Handoff, handoff_id=few, state=st.sampled_from(["requested", "accepted", "ended"])),
    st.builds(ForwardedToAgent, message_id=few),
    st.builds(Identified, level=st.just("verified"), customer=st.none() | few),
    st.just(
        ModelChunks(
            round=1, role="decider", chunks=((3, TextDelta("Hi " * 99)), (4, StreamEnded("stop", 9, 1)))
        )
    ),
    st.just(
        CallEnded(
            outcome=CallSucceeded(call=Call(id="c1", tool="list_bills", arguments={}), value=long_value),
            duration_ms=1,
        )
    ),
)
times = st.integers(min_value=0, max_value=60)
T = TypeVar("T")


class AllLogs(RuleBasedStateMachine):
    """The same questions for the log in memory, in a file and in a database."""

    address: str

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.folder = tempfile.TemporaryDirectory()
        self.runner.run(empty_database(self.address))
        self.runner.run(install(self.address))
        self.connections = ConnectionPool(read_address(self.address), migrate)
        self.logs: dict[str, Log] = {
            "memory": MemoryLog(),
            "sqlite": SqliteLog(Path(self.folder.name) / "log.db"),
            "postgres": PostgresLog(self.connections),
        }
        self.last: dict[ConversationKey, int] = {}
        self.now = 0

    def asked(self, question: Callable[[Log], Awaitable[T]]) -> T | str:
        """What all of them answer; their refusal, if it is one."""

        async def answer(log: Log) -> T | str:
            try:
                return await question(log)
            except AlreadySaid:
                return "already said"  # which one of several is named differs
            except LogError as refusal:
                return f"{type(refusal).__name__}: {refusal}"

        answers = {name: self.runner.run(answer(log)) for name, log in self.logs.items()}
        assert answers["sqlite"] == answers["memory"]
        assert answers["postgres"] == answers["memory"]
        return answers["memory"]

    @rule(
        key=keys, new=st.lists(entries, min_size=1, max_size=4), off_by=st.sampled_from([0, 0, 0, 0, 1, -1])
    )
    def append(self, key: ConversationKey, new: list[Entry], off_by: int) -> None:
        """The next entries, or some that leave a gap or come again."""
        self.now += 1
        first = self.last.get(key, 0) + 1 + off_by
        logged = [Logged(seq, self.now, f"t{seq}", entry) for seq, entry in enumerate(new, first)]
        if self.asked(lambda log: log.append(key, logged)) is None:
            self.last[key] = logged[-1].seq

    @rule(key=keys, after=st.integers(min_value=-1, max_value=9))
    def read(self, key: ConversationKey, after: int) -> None:
        """Some of the entries."""
        self.asked(lambda log: log.read(key, after))

    @rule(tenant=few, customer=few)
    def erase(self, tenant: str, customer: str) -> None:
        """All that is known of a customer."""
        self.asked(lambda log: log.erase(tenant, customer))
        self.last = {
            key: seq for key, seq in self.last.items() if (key.tenant, key.customer) != (tenant, customer)
        }

    @rule(before_ms=times, keep=st.lists(keys, max_size=2))
    def forget(self, before_ms: int, keep: list[ConversationKey]) -> None:
        """What is old, except what is open."""
        self.asked(lambda log: log.forget(before_ms, keep))
        read = {key: self.runner.run(self.logs["memory"].read(key)) for key in self.last}
        self.last = {key: found[-1].seq for key, found in read.items() if found}

    @rule(what=st.sampled_from(["chunks", "results"]), before_ms=times)
    def thin_out(self, what: str, before_ms: int) -> None:
        """What only matters for a while."""
        self.asked(lambda log: log.thin_out(what, before_ms))  # pyright: ignore[reportArgumentType]

    @invariant()
    def all_know_the_same(self) -> None:
        """Which conversations there are, whose, and what is left to do."""

        async def found(log: Log) -> object:
            pairs = [(tenant, customer) for tenant in "ab" for customer in "ab"]
            return (
                [await log.conversations(*pair) for pair in pairs],
                [sorted(await log.visitors(*pair)) for pair in pairs],
                set(await log.unfinished()),
                (await log.numbering(ConversationKey(tenant="a", customer="a", conversation="a"))).erasures
                > 0,
            )

        self.asked(found)

    def teardown(self) -> None:
        """All entries once more; then everything is closed."""
        for key in self.last:
            read = self.asked(lambda log, key=key: log.read(key))
            assert [logged.seq for logged in read if isinstance(logged, Logged)] == [
                *range(1, self.last[key] + 1)
            ]
        for log in self.logs.values():
            self.runner.run(log.close())
        self.runner.run(self.connections.close())
        self.runner.close()
        self.folder.cleanup()


def test_all_logs_answer_alike(database_address: str) -> None:
    AllLogs.address = database_address
    run_state_machine_as_test(  # pyright: ignore[reportUnknownMemberType]
        AllLogs,
        settings=settings(
            max_examples=RUNS,
            stateful_step_count=50,
            deadline=None,
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
        ),
    )
