"""Stored entries can be read again, and the stored form of an entry never changes."""

from collections.abc import Iterator
from dataclasses import fields
from typing import Any, cast, get_args

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.conversation.calls import Call
from assistant.conversation.chunks import CallArguments, CallNamed, StreamEnded, TextDelta
from assistant.conversation.codec import entry_from_json, entry_to_json, from_json, kind_of, to_json
from assistant.conversation.documents import Attached
from assistant.conversation.entries import (
    AgentMessage,
    ApprovalDecided,
    ApprovalRequested,
    CallEnded,
    CallRequested,
    CallsDelayed,
    CallsPending,
    CallStarted,
    ClientConnected,
    ClientDisconnected,
    ConfirmationAnswered,
    ConfirmationAsked,
    CustomerMessage,
    DecisionClosed,
    DeliveryReceipt,
    Entry,
    ForwardedToAgent,
    Handoff,
    IdentificationAttempted,
    Identified,
    Logged,
    LongCallAccepted,
    LongCallProgressed,
    LongCallStarted,
    LongCallStopRequested,
    MessageClosed,
    MessageOpened,
    MessageText,
    ModelAsked,
    ModelChunks,
    PoliciesChosen,
    Rated,
    ReplyWithheld,
    ResultsDelivered,
    ReviewDecided,
    ReviewRequested,
    SentenceSuppressed,
    Snapshot,
    Summary,
    SupervisionChosen,
    TurnEnded,
    TurnStarted,
)
from assistant.conversation.outcomes import (
    CallAwaitingConfirmation,
    CallCancelled,
    CallDenied,
    CallEmpty,
    CallFailed,
    CallSucceeded,
    CallTimedOut,
    CallUnknown,
    Media,
    Outcome,
)
from assistant.conversation.staff_entries import (
    Assigned,
    ConversationClosed,
    HandoffRouted,
    NoteAdded,
    NoteToAssistant,
    Tagged,
)
from assistant.errors import LogError
from tests.support.rows import check_rows

CALL = Call(id="c1.1", tool="find_slots", arguments={"days": 3}, provider_id="p1", opaque={"sig": "x"})
PLAIN_CALL = Call(id="c1.2", tool="get_orders")
CALL_FORM = '{"id":"c1.1","tool":"find_slots","arguments":{"days":3},"provider_id":"p1","opaque":{"sig":"x"}}'
PLAIN_CALL_FORM = '{"id":"c1.2","tool":"get_orders","arguments":{},"provider_id":null,"opaque":null}'

