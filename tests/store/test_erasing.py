"""Erased, forgotten or thinned out data is gone from every log, and on disk from its bytes."""

import asyncio
import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assistant.conversation.calls import Call
from assistant.conversation.chunks import StreamEnded, TextDelta
from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import (
    CallEnded,
    CustomerMessage,
    Entry,
    Identified,
    Logged,
    MessageText,
    ModelChunks,
    Snapshot,
    TurnEnded,
    TurnStarted,
)
from assistant.conversation.outcomes import CallEmpty, CallSucceeded, CallTimedOut
from assistant.errors import LogConflict
from assistant.storage_ports import Log
from assistant.store.sqlite.log import SqliteLog
from assistant.store.sqlite.write_queue import SqliteWriteQueue


def of(customer: str, conversation: str = "c1", tenant: str = "acme") -> ConversationKey:
    return ConversationKey(tenant=tenant, customer=customer, conversation=conversation)


def a_turn(said: str, answer: str, at_ms: int = 1_000) -> list[Logged]:
    entries: list[tuple[str, Entry]] = [
        ("", CustomerMessage(message_id="u1", client_message_id="x1", text=said)),
        ("t1", TurnStarted(turn_id="t1", message_id="u1", cause="message", bundle="b")),
        ("t1", MessageText(message_id="m1", text=answer)),
        ("t1", TurnEnded(turn_id="t1", how="answered")),
    ]
    return [Logged(seq, at_ms + seq, turn, entry) for seq, (turn, entry) in enumerate(entries, 1)]


async def test_an_erased_customer_has_no_entries_and_others_keep_theirs(log: Log) -> None:
    for key in (of("ana"), of("ana", "c2"), of("ben"), of("ana", tenant="other")):
        await log.append(key, a_turn(f"I am {key.customer}", "Hello"))

    assert await log.erase("acme", "ana") == 2

    assert await log.read(of("ana")) == []
    assert await log.conversations("acme", "ana") == []
    assert await log.conversations("acme", "ben") == ["c1"]
    assert await log.read(of("ana", tenant="other")) == a_turn("I am ana", "Hello")
    assert await log.erase("acme", "ana") == 0


async def test_a_writer_to_an_erased_conversation_is_refused(log: Log) -> None:
    await log.append(of("ana"), a_turn("Hi", "Hello"))
    await log.erase("acme", "ana")

    with pytest.raises(LogConflict):
        await log.append(of("ana"), [Logged(5, 2_000, "t1", MessageText(message_id="m1", text="more"))])

    await log.append(of("ana"), a_turn("Me again", "Hello again"))
    assert len(await log.read(of("ana"))) == 4


async def test_conversations_without_activity_are_deleted(log: Log) -> None:
    await log.append(of("ana", "old"), a_turn("Hi", "Hello", at_ms=1_000))
    await log.append(of("ana", "new"), a_turn("Hi", "Hello", at_ms=90_000))
    await log.append(of("ben", "began long ago"), a_turn("Hi", "Hello", at_ms=1_000))
    late = Logged(5, 80_000, "t1", MessageText(message_id="m1", text="still here"))
    await log.append(of("ben", "began long ago"), [late])

    assert await log.forget(before_ms=50_000) == 1

    assert await log.conversations("acme", "ana") == ["new"]
    assert await log.conversations("acme", "ben") == ["began long ago"]


async def test_an_open_conversation_is_not_deleted(log: Log) -> None:
    for key in (of("ana", "open"), of("ana", "shut"), of("ben", "open")):
        await log.append(key, a_turn("Hi", "Hello"))

    assert await log.forget(before_ms=50_000, keep={of("ana", "open")}) == 2

    assert await log.conversations("acme", "ana") == ["open"]
    assert await log.conversations("acme", "ben") == []


async def test_visitors_are_found_by_their_later_identity(log: Log) -> None:
    def became(customer: str) -> list[Logged]:
        return [
            *a_turn("Hi", "Hello"),
            Logged(5, 2_000, "t1", Identified(level="verified", customer=customer)),
        ]

    await log.append(of("v-1"), became("ana"))
    await log.append(of("v-1", "c2"), became("ana"))
    await log.append(of("v-2"), became("ben"))
    await log.append(of("v-3", tenant="other"), became("ana"))
    await log.append(of("ana"), became("ana"))

    assert await log.visitors("acme", "ana") == ["v-1"]
    assert await log.visitors("acme", "cleo") == []


async def test_erasures_are_counted_in_the_numbering(log: Log) -> None:
    await log.append(of("ana"), a_turn("Hi", "Hello"))
    await log.append(of("ben"), a_turn("Hi", "Hello"))
    counts = [await log.numbering(of("ana"))]

    await log.erase("acme", "nobody")
    await log.forget(before_ms=0)
    counts.append(await log.numbering(of("ana")))
    await log.erase("acme", "ana")
    counts.append(await log.numbering(of("ana")))
    await log.forget(before_ms=50_000)
    counts.append(await log.numbering(of("ana")))

    assert [count.erasures for count in counts] == [0, 0, 1, 2]


async def test_a_conversation_that_waits_for_an_answer_is_not_deleted(log: Log) -> None:
    await log.append(of("ana"), a_turn("Hi", "Hello")[:3])

    assert await log.forget(before_ms=50_000) == 0
    assert len(await log.read(of("ana"))) == 3


