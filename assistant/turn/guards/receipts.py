"""What the calls of a conversation prove: which deeds were done, which failed, and what was looked up."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

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
from assistant.conversation.values import Json
from assistant.text.stems import stem
from assistant.turn.guards.grammar import Grammar
from assistant.turn.guards.tokens import tokens
from assistant.turn.guards.tool_deeds import ToolDeeds

State: TypeAlias = Literal["done", "nothing", "failed", "unsure", "waiting", "coming"]
"""How far a call is.

``nothing``: it did not run, or found nothing. ``waiting``: for the customer's yes. ``coming``: it was only named,
in the reply that is being heard.
"""


@dataclass(frozen=True, slots=True)
class Receipt:
    """One call and how far it is. ``data``: the stems of what its result says is so."""

    deeds: ToolDeeds
    state: State
    data: frozenset[str] = frozenset()


def receipt_of(outcome: Outcome, deeds: ToolDeeds, grammar: Grammar) -> Receipt:
    """What a call's end proves."""
    match outcome:
        case CallSucceeded(value=value):
            said = _so(value, every_key=deeds.effect == "write")
            data = frozenset(stem(word, grammar.locale) for word in said) | frozenset(map(stem, said))
            return Receipt(deeds, "done", data)
        case CallEmpty():
            return Receipt(deeds, "done" if deeds.effect == "write" else "nothing")
        case CallTimedOut() | CallUnknown():
            return Receipt(deeds, "unsure")
        case CallFailed():
            return Receipt(deeds, "failed")
        case CallCancelled() | CallDenied():
            return Receipt(deeds, "nothing")


def _so(value: Json, *, every_key: bool) -> set[str]:
    """The words that a result says are so: of its texts, and of the names of what is true in it."""
    if isinstance(value, Mapping):
        found: set[str] = set()
        for key, one in value.items():
            if (
                one is True
                or (every_key and one)
                or (isinstance(one, str) and one[:4].isdecimal() and one[4:5] == "-")
            ):
                found.update(tokens(key.replace("_", " ")))
            found |= _so(one, every_key=every_key)
        return found
    if isinstance(value, str):
        words = tokens(value.replace("_", " "))
        return set() if {"not", "no", "un", "nicht"} & set(words) else set(words)
    if isinstance(value, Sequence):
        return {word for one in value for word in _so(one, every_key=every_key)}
    return set()
