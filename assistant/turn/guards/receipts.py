"""What a conversation can show for itself: which deeds were done, which failed, and what was looked up."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from assistant.conversation.outcomes import CallSucceeded, CallTimedOut, CallUnknown, Outcome
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import Effect, Json
from assistant.prompts.deed_words import Act
from assistant.text.function_words import carries_meaning
from assistant.text.stems import stem
from assistant.turn.guards.grammar import Grammar
from assistant.turn.guards.tokens import tokens

State: TypeAlias = Literal["done", "failed", "unsure", "waiting", "coming"]
"""How far a call is: ``coming`` when it was only named, in the same reply; ``waiting`` for the customer's yes."""


@dataclass(frozen=True, slots=True)
class ToolDeeds:
    """What a tool does, as its hints and its name say. ``own``: its verb, where no list knows it.

    ``things``: the stems of what it does it to.
    """

    effect: Effect
    acts: frozenset[str]
    things: frozenset[str]
    own: Mapping[str, Act] = field(default_factory=dict[str, Act])


@dataclass(frozen=True, slots=True)
class Receipt:
    """One call and how far it is. ``data``: the stems of what its result says is so."""

    deeds: ToolDeeds
    state: State
    data: frozenset[str] = frozenset()


def tool_deeds(spec: ToolSpec, grammar: Grammar, english: Grammar) -> ToolDeeds:
    """Read a tool's deeds from its English words and those in the grammar's language."""
    will = tokens(spec.hints["en"].will) if "en" in spec.hints else []
    name = tokens(spec.name.replace("_", " ").replace(".", " "))
    described = tokens(spec.description)[:1]
    verbs = [*will[:1], *name[:1], *described]
    local = spec.own_hint(grammar.locale)
    spoken = tokens(local.doing) if local is not None else []
    acts = {act.name for act in english.acts if _does(act, verbs, [*will, *name])}
    if grammar.locale != "en":
        acts |= {act.name for act in grammar.acts if _does(act, spoken[-1:], spoken)}
    named = [*will[1:], *name]
    own = {} if acts or spec.effect == "read" else dict(_own_verbs(spec, grammar, will, spoken))
    things = _stems(named, "en") | _stems(spoken, grammar.locale)
    if grammar.locale != "en":
        things = _stems(spoken[:-1], grammar.locale)
    return ToolDeeds(
        spec.effect, frozenset(acts | {act.name for act in own.values()}), things - _stems(verbs, "en"), own
    )


def _does(act: Act, verbs: Sequence[str], words: Sequence[str]) -> bool:
    if not any(tokens(form)[0] in verbs and set(tokens(form)) <= set(words) for form in act.do):
        return False
    return not act.things or any(thing in words for thing in act.things)


def _own_verbs(
    spec: ToolSpec, grammar: Grammar, will: Sequence[str], spoken: Sequence[str]
) -> Iterator[tuple[str, Act]]:
    hint = spec.own_hint(grammar.locale)
    if hint is None or not will:
        return
    plain = tokens(hint.will)[:1] if grammar.locale == "en" else [spoken[-1]]
    going = tokens(hint.doing)[:1] if grammar.locale == "en" else tokens(hint.will)[:1]
    yield stem(plain[0], grammar.locale), Act(name=f"tool:{spec.name}", do=tuple(plain), doing=tuple(going))


def receipt_of(outcome: Outcome, deeds: ToolDeeds, grammar: Grammar) -> Receipt:
    """What a call's end proves."""
    match outcome:
        case CallSucceeded(value=value):
            said = _so(value, every_key=deeds.effect == "write")
            data = frozenset(stem(word, grammar.locale) for word in said) | frozenset(map(stem, said))
            return Receipt(deeds, "done", data)
        case CallTimedOut() | CallUnknown():
            return Receipt(deeds, "unsure")
        case _:
            return Receipt(deeds, "failed")


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


def _stems(words: Iterable[str], locale: str) -> frozenset[str]:
    return frozenset(stem(word, locale) for word in words if carries_meaning(word, locale))