FORMS: list[tuple[Entry, str]] = [
    (
        CustomerMessage(message_id="m1", client_message_id="x", text="Grüße", button="yes"),
        '{"message_id":"m1","client_message_id":"x","text":"Grüße","locale":"en","button":"yes","attachments":[],"spoken":false}',
    ),
    (
        TurnStarted(turn_id="t1", message_id="m1", cause="message", bundle="b"),
        '{"turn_id":"t1","message_id":"m1","cause":"message","bundle":"b"}',
    ),
    (PoliciesChosen(names=("returns",)), '{"names":["returns"]}'),
    (
        ModelAsked(round=1, role="decider", model="offline"),
        '{"round":1,"role":"decider","model":"offline","attempt":1}',
    ),
    (
        ModelChunks(
            round=1,
            role="decider",
            chunks=(
                (3, TextDelta("Sure")),
                (5, CallNamed(0, "find_slots")),
                (8, CallArguments(0, "{}")),
                (9, StreamEnded("tool_calls", 12)),
            ),
        ),
        '{"round":1,"role":"decider","chunks":[[3,["text_delta","Sure"]],'
        '[5,["call_named",0,"find_slots",null]],[8,["call_arguments",0,"{}"]],'
        '[9,["stream_ended","tool_calls",12,null,null,null,null]]],"error":null}',
    ),
    (CallRequested(call=CALL), f'{{"call":{CALL_FORM}}}'),
    (
        DecisionClosed(round=1, call_ids=("c1.1", "c1.2")),
        '{"round":1,"call_ids":["c1.1","c1.2"],"how":"complete"}',
    ),
    (MessageOpened(message_id="m2", round=1), '{"message_id":"m2","round":1,"model_written":false}'),
    (MessageText(message_id="m2", text="Sure"), '{"message_id":"m2","text":"Sure"}'),
    (
        MessageClosed(message_id="m2", kind="response"),
        '{"message_id":"m2","kind":"response","call_ids":[],"interrupted":false}',
    ),
    (
        SentenceSuppressed(round=2, guardrail="claims", text="It is cancelled."),
        '{"round":2,"guardrail":"claims","text":"It is cancelled."}',
    ),
    (
        CallStarted(call_id="c1.1", tool="find_slots", idempotency_key="k"),
        '{"call_id":"c1.1","tool":"find_slots","idempotency_key":"k","arguments":null}',
    ),
    (
        CallEnded(outcome=CallUnknown(call=CALL), duration_ms=7),
        f'{{"outcome":{{"type":"call_unknown","call":{CALL_FORM}}},"duration_ms":7,"late":false,"reused_from":""}}',
    ),
    (CallsPending(call_ids=("c1.1",)), '{"call_ids":["c1.1"]}'),
    (SupervisionChosen(mode="shadow"), '{"mode":"shadow"}'),
    (
        ReplyWithheld(message_id="t1/m2", round=1, kind="response", text="At nine.", model_written=True),
        '{"message_id":"t1/m2","round":1,"kind":"response","text":"At nine.","model_written":true}',
    ),
    (ReviewRequested(text="At nine.", until_ms=120_000), '{"text":"At nine.","until_ms":120000}'),
    (
        ReviewDecided(decision="edited", account="a1", name="Kim", text="At eight."),
        '{"decision":"edited","account":"a1","name":"Kim","text":"At eight."}',
    ),
    (
        ApprovalRequested(call_id="c1.1", arguments={"amount": 150}, rule="arguments.amount > 100"),
        '{"call_id":"c1.1","arguments":{"amount":150},"rule":"arguments.amount > 100"}',
    ),
    (
        ApprovalDecided(call_id="c1.1", decision="approved", account="a1", name="Kim", why="known"),
        '{"call_id":"c1.1","decision":"approved","account":"a1","name":"Kim","why":"known"}',
    ),
    (LongCallStarted(call_id="c1.1", runner="embedded"), '{"call_id":"c1.1","runner":"embedded"}'),
    (LongCallAccepted(call_id="c1.1"), '{"call_id":"c1.1"}'),
    (
        LongCallProgressed(call_id="c1.1", done=3, total=10, unit="pages"),
        '{"call_id":"c1.1","done":3,"total":10,"unit":"pages"}',
    ),
    (LongCallStopRequested(call_id="c1.1"), '{"call_id":"c1.1"}'),
    (CallsDelayed(call_ids=("c1.1", "c1.2")), '{"call_ids":["c1.1","c1.2"]}'),
    (
        ResultsDelivered(message_id="m2", calls=(("t1", "c1.1"),)),
        '{"message_id":"m2","calls":[["t1","c1.1"]]}',
    ),
    (
        Snapshot(
            call_id="c1.1",
            tool_name="f",
            arguments={"x": 1},
            result_summary=[150],
            full_result_ref="result:7/t1/c1.1",
            complete=False,
            made_by="model",
        ),
        '{"call_id":"c1.1","tool_name":"f","arguments":{"x":1},"result_summary":[150],'
        '"full_result_ref":"result:7/t1/c1.1","complete":false,"made_by":"model"}',
    ),
    (
        Summary(last_turn_id="t9", text="They moved."),
        '{"last_turn_id":"t9","text":"They moved.","made_by":"rule"}',
    ),
    (
        ConfirmationAsked(confirmation_id="q", calls=(CALL, PLAIN_CALL), read_back="So?", expires_at_ms=9),
        f'{{"confirmation_id":"q","calls":[{CALL_FORM},{PLAIN_CALL_FORM}],'
        '"read_back":"So?","expires_at_ms":9,"attempt":1,"clauses":[]}',
    ),
    (
        ConfirmationAnswered(confirmation_id="q", answer="unclear"),
        '{"confirmation_id":"q","answer":"unclear","agreed_call_ids":[],"rules_version":""}',
    ),
    (DeliveryReceipt(message_id="m2", how="heard", up_to=4), '{"message_id":"m2","how":"heard","up_to":4}'),
    (Rated(message_id="m2", rating="down"), '{"message_id":"m2","rating":"down","text":""}'),
    (Identified(level="verified"), '{"level":"verified","customer":null,"name":null}'),
    (IdentificationAttempted(matched=False), '{"matched":false}'),
    (
        Handoff(handoff_id="h1", state="ticket", ticket="T-7"),
        '{"handoff_id":"h1","state":"ticket","why":"","name":"","ticket":"T-7","requested_by":"","via":""}',
    ),
    (ForwardedToAgent(message_id="m1", handoff_id="h1"), '{"message_id":"m1","handoff_id":"h1"}'),
    (
        AgentMessage(message_id="h1/1", handoff_id="h1", name="Maja", text="Hello"),
        '{"message_id":"h1/1","handoff_id":"h1","name":"Maja","text":"Hello"}',
    ),
    (Assigned(account="a1", name="Kim"), '{"account":"a1","name":"Kim"}'),
    (Tagged(tags=("late",)), '{"tags":["late"]}'),
    (
        NoteAdded(note_id="n1", account="a1", name="Kim", text="A VIP"),
        '{"note_id":"n1","account":"a1","name":"Kim","text":"A VIP"}',
    ),
    (
        NoteToAssistant(handoff_id="h1", name="Kim", text="It was cancelled"),
        '{"handoff_id":"h1","name":"Kim","text":"It was cancelled"}',
    ),
    (ConversationClosed(account="a1", name="Kim"), '{"account":"a1","name":"Kim"}'),
    (
        HandoffRouted(handoff_id="h1", rule="large refund", why="7 > 5", team="billing", priority="high"),
        '{"handoff_id":"h1","rule":"large refund","why":"7 > 5","team":"billing","skill":"","priority":"high"}',
    ),
    (ClientConnected(last_seq=7), '{"last_seq":7}'),
    (ClientDisconnected(last_seq=9), '{"last_seq":9}'),
    (TurnEnded(turn_id="t1", how="answered"), '{"turn_id":"t1","how":"answered"}'),
]

