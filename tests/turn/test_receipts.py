"""Receipts of calls that a customer agreed to: complete, the same each time, and changed in no byte."""

import json
from dataclasses import replace
from typing import Any

import pytest

from assistant.conversation.entries import CallEnded, Entry, Logged, ModelChunks, TurnStarted
from assistant.conversation.snapshots import without_result, without_words
from assistant.privacy.receipts import (
    Disclosure,
    ReceiptError,
    ReceiptSigner,
    commitment,
    confirmed_calls,
    read_receipt,
)
from assistant.testing.chat import KEY, Chat
from assistant.testing.script import calls, says
from tests.turn.conftest import Company

SIGNER = ReceiptSigner("the installation's secret")
CALL = "c-1/t2/c1.1"
ROBOT = "You are talking to an automated assistant."


def disclosed(turn: TurnStarted, locale: str) -> Disclosure:
    assert locale == "en"
    return Disclosure(text=ROBOT, bundle=turn.bundle)


async def cancels(company: Company) -> Chat:
    """A customer asks for a cancellation, is asked, and agrees."""
    ana = company.chat(
        calls(("cancel_appointment", {"day": "tuesday"})), says("Your eye test on Tuesday is cancelled.")
    )
    await ana.says("Cancel my eye test")
    await ana.says("yes please")
    return ana


def receipt(entries: list[Logged], call: str = CALL) -> dict[str, Any]:
    return dict(read_receipt(SIGNER.receipt(entries, KEY, call, disclosed)))


async def test_it_contains_the_agreement_and_the_result(company: Company) -> None:
    ana = await cancels(company)

    proof = receipt(ana.session.entries)

    assert proof["call"]["tool"] == "cancel_appointment"
    assert proof["call"]["arguments"] == {"day": "tuesday"}
    assert proof["call"]["idempotency_key"] == company.cancel.ran[0][1] == CALL
    assert proof["consent"]["question"]["text"] == "Shall I cancel your eye test on Tuesday at 2 pm?"
    assert proof["consent"]["question"]["delivered"] == "shown"
    assert proof["consent"]["answer"]["text"] == "yes please"
    assert proof["consent"]["read_as"]["answer"] == "yes"
    assert proof["disclosure"]["text"] == ROBOT
    assert proof["outcome"]["kind"] == "ok"
    assert (proof["tenant"], proof["customer"]) == ("shop", "ana")


async def test_a_spoken_question_has_its_heard_position(company: Company) -> None:
    ana = company.chat(calls(("cancel_appointment", {"day": "tuesday"})), says("Cancelled."))
    await ana.says("Cancel my eye test")
    question = ana.session.state.turns[-1].messages[-1]
    await ana.session.heard(question.id, len(question.text))
    await ana.says("yes please")

    asked = receipt(ana.session.entries)["consent"]["question"]

    assert (asked["delivered"], asked["heard_up_to"]) == ("heard", len(question.text))


async def test_a_call_without_a_question_says_so(company: Company) -> None:
    ana = company.chat(calls("get_open_invoices"), says("You owe $150."))
    await ana.says("What do I owe?")

    assert receipt(ana.session.entries, "c-1/t1/c1.1")["consent"] is None
    assert confirmed_calls(ana.session.entries) == []


async def test_the_same_call_gives_the_same_bytes_after_retention(company: Company) -> None:
    ana = await cancels(company)
    thinned = [replace(one, entry=_thin(one)) for one in ana.session.entries]
    assert thinned != ana.session.entries
    await ana.session.record(TurnStarted(turn_id="t9", message_id="u1", cause="message", bundle="later"))

    now = SIGNER.receipt(ana.session.entries, KEY, CALL, disclosed)

    assert now == SIGNER.receipt(thinned, KEY, CALL, disclosed)
    assert confirmed_calls(ana.session.entries) == [CALL]
    assert len(commitment(now)) == 32


def _thin(logged: Logged) -> Entry:
    match logged.entry:
        case ModelChunks():
            return without_words("c-1", logged.turn_id, logged.entry)
        case CallEnded():
            return without_result("c-1", logged.turn_id, logged.entry)
        case entry:
            return entry


async def test_one_altered_byte_fails(company: Company) -> None:
    ana = await cancels(company)
    genuine = SIGNER.receipt(ana.session.entries, KEY, CALL, disclosed)
    survived: list[int] = []
    for place in range(len(genuine)):
        altered = bytearray(genuine)
        altered[place] ^= 1
        try:
            read_receipt(bytes(altered))
            survived.append(place)
        except ReceiptError:
            pass

    assert survived == []
    for changed in (genuine + b" ", genuine[:-1], b"", b"[]", b"{}"):
        with pytest.raises(ReceiptError):
            read_receipt(changed)


async def test_a_signer_cannot_claim_what_the_entries_do_not_contain(company: Company) -> None:
    """The owner of the key can sign anything; the texts must still match the entries and the chain."""
    ana = await cancels(company)
    genuine = json.loads(SIGNER.receipt(ana.session.entries, KEY, CALL, disclosed))
    doctored = json.loads(json.dumps(genuine))
    doctored["consent"]["answer"]["text"] = "yes, and everything else too"
    with pytest.raises(ReceiptError, match="summary does not say what its entries say"):
        read_receipt(SIGNER.signed(_unsigned(doctored)))
    doctored = json.loads(json.dumps(genuine))
    doctored["chain"]["entries"].pop(1)
    with pytest.raises(ReceiptError, match="chain of entries is broken"):
        read_receipt(SIGNER.signed(_unsigned(doctored)))


def _unsigned(document: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in document.items() if name != "signature"}


async def test_the_chain_covers_everything_that_came_before(company: Company) -> None:
    ana = await cancels(company)
    honest = receipt(ana.session.entries)
    first = ana.session.entries[0]
    rewritten = [replace(first, at_ms=first.at_ms - 1), *ana.session.entries[1:]]

    assert receipt(rewritten)["chain"]["head"] != honest["chain"]["head"]


async def test_a_call_that_never_ran_is_a_clear_error(company: Company) -> None:
    ana = company.chat(calls(("cancel_appointment", {"day": "tuesday"})))
    await ana.says("Cancel my eye test")
    await ana.says("no")

    with pytest.raises(ReceiptError, match=r"no call 'c-1/t2/c1\.1' ran in this conversation"):
        receipt(ana.session.entries)
