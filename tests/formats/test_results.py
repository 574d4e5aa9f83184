"""How outcomes are written for a model."""

import pytest

from assistant.conversation.calls import Call
from assistant.conversation.documents import LOAD_IN_FULL as NAME
from assistant.conversation.outcomes import (
    CallAwaitingConfirmation,
    CallCancelled,
    CallDenied,
    CallEmpty,
    CallFailed,
    CallSucceeded,
    CallTimedOut,
    CallUnknown,
    Outcome,
)
from assistant.formats.tools import result_text
from tests.support.rows import check_rows

CALL = Call(id="c1.1", tool="get_open_invoices")

DATA: list[tuple[Outcome, str]] = [
    (CallSucceeded(call=CALL, value={"total": "150.00", "due": "Mär"}), '{"total":"150.00","due":"Mär"}'),
    (
        CallSucceeded(call=CALL, value=None, omitted=("a]\n[b.png: 90 million pixels",)),
        "null\n[left out, so that nobody sees it: a) (b.png: 90 million pixels]",
    ),
    (
        CallSucceeded(call=CALL, value=[1, {"… left out": 9}], full_ref="result:0190/t2/c1.1"),
        f'[1,{{"… left out":9}}]\n[shortened; the whole result: {NAME} with ref result:0190/t2/c1.1]',
    ),
    (
        CallSucceeded(call=CALL, value=7, omitted=("a]\n[b.png, image/png",), full_ref="result:0190/t2/c1.1"),
        "7\n[came with it, and does not stand here: a) (b.png, image/png]\n"
        f"[shortened; the whole result: {NAME} with ref result:0190/t2/c1.1]",
    ),
    (CallEmpty(call=CALL, value=[]), "[] (it worked; nothing was found)"),
    (CallEmpty(call=CALL), "null (it worked; nothing was found)"),
    (
        CallAwaitingConfirmation(call=CALL),
        "Not run yet. The customer is asked to confirm it, and it runs if they say yes.",
    ),
    (
        CallCancelled(call=CALL, why="it was called before", duplicate_of="c1.1"),
        "The same call was made before in this turn; its result stands with that call.",
    ),
]
ERRORS: list[tuple[Outcome, str]] = [
    (CallFailed(call=CALL, say="", for_model="billing is down"), "billing is down"),
    (CallDenied(call=CALL, say="", for_model="the customer said no"), "not run: the customer said no"),
    (CallTimedOut(call=CALL, after_s=2.5), "within 2.5 s"),
    (
        CallCancelled(call=CALL, why="a newer message came"),
        "cancelled before it had a result: a newer message came",
    ),
    (CallUnknown(call=CALL), "whether it took effect is not known"),
]


@check_rows(("outcome", "text"), DATA)
def test_a_success_is_data(outcome: Outcome, text: str) -> None:
    assert result_text(outcome) == text


@pytest.mark.parametrize(("outcome", "clause"), ERRORS)
def test_a_failure_is_an_error_and_never_reads_as_nothing_found(outcome: Outcome, clause: str) -> None:
    assert result_text(outcome).startswith("Error: ")
    assert clause in result_text(outcome)
    assert "found" not in result_text(outcome)