OUTCOMES: list[tuple[Outcome, str]] = [
    (
        CallSucceeded(
            call=PLAIN_CALL, value=[{"n": 1.5}], media=(Media(mime="image/png", data="AA==", name="x"),)
        ),
        '"type":"call_succeeded","call":CALL,"value":[{"n":1.5}],'
        '"media":[{"mime":"image/png","data":"AA==","name":"x"}],"omitted":[],"full_ref":""',
    ),
    (CallEmpty(call=PLAIN_CALL), '"type":"call_empty","call":CALL,"value":null'),
    (
        CallFailed(call=PLAIN_CALL, say="no", for_model="why"),
        '"type":"call_failed","call":CALL,"say":"no","for_model":"why"',
    ),
    (CallTimedOut(call=PLAIN_CALL, after_s=10.0), '"type":"call_timed_out","call":CALL,"after_s":10.0'),
    (
        CallCancelled(call=PLAIN_CALL, why="stopped"),
        '"type":"call_cancelled","call":CALL,"why":"stopped","duplicate_of":""',
    ),
    (
        CallDenied(call=PLAIN_CALL, say="no", for_model="why"),
        '"type":"call_denied","call":CALL,"say":"no","for_model":"why"',
    ),
    (
        CallAwaitingConfirmation(call=PLAIN_CALL),
        '"type":"call_awaiting_confirmation","call":CALL',
    ),
    (CallUnknown(call=PLAIN_CALL), '"type":"call_unknown","call":CALL'),
]


