"""An open question as its answers refer to it, made from its entry and the tools there are."""

import re

from assistant.conversation.entries import ConfirmationAsked
from assistant.turn.confirm.question import Question
from assistant.turn.parts import Parts

_WORD = re.compile(r"[a-z0-9]{4,}")


def question_of(asked: ConfirmationAsked, locale: str, parts: Parts) -> Question:
    """The question, with each call's clause, hint and tool name; and the nouns of the other tools' names.

    Where a call stands unnamed in the read-back, its places mean nothing to the customer: the calls are one then.
    """
    names = [call.tool for call in asked.calls]
    others = (spec.name for spec in parts.tools.specs if spec.name not in names)
    # What a name begins with is what is done: "get_order_status".
    elsewhere = frozenset(word for name in others for word in _WORD.findall(name.casefold())[1:])
    if len(asked.clauses) != len(asked.calls) or not all(asked.clauses):
        return Question((asked.read_back,), elsewhere)
    about = zip(asked.clauses, names, strict=True)
    return Question(tuple(f"{clause} {_goes_by(name, locale, parts)}" for clause, name in about), elsewhere)


def _goes_by(name: str, locale: str, parts: Parts) -> str:
    spaced = " ".join(_WORD.findall(name.casefold()))
    hint = parts.tools.get(name).spec.own_hint(locale) if name in parts.tools else None
    return f"{spaced} {hint.doing} {hint.will}" if hint is not None else spaced
