"""``say_do``: what a model claims was done, and what it promises is under way.

Claims and promises are read, and proved, by the very rules by which the turn's own guard reads and proves them.
"""

from collections.abc import Iterator
from typing import assert_never

from assistant.conversation.calls import round_of
from assistant.conversation.entries import CallEnded, Withheld
from assistant.replay.complaint import Complaint
from assistant.replay.expect.held import Held, PlayedMessage, PlayedTurn
from assistant.replay.expect.phrases import quoted
from assistant.text.sentences import sentences
from assistant.turn.guardrails.claims import deeds_said
from assistant.turn.guardrails.evidence import (
    Evidence,
    Fault,
    Receipt,
    ToolDeeds,
    receipt_of,
    receipt_of_pending,
    tool_deeds,
)
from assistant.turn.guardrails.grammar import Grammar, grammar_of

_NO_DEEDS = ToolDeeds("read", frozenset(), frozenset())


def say_do(held: Held, turn: PlayedTurn) -> Iterator[Complaint]:
    """Complain of each sentence in a model's own words that is not so; not of one that was put right aloud."""
    locale = held.book.locale_for(turn.state.message.locale, "en")
    grammar = grammar_of(held.book.words(locale).deeds, locale)
    english = grammar_of(held.book.words("en").deeds, "en")
    deeds = {name: tool_deeds(spec, grammar, english) for name, spec in held.specs.items()}
    own = {verb: act for each in deeds.values() for verb, act in each.own.items()}
    put_right = {
        one.entry.text
        for one in turn.entries
        if isinstance(one.entry, Withheld) and one.entry.guard == "say_do"
    }
    for message in turn.messages:
        if not message.said.own_words or message.began is None:
            continue
        evidence = _evidence(held, turn, message, deeds, grammar)
        for sentence in sentences(message.said.text, locale):
            said = deeds_said(sentence, grammar, own)
            fault = evidence.fault(said) if said else None
            if fault is not None and sentence.strip() not in put_right:
                yield Complaint(
                    turn=turn.number,
                    check="say_do",
                    expected=_expected(fault),
                    found=quoted(sentence.strip()),
                    at_ms=message.began.at_ms,
                    seq=message.began.seq,
                    place=("turns", turn.number - 1),
                )


def _evidence(
    held: Held, turn: PlayedTurn, message: PlayedMessage, deeds: dict[str, ToolDeeds], grammar: Grammar
) -> Evidence:
    """What the conversation could show when the message was complete, with what its own reply called."""
    until = message.ended.seq if message.ended is not None else 0
    ended = [
        (logged.turn_id == turn.state.id, logged.entry.outcome)
        for logged in held.played.entries
        if isinstance(logged.entry, CallEnded) and logged.seq < until
    ]
    receipts = [
        receipt_of(outcome, deeds.get(outcome.call.tool, _NO_DEEDS), grammar)
        for _, outcome in sorted(ended, key=lambda one: one[0])
    ]
    for call in turn.calls:
        its = deeds.get(call.call.tool, _NO_DEEDS)
        if call.call.id in turn.state.pending:
            receipts.append(receipt_of_pending(its))
        if turn.state.asked is not None and call.call in turn.state.asked.calls:
            receipts.append(Receipt(its, "waiting"))
        elif round_of(call.call.id) == message.said.round:
            receipts.append(Receipt(its, "coming"))
    nouns = frozenset[str]().union(*(each.things for each in deeds.values()))
    return Evidence(receipts, grammar, nouns, earlier=sum(not now for now, _ in ended))


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