async def test_old_replies_lose_their_text_and_keep_their_cost(log: Log) -> None:
    words = TextDelta("Your invoice is due. " * 20)
    end = StreamEnded("stop", 90, 12)
    reply = ModelChunks(round=1, role="decider", chunks=((3, words), (4, end)), error="cut off")
    kept = [Logged(seq, at_ms, "t1", reply) for seq, at_ms in ((1, 1_000), (2, 60_000))]
    await log.append(of("ana"), kept)

    assert await log.thin_out("chunks", before_ms=50_000) == 1

    old, new = await log.read(of("ana"))
    assert old.entry == ModelChunks(round=1, role="decider", chunks=((4, end),), error="cut off")
    assert new == kept[1]
    assert await log.thin_out("chunks", before_ms=50_000) == 0


async def test_old_results_keep_their_snapshots(log: Log) -> None:
    call = Call(id="c1.1", tool="get_orders")
    large = CallSucceeded(call=call, value=[{"order": f"A-{n}", "note": "x" * 40} for n in range(200)])
    small = CallSucceeded(call=call, value=[{"order": "A-1"}])
    timed_out = CallTimedOut(call=call, after_s=10)
    outcomes = (large, small, CallEmpty(call=call, value=[]), timed_out)
    entries = [Logged(seq, 1_000, "t1", CallEnded(outcome=one)) for seq, one in enumerate(outcomes, 1)]
    await log.append(of("ana"), entries)

    assert await log.thin_out("results", before_ms=50_000) == 1

    first, *others = await log.read(of("ana"))
    assert others == entries[1:]
    assert isinstance(first.entry, CallEnded)
    assert isinstance(first.entry.outcome, CallSucceeded)
    assert first.entry.outcome.full_ref == "result:c1/t1/c1.1"
    assert "A-0" in str(first.entry.outcome.value)
    assert "A-100" not in str(first.entry.outcome.value)


def canary(number: int) -> str:
    return f"canary-{number}-quetzal"


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    customers=st.lists(st.sampled_from(["ana", "ben", "cleo"]), min_size=3, max_size=12),
    lengths=st.lists(st.integers(0, 9_000), min_size=12, max_size=12),
)
async def test_no_byte_of_an_erased_customer_is_left_in_the_folder(
    tmp_path_factory: pytest.TempPathFactory, customers: list[str], lengths: list[int]
) -> None:
    folder = tmp_path_factory.mktemp("data")
    log = SqliteLog(folder / "log.db")
    for number, customer in enumerate(customers):
        # Of many sizes, in many rows: pages are split, merged and chained.
        answer = f"{canary(number)} " * (lengths[number] // 18 + 1)
        await log.append(of(customer, f"c{number}"), a_turn(canary(number), answer))
        if number == len(customers) // 2:
            await log.erase("acme", "cleo")

    await log.erase("acme", "ana")

    left = raw(folder)
    gone = [canary(number) for number, customer in enumerate(customers) if customer == "ana"]
    kept = [canary(number) for number, customer in enumerate(customers) if customer == "ben"]
    assert [one for one in gone if one.encode() in left] == []
    assert [one for one in kept if one.encode() not in left] == []
    await log.close()


@pytest.mark.parametrize("seed", [8, 20])
async def test_no_copy_is_left_where_rows_once_moved_between_pages(tmp_path: Path, seed: int) -> None:
    choose = random.Random(seed)
    log, queue = SqliteLog(tmp_path / "log.db"), SqliteWriteQueue(tmp_path / "log.db")
    customers = [f"customer-{choose.randrange(10**9):09d}" for _ in range(5)]
    said: dict[ConversationKey, int] = {}
    for number in range(150):
        # Results are queued in the same file and removed again: many short rows are written and deleted.
        customer = choose.choice(customers)
        key = of(customer, f"conv-{customer}-{choose.randrange(12)}")
        before = said.get(key, 0)
        said[key] = before + choose.randrange(1, 4)
        kept = [a_snapshot(seq, canary(number)) for seq in range(before + 1, said[key] + 1)]
        await log.append(key, kept)
        if number % 3 == 0:
            for one in (await queue.waiting())[::4]:
                await queue.remove(one.number)

    for gone, customer in enumerate(customers[:3], 1):
        await log.erase("acme", customer)
        assert [one for one in customers if one.encode() in raw(tmp_path)] == customers[gone:]

    await queue.close()
    await log.close()


def a_snapshot(seq: int, of_what: str) -> Logged:
    made = Snapshot(call_id="c1.1", tool_name="x", arguments={}, result_summary=of_what, full_result_ref="")
    return Logged(seq, 1_000 + seq, f"t{seq}", made)


async def test_thinned_out_data_is_gone_from_the_bytes_too(tmp_path: Path) -> None:
    log = SqliteLog(tmp_path / "log.db")
    said = ModelChunks(round=1, role="decider", chunks=((3, TextDelta(f"{canary(1)} " * 50)),))
    await log.append(of("ana"), [Logged(1, 1_000, "t1", said)])

    await log.thin_out("chunks", before_ms=50_000)

    assert canary(1).encode() not in raw(tmp_path)
    await log.close()


async def test_appends_continue_while_a_customer_is_erased(tmp_path: Path) -> None:

    log = SqliteLog(tmp_path / "log.db")
    for number in range(300):
        await log.append(of("ana", f"c{number}"), a_turn("Hi", "Hello " * 50))

    erasing = asyncio.ensure_future(log.erase("acme", "ana"))
    for number in range(50):
        await log.append(of("ben", f"c{number}"), a_turn("Hi", "Hello"))

    assert await erasing == 300
    assert len(await log.conversations("acme", "ben")) == 50
    await log.close()


def raw(folder: Path) -> bytes:
    """Every byte of every file."""
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())