@check_rows(("entry", "form"), FORMS, ids=[kind_of(entry) for entry, _ in FORMS])
def test_the_form_of_an_entry_is_that_of_older_logs(entry: Entry, form: str) -> None:
    assert orjson.dumps(entry_to_json(entry)).decode() == form
    assert entry_from_json(kind_of(entry), orjson.loads(form)) == entry


@check_rows(("outcome", "form"), OUTCOMES, ids=[type(outcome).__name__ for outcome, _ in OUTCOMES])
def test_the_form_of_an_outcome_is_that_of_older_logs(outcome: Outcome, form: str) -> None:
    form = form.replace("CALL", PLAIN_CALL_FORM)
    whole = f'{{"outcome":{{{form}}},"duration_ms":0,"late":false,"reused_from":""}}'

    assert orjson.dumps(entry_to_json(CallEnded(outcome=outcome))).decode() == whole
    assert entry_from_json("call_ended", orjson.loads(whole)) == CallEnded(outcome=outcome)


def test_the_form_of_every_entry_and_every_outcome_is_fixed_here() -> None:
    assert {type(entry) for entry, _ in FORMS} == set(get_args(Entry))
    assert {type(outcome) for outcome, _ in OUTCOMES} == set(get_args(Outcome))


def test_the_kinds_have_the_names_of_older_logs() -> None:
    assert [kind_of(entry) for entry, _ in FORMS] == [
        "customer_message",
        "turn_started",
        "policies_chosen",
        "model_asked",
        "model_chunks",
        "call_requested",
        "decision_closed",
        "message_opened",
        "message_text",
        "message_closed",
        "sentence_suppressed",
        "call_started",
        "call_ended",
        "calls_pending",
        "supervision_chosen",
        "reply_withheld",
        "review_requested",
        "review_decided",
        "approval_requested",
        "approval_decided",
        "long_call_started",
        "long_call_accepted",
        "long_call_progressed",
        "long_call_stop_requested",
        "calls_delayed",
        "results_delivered",
        "snapshot",
        "summary",
        "confirmation_asked",
        "confirmation_answered",
        "delivery_receipt",
        "rated",
        "identified",
        "identification_attempted",
        "handoff",
        "forwarded_to_agent",
        "agent_message",
        "assigned",
        "tagged",
        "note_added",
        "note_to_assistant",
        "conversation_closed",
        "handoff_routed",
        "client_connected",
        "client_disconnected",
        "turn_ended",
    ]


