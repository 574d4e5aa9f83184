"""The promises of every log."""

import asyncio
from types import MappingProxyType

import pytest

from assistant.conversation.calls import Call
from assistant.conversation.chunks import StreamEnded, TextDelta
from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import (
    CallEnded,
    CallRequested,
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
from assistant.errors import AlreadySaid, LogConflict, LogError
from assistant.storage_ports import Log


def of_ana(conversation: str) -> ConversationKey:
    return ConversationKey(tenant="acme", customer="ana", conversation=conversation)


def text(seq: int, words: str = "Hello") -> Logged:
    return Logged(seq, 1_000 + seq, "t1", MessageText(message_id="m1", text=words))


def said(seq: int, client_message_id: str = "x1", at_ms: int = 1_000) -> Logged:
    entry = CustomerMessage(message_id=f"m{seq}", client_message_id=client_message_id, text="Hi")
    return Logged(seq, at_ms, "", entry)


async def test_a_writable_log_says_so_and_stores_nothing(log: Log, ana: ConversationKey) -> None:
    await log.check_writable()
    await log.append(ana, [text(1)])
    await log.check_writable()

    assert await log.read(ana) == [text(1)]
    assert await log.conversations("", "") == []

    await log.close()
    with pytest.raises(LogError):
        await log.check_writable()


async def test_entries_are_read_unchanged_and_in_order(log: Log, ana: ConversationKey) -> None:
    call = Call(id="c1.1", tool="get_open_invoices", arguments={"since": "2026-01-01"})
    entries: list[Entry] = [
        Identified(level="verified"),
        CustomerMessage(
            message_id="m1", client_message_id="x1", text="Grüße \N{WAVING HAND SIGN} \x00", button="no"
        ),
        ModelChunks(round=1, role="decider", chunks=((3, TextDelta("Hi")), (4, StreamEnded("stop", 9, 1)))),
        CallRequested(call=call),
        CallEnded(outcome=CallSucceeded(call=call, value=[{"amount": 150.0, "due": None}]), duration_ms=12),
    ]
    kept = [Logged(seq, 1_000 + seq, "t1", entry, fence=3) for seq, entry in enumerate(entries, 1)]

    await log.append(ana, kept[:2])
    await log.append(ana, kept[2:])

    assert await log.read(ana) == kept
    assert await log.read(ana, after=3) == kept[3:]


async def test_reading_past_the_end_or_before_the_start_is_no_error(log: Log, ana: ConversationKey) -> None:
    await log.append(ana, [text(1)])

    assert await log.read(ana, after=1) == []
    assert await log.read(ana, after=99) == []
    assert await log.read(ana, after=-1) == [text(1)]


async def test_an_unknown_conversation_is_empty(log: Log, ana: ConversationKey) -> None:
    assert await log.read(ana) == []
    assert await log.conversations("acme", "ana") == []
    assert await log.unfinished() == []


async def test_an_empty_append_does_nothing(log: Log, ana: ConversationKey) -> None:
    await log.append(ana, [])

    assert await log.conversations("acme", "ana") == []


@pytest.mark.parametrize(
    "numbers",
    [[2], [3], [5], [-1], [0], [4, 4], [4, 6], [5, 4], [3, 4]],
    ids=lambda numbers: ",".join(map(str, numbers)),
)
async def test_a_used_or_skipped_number_is_a_conflict_and_stores_nothing(
    log: Log, ana: ConversationKey, numbers: list[int]
) -> None:
    before = [text(1), text(2), text(3)]
    await log.append(ana, before)

    with pytest.raises(LogConflict):
        await log.append(ana, [text(number, "wrong") for number in numbers])

    assert await log.read(ana) == before


async def test_a_conversation_begins_at_number_1(log: Log, ana: ConversationKey) -> None:
    with pytest.raises(LogConflict, match="the next number is 1"):
        await log.append(ana, [text(2)])

    assert await log.conversations("acme", "ana") == []


async def test_of_two_writers_with_the_same_number_one_must_stop(log: Log, ana: ConversationKey) -> None:
    results = await asyncio.gather(
        log.append(ana, [text(1, "mine")]), log.append(ana, [text(1, "yours")]), return_exceptions=True
    )

    assert sorted(type(result).__name__ for result in results) == ["LogConflict", "NoneType"]
    assert len(await log.read(ana)) == 1


async def test_appends_that_wait_together_are_stored_in_order(log: Log, ana: ConversationKey) -> None:
    await asyncio.gather(*(log.append(ana, [text(seq)]) for seq in range(1, 51)))

    assert [logged.seq for logged in await log.read(ana)] == list(range(1, 51))


async def test_a_client_message_id_is_accepted_once(log: Log, ana: ConversationKey) -> None:
    await log.append(ana, [said(1)])

    with pytest.raises(AlreadySaid, match="'x1'"):
        await log.append(ana, [text(2), said(3)])

    assert await log.read(ana) == [said(1)]


async def test_a_client_message_id_cannot_be_used_twice_concurrently(log: Log, ana: ConversationKey) -> None:
    with pytest.raises(AlreadySaid):
        await log.append(ana, [said(1), said(2)])

    assert await log.read(ana) == []


async def test_a_client_message_id_is_free_again_after_a_refusal(log: Log, ana: ConversationKey) -> None:
    with pytest.raises(LogConflict):
        await log.append(ana, [said(7)])

    await log.append(ana, [said(1)])

    assert await log.read(ana) == [said(1)]


async def test_a_writer_that_is_behind_gets_that_error_first(log: Log, ana: ConversationKey) -> None:
    await log.append(ana, [said(1)])

    with pytest.raises(LogConflict):
        await log.append(ana, [said(1)])


async def test_another_conversation_may_use_the_same_client_message_id(log: Log) -> None:
    await log.append(of_ana("c1"), [said(1)])
    await log.append(of_ana("c2"), [said(1)])

    assert await log.read(of_ana("c2")) == [said(1)]


async def test_one_callers_mistakes_do_not_affect_others(log: Log) -> None:
    await log.append(of_ana("taken"), [said(1)])
    keys = [of_ana(f"c{n}") for n in range(200)]
    good = [log.append(key, [said(1), text(2)]) for key in keys]
    bad = [
        log.append(of_ana("taken"), [text(1)]),
        log.append(of_ana("taken"), [said(2)]),
        log.append(of_ana("gap"), [text(4)]),
    ]

    results = await asyncio.gather(*good[:100], *bad, *good[100:], return_exceptions=True)

    assert [type(result) for result in results[100:103]] == [LogConflict, AlreadySaid, LogConflict]
    assert not any(results[:100])
    assert not any(results[103:])
    for key in keys:
        assert await log.read(key) == [said(1), text(2)]
    assert await log.read(of_ana("taken")) == [said(1)]


async def test_tenants_and_customers_see_only_their_own_entries(log: Log) -> None:
    mine = ConversationKey(tenant="acme", customer="ana", conversation="c1")
    others = [
        ConversationKey(tenant="acme", customer="ben", conversation="c1"),
        ConversationKey(tenant="bolt", customer="ana", conversation="c1"),
        ConversationKey(tenant="", customer="acmeana", conversation="c1"),
    ]
    await log.append(mine, [said(1)])

    for key in others:
        assert await log.read(key) == []
        assert await log.conversations(key.tenant, key.customer) == []
        await log.append(key, [said(1)])
        assert await log.conversations(key.tenant, key.customer) == ["c1"]

    assert await log.read(mine) == [said(1)]


async def test_a_customers_conversations_are_listed_oldest_first(log: Log) -> None:
    await log.append(of_ana("b"), [said(1, at_ms=5)])
    await log.append(of_ana("d"), [said(1, at_ms=3)])
    await log.append(of_ana("c"), [said(1, at_ms=5)])
    await log.append(of_ana("a"), [said(1, at_ms=9)])
    await log.append(of_ana("d"), [text(2)])

    assert await log.conversations("acme", "ana") == ["d", "b", "c", "a"]


async def test_a_conversation_is_unfinished_until_its_last_message_is_answered(
    log: Log, ana: ConversationKey
) -> None:
    steps: list[tuple[Entry, bool]] = [
        (Identified(level="signed_in"), False),
        (CustomerMessage(message_id="m1", client_message_id="x1", text="Hi"), True),
        (TurnStarted(turn_id="t1", message_id="m1", cause="message", bundle="b"), True),
        (MessageText(message_id="m2", text="Hello"), True),
        (TurnEnded(turn_id="t1", how="answered"), False),
        (CustomerMessage(message_id="m3", client_message_id="x2", text="And?"), True),
        (TurnStarted(turn_id="t2", message_id="m3", cause="message", bundle="b"), True),
        (CustomerMessage(message_id="m4", client_message_id="x3", text="Well?"), True),
        (TurnEnded(turn_id="t2", how="interrupted"), True),
        (TurnStarted(turn_id="t3", message_id="m4", cause="message", bundle="b"), True),
        (TurnEnded(turn_id="t3", how="answered"), False),
        (Handoff(handoff_id="h1", state="accepted", name="Sam"), True),
        (CustomerMessage(message_id="m5", client_message_id="x4", text="Hello Sam"), True),
        (ForwardedToAgent(message_id="m5", handoff_id="h1"), True),
        (Handoff(handoff_id="h1", state="ended"), False),
    ]
    for seq, (entry, unfinished) in enumerate(steps, 1):
        await log.append(ana, [Logged(seq, seq, "", entry)])

        assert await log.unfinished() == ([ana] if unfinished else [])


async def test_unfinished_are_found_among_all_tenants(log: Log) -> None:
    keys = {ConversationKey(tenant=t, customer="ana", conversation=c) for t in "ab" for c in "cd"}
    for key in keys:
        await log.append(key, [said(1)])
        await log.append(
            ConversationKey(tenant="done", customer="x", conversation=key.tenant + key.conversation),
            [text(1)],
        )

    assert set(await log.unfinished()) == keys


async def test_any_mapping_and_any_sequence_is_stored_as_json(log: Log, ana: ConversationKey) -> None:
    call = Call(id="c1.1", tool="x", arguments=MappingProxyType({"days": range(2)}))

    await log.append(ana, [Logged(1, 1, "t1", CallRequested(call=call))])

    [logged] = await log.read(ana)
    assert isinstance(logged.entry, CallRequested)
    assert dict(logged.entry.call.arguments)["days"] in ([0, 1], range(2))


async def test_a_cancelled_append_leaves_the_log_usable(log: Log, ana: ConversationKey) -> None:
    append = asyncio.ensure_future(log.append(ana, [text(1)]))
    await asyncio.sleep(0)
    append.cancel()
    await asyncio.gather(append, return_exceptions=True)

    await log.append(of_ana("another"), [text(1)])
    last = len(await log.read(ana))
    await log.append(ana, [text(last + 1)])

    assert [logged.seq for logged in await log.read(ana)] == list(range(1, last + 2))


async def test_a_closed_log_accepts_nothing_more(log: Log, ana: ConversationKey) -> None:
    await log.close()
    await log.close()

    with pytest.raises(LogError, match="closed"):
        await log.append(ana, [text(1)])
