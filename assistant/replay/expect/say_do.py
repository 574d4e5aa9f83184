"""``say_do``: what a model claims was done, and what it promises is under way.

Claims and promises are read, and proved, by the very rules by which the turn's own guard reads and proves them.
"""

from collections.abc import Iterator
from typing import assert_never

from assistant.conversation.calls import round_of
from assistant.conversation.entries import CallEnded
from assistant.replay.complaint import Complaint
from assistant.replay.expect.held import Held, PlayedMessage, PlayedTurn
from assistant.replay.expect.phrases import quoted
from assistant.text.sentences import sentences
from assistant.turn.guardrails.call_evidence import Receipt, receipt_of_pending
from assistant.turn.guardrails.deeds import deeds_said
from assistant.turn.guardrails.evidence import Evidence, Fault
from assistant.turn.guardrails.pipeline import Proof


def say_do(held: Held, turn: PlayedTurn) -> Iterator[Complaint]:
    """Complain of each sentence in a model's own words that is not so."""
    proof = Proof(tuple(held.specs.values()), held.book, turn.state.message.locale)
    for message in turn.messages:
        if not message.said.own_words or message.began is None:
            continue
        evidence = _evidence(held, turn, message, proof)
        asked = False
        for sentence in sentences(message.said.text, proof.locale):
            said = deeds_said(sentence, proof.grammar, proof.own, after_question=asked)
            asked = sentence.rstrip().endswith("?")
            fault = evidence.fault(said) if said else None
            if fault is not None:
                yield Complaint(
                    turn=turn.number,
                    check="say_do",
                    expected=_expected(fault),
                    found=quoted(sentence.strip()),
                    at_ms=message.began.at_ms,
                    seq=message.began.seq,
                    place=("turns", turn.number - 1),
                )


def _evidence(held: Held, turn: PlayedTurn, message: PlayedMessage, proof: Proof) -> Evidence:
    """What the conversation could show when the message was complete, with what its own reply called."""
    until = message.ended.seq if message.ended is not None else 0
    ended = [
        (logged.turn_id == turn.state.id, proof.receipt(logged.entry.outcome))
        for logged in held.played.entries
        if isinstance(logged.entry, CallEnded) and logged.seq < until
    ]
    others: list[Receipt] = []
    for call in turn.calls:
        its = proof.deeds_of(call.call.tool)
        if call.call.id in turn.state.pending:
            others.append(receipt_of_pending(its))
        if turn.state.asked is not None and call.call in turn.state.asked.calls:
            others.append(Receipt(its, "waiting"))
        elif round_of(call.call.id) == message.said.round:
            others.append(Receipt(its, "coming"))
    return proof.gathered(
        [one for now, one in ended if not now],
        [one for now, one in ended if now],
        others,
        turn.state.message.text,
    )


def _expected(fault: Fault) -> str:
    match fault:
        case "not_done" | "unconfirmed":
            return "a claim that a call of this conversation proves"
        case "failed":
            return "no claim: the call failed"
        case "unsure":
            return "no claim: nobody knows whether the call went through"
        case "partly":
            return "no more than was done"
        case "promise":
            return "a promise that a call keeps"
        case "waiting":
            return "no word of it before the customer has agreed"
        case _:
            assert_never(fault)