numbers = st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False)
json = st.recursive(
    st.none() | st.booleans() | numbers | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
objects = st.dictionaries(st.text(), json, max_size=3)
calls = st.builds(Call, arguments=objects, opaque=st.none() | objects)
refs = st.tuples(st.text(), st.text())
after_s = st.floats(allow_nan=False, allow_infinity=False)
outcomes = st.one_of(
    st.builds(CallSucceeded, call=calls, value=json),
    st.builds(CallEmpty, call=calls, value=json),
    st.builds(CallTimedOut, call=calls, after_s=after_s),
    *(st.builds(kind, call=calls) for kind in (CallFailed, CallCancelled, CallDenied, CallUnknown)),
)
counted = st.integers(0, 2**53)
chunks = st.one_of(
    st.builds(TextDelta),
    st.builds(CallNamed, index=counted),
    st.builds(CallArguments, index=counted),
    st.builds(
        StreamEnded,
        input_tokens=st.none() | counted,
        output_tokens=st.none() | counted,
        cached_tokens=st.none() | counted,
        cost_usd=st.none() | st.floats(0, 1),
    ),
)


def a(kind: type[Entry]) -> st.SearchStrategy[Entry]:
    """Any entry of one kind."""
    ours = {
        "call": calls,
        "calls": st.lists(refs if kind is ResultsDelivered else calls, max_size=3).map(tuple),
        "chunks": st.lists(st.tuples(counted, chunks), max_size=3).map(tuple),
        "outcome": outcomes,
        "arguments": objects if kind is Snapshot else st.none() | objects,
        "result_summary": json,
    }
    numbered = {field.name: counted for field in fields(kind) if field.type is int}
    return st.builds(
        kind, **numbered, **{field.name: ours[field.name] for field in fields(kind) if field.name in ours}
    )


@given(
    st.builds(
        Logged,
        seq=counted,
        at_ms=counted,
        turn_id=st.text(),
        fence=counted,
        entry=st.one_of(*(a(kind) for kind in get_args(Entry))),
    )
)
def test_every_entry_is_read_as_it_was_written(logged: Logged) -> None:
    assert from_json(orjson.loads(orjson.dumps(to_json(logged)))) == logged
    assert from_json(to_json(logged)) == logged


def test_a_single_renamed_missing_or_unknown_key_is_refused() -> None:
    """Of every entry, and of every object within it: a key that is not read would lose its value silently."""
    silent = [
        f"{kind_of(entry)}: {told}"
        for entry, form in FORMS
        for told, data in misspelt(orjson.loads(form))
        if not refuses(kind_of(entry), data)
    ]

    assert silent == []


def refuses(kind: str, data: dict[str, Any]) -> bool:
    try:
        entry_from_json(kind, data)
    except LogError:
        return True
    return False


def misspelt(data: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The same with one key renamed, left out or added, at any depth; what a tool was given has keys of its own."""
    yield "one more", {**data, "mood": "good"}
    for name, value in data.items():
        others = {key: each for key, each in data.items() if key != name}
        yield f"{name} renamed", {**others, f"{name}_": value}
        yield f"{name} left out", others
        if isinstance(value, dict) and name in {"call", "outcome", "confirmation"}:
            for told, inner in misspelt(cast("dict[str, Any]", value)):
                yield f"{name}: {told}", {**data, name: inner}


def test_a_renamed_key_is_reported_with_the_correct_one() -> None:
    with pytest.raises(LogError) as refused:
        entry_from_json("message_text", {"message_id": "m", "txt": "Hi"})

    assert str(refused.value) == (
        "this is no 'message_text' as this release writes it: unknown 'txt' and missing 'text'; its keys are "
        "message_id, text"
    )


def test_a_chunk_with_an_extra_value_is_refused() -> None:
    with pytest.raises(LogError, match="'text_delta' has text, got 2 values"):
        entry_from_json(
            "model_chunks",
            {
                "round": 1,
                "role": "decider",
                "chunks": [[1, ["text_delta", "Hi", "new"]]],
                "error": None,
            },
        )


def test_the_form_of_a_message_with_a_file() -> None:
    sent = CustomerMessage(
        message_id="m2",
        client_message_id="y",
        text="",
        attachments=(Attached(ref="document:7", name="Rechnung.pdf"),),
    )
    form = (
        '{"message_id":"m2","client_message_id":"y","text":"","locale":"en","button":null,'
        '"attachments":[{"ref":"document:7","name":"Rechnung.pdf"}],"spoken":false}'
    )

    assert orjson.dumps(entry_to_json(sent)).decode() == form
    assert entry_from_json("customer_message", orjson.loads(form)) == sent


def test_an_unknown_kind_is_named() -> None:
    with pytest.raises(LogError, match="'dreamt' are not known"):
        entry_from_json("dreamt", {})


@check_rows(
    ("kind", "data"),
    [
        ("customer_message", {"text": "no ids"}),
        ("call_ended", {"outcome": {"type": "call_exploded"}}),
        ("call_ended", {"outcome": {}}),
        ("model_chunks", {"round": 1, "role": "decider", "chunks": [3]}),
        ("model_chunks", {"round": 1, "role": "decider", "chunks": [[1, ["a new chunk"]]]}),
        ("model_chunks", {"round": 1, "role": "decider", "chunks": [[1]]}),
        ("delivery_receipt", None),
    ],
)
def test_fields_of_another_kind_are_refused(kind: str, data: dict[str, object]) -> None:
    with pytest.raises(LogError, match=f"this is no '{kind}'"):
        entry_from_json(kind, data)


def test_an_entry_without_its_position_is_refused() -> None:
    with pytest.raises(LogError, match="'seq'"):
        from_json({"kind": "identified", "entry": {"level": "verified"}})
    with pytest.raises(LogError, match="'kind'"):
        from_json({"seq": 1})
