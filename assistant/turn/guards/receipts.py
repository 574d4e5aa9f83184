"""What the calls of a conversation prove: which deeds were done, which failed, and what was looked up."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

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


_TO_TELL: Final = "tell"
"""The act of telling the customer something, as the locales name it: less than that somebody will call them."""

_CLAUSE_ENDS: Final = re.compile(r"[,;:.!]\s")
_DENIED: Final = frozenset({"not", "'t", "cannot", "no", "nicht", "kein", "keine"})


@dataclass(frozen=True, slots=True)
class Receipt:
    """One call and how far it is. ``data``: the stems of what its result, or its failure, says is so."""

    deeds: ToolDeeds
    state: State
    data: frozenset[str] = frozenset()


def receipt_of(outcome: Outcome, deeds: ToolDeeds, grammar: Grammar) -> Receipt:
    """What a call's end proves."""
    match outcome:
        case CallSucceeded(value=value):
            return Receipt(deeds, "done", _stems(_so(value, every_key=deeds.effect == "write"), grammar))
        case CallEmpty():
            return Receipt(deeds, "done" if deeds.effect == "write" else "nothing")
        case CallTimedOut() | CallUnknown():
            return Receipt(deeds, "unsure")
        case CallFailed(say=say, for_model=more):
            # "It has been shipped already" is why it could not be cancelled.
            return Receipt(deeds, "failed", _stems(_so([say, more], every_key=False), grammar))
        case CallCancelled() | CallDenied():
            return Receipt(deeds, "nothing")


def receipt_of_pending(deeds: ToolDeeds) -> Receipt:
    """What a call proves that still runs: that the customer will hear of it, and no deed."""
    return Receipt(ToolDeeds("write", frozenset({_TO_TELL}), deeds.things), "coming")


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
        clauses = (tokens(clause) for clause in _CLAUSE_ENDS.split(value.replace("_", " ")))
        return {word for words in clauses if _DENIED.isdisjoint(words) for word in words}
    if isinstance(value, Sequence):
        return {word for one in value for word in _so(one, every_key=every_key)}
    return set()


def _stems(words: Iterable[str], grammar: Grammar) -> frozenset[str]:
    """In the language that is spoken, and in English: results may be in either."""
    known = tuple(words)
    return frozenset(stem(word, grammar.locale) for word in known) | frozenset(map(stem, known))
