"""What later turns see of a call."""

from typing import cast

import pytest

from assistant.conversation.calls import Call
from assistant.conversation.entries import Snapshot
from assistant.conversation.media import Media
from assistant.conversation.outcomes import (
    CallCancelled,
    CallDenied,
    CallEmpty,
    CallFailed,
    CallSucceeded,
    CallTimedOut,
    CallUnknown,
    Outcome,
)
from assistant.conversation.snapshots import LEFT_OUT, MOST_CHARACTERS, as_remembered, snapshot_of
from assistant.conversation.values import Json
from tests.support.rows import check_rows

CALL = Call(id="c1.2", tool="get_open_invoices", arguments={"year": 2026})
REF = "result:0190/t3/c1.2"
SMALL: Json = [{"number": "INV-1", "amount": "20.00"}]
LARGE: Json = [{"number": f"INV-{number}", "amount": "20.00"} for number in range(400)]
PHOTO = Media(mime="image/png", data="AA==", name="Your parcel at the door")
WHY = "the gateway said no, and said why at length. " * 100


def remembered(outcome: Outcome) -> Outcome:
    return as_remembered(outcome, snapshot_of(outcome, "0190", "t3"))


def test_a_small_result_is_its_own_snapshot() -> None:
    outcome = CallSucceeded(call=CALL, value=SMALL, omitted=("b.png: it cannot be read",))

    assert snapshot_of(outcome, "0190", "t3") == Snapshot(
        call_id="c1.2",
        tool_name="get_open_invoices",
        arguments={"year": 2026},
        result_summary=SMALL,
        full_result_ref=REF,
    )
    assert remembered(outcome) is outcome


def test_a_large_result_is_shortened_and_names_the_whole() -> None:
    outcome = CallSucceeded(call=CALL, value=LARGE)

    snapshot = snapshot_of(outcome, "0190", "t3")
    short = as_remembered(outcome, snapshot)

    assert not snapshot.complete
    assert isinstance(short, CallSucceeded)
    assert short == CallSucceeded(call=CALL, value=snapshot.result_summary, full_ref=REF)
    items = cast("list[dict[str, Json]]", short.value)
    assert items[0] == {"number": "INV-0", "amount": "20.00"}
    assert {LEFT_OUT: 401 - len(items)} in items


def test_the_limit_is_in_characters_of_json() -> None:
    fits, too_long = ("x" * (MOST_CHARACTERS - 2), "x" * (MOST_CHARACTERS - 1))

    assert snapshot_of(CallSucceeded(call=CALL, value=fits), "0190", "t3").complete
    assert not snapshot_of(CallSucceeded(call=CALL, value=too_long), "0190", "t3").complete


def test_pictures_are_named_and_not_stored() -> None:
    scan = Media(mime="application/pdf", data="AA==")
    outcome = CallSucceeded(call=CALL, value=SMALL, media=(PHOTO, scan), omitted=("b.png: too large",))

    assert remembered(outcome) == CallSucceeded(
        call=CALL,
        value=SMALL,
        omitted=("Your parcel at the door, image/png", "application/pdf", "b.png: too large"),
        full_ref=REF,
    )


def test_the_summary_models_text_replaces_the_rules_data() -> None:
    outcome = CallSucceeded(call=CALL, value=LARGE)
    words = Snapshot(
        call_id="c1.2",
        tool_name="get_open_invoices",
        arguments={},
        result_summary="400 invoices of $20.00 each, INV-0 to INV-399.",
        full_result_ref=REF,
        complete=False,
        made_by="model",
    )

    assert as_remembered(outcome, words) == CallSucceeded(call=CALL, value=words.result_summary, full_ref=REF)


@check_rows(
    ("outcome", "summary"),
    [
        (CallEmpty(call=CALL, value=[]), []),
        (CallFailed(call=CALL, say="that did not work", for_model="down"), "failed"),
        (CallDenied(call=CALL, say="", for_model="no"), "denied"),
        (CallCancelled(call=CALL, why="stopped"), "cancelled"),
        (CallTimedOut(call=CALL, after_s=10), "timed_out"),
        (CallUnknown(call=CALL), "unknown"),
    ],
)
def test_a_call_without_a_result_keeps_its_status(outcome: Outcome, summary: Json) -> None:
    snapshot = snapshot_of(outcome, "0190", "t3")

    assert (snapshot.result_summary, snapshot.complete) == (summary, True)
    assert as_remembered(outcome, snapshot) is outcome


@pytest.mark.parametrize(
    "outcome",
    [
        CallFailed(call=CALL, say="that did not work", for_model=WHY),
        CallDenied(call=CALL, say="that is not for you", for_model=WHY),
        CallCancelled(call=CALL, why=WHY),
    ],
)
def test_a_long_reason_keeps_its_beginning_and_end(outcome: Outcome) -> None:
    snapshot = snapshot_of(outcome, "0190", "t3")
    short = as_remembered(outcome, snapshot)

    assert not snapshot.complete
    assert isinstance(short, CallFailed | CallDenied | CallCancelled)
    reason = short.why if isinstance(short, CallCancelled) else short.for_model
    assert len(reason) == 500
    assert reason.startswith("the gateway said no")
    assert " … " in reason
    assert type(short) is type(outcome)
    assert getattr(short, "say", "") == getattr(outcome, "say", "")


def test_a_short_reason_is_not_changed() -> None:
    words = Snapshot(
        call_id="c1.2",
        tool_name="x",
        arguments={},
        result_summary="It hung.",
        full_result_ref=REF,
        complete=False,
    )
    outcome = CallTimedOut(call=CALL, after_s=10)

    assert as_remembered(outcome, words) is outcome
