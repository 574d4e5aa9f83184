"""Which deeds a tool does, read from its own words."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from assistant.conversation.tool_spec import NO_HINT, ToolSpec
from assistant.conversation.values import Effect
from assistant.prompts.deed_words import Act
from assistant.text.function_words import carries_meaning
from assistant.text.stems import stem
from assistant.turn.guards.grammar import Grammar
from assistant.turn.guards.tokens import tokens


@dataclass(frozen=True, slots=True)
class ToolDeeds:
    """What a tool does, as its hints and its name say. ``own``: its verb, where no list knows it.

    ``things``: the stems of what it does it to.
    """

    effect: Effect
    acts: frozenset[str]
    things: frozenset[str]
    own: Mapping[str, Act] = field(default_factory=dict[str, Act])


_NO_VERB: Mapping[str, Act] = {}


def tool_deeds(spec: ToolSpec, grammar: Grammar, english: Grammar) -> ToolDeeds:
    """Read a tool's deeds from its name, its description and its hints in English and in the grammar's language."""
    will = tokens(spec.hints.get("en", NO_HINT).will)
    name = tokens(spec.name.replace("_", " ").replace(".", " "))
    verbs = {*_verbs_of(will), *name[:1], *tokens(spec.description)[:1]}
    spoken = tokens((spec.own_hint(grammar.locale) or NO_HINT).doing)
    acts = _done_by(english.acts, verbs, {*will, *name}) or _done_by(english.acts, {*name}, {*name})
    if grammar is not english:
        acts |= _done_by(grammar.acts, {*spoken[-1:]}, {*spoken})
        things = _stems(spoken[:-1], grammar.locale)
    else:
        things = _stems([*will, *name], "en") - _stems(verbs, "en")
    own = _own_verb(spec, grammar) if spec.effect == "write" else _NO_VERB
    return ToolDeeds(spec.effect, acts | {act.name for act in own.values()}, things, own)


def _verbs_of(will: Sequence[str]) -> set[str]:
    """The verbs of "find and book a slot"."""
    return {word for at, word in enumerate(will) if at == 0 or will[at - 1] == "and"}


def _done_by(acts: Iterable[Act], verbs: set[str], words: set[str]) -> frozenset[str]:
    return frozenset(
        act.name
        for act in acts
        if any(
            (form := _form(phrase.replace("...", "")))[0] in verbs and words.issuperset(form)
            for phrase in act.do
        )
        and (not act.things or not words.isdisjoint(act.things))
    )


def _own_verb(spec: ToolSpec, grammar: Grammar) -> Mapping[str, Act]:
    """The verb of a tool that does what no list has: both forms of a hint have it, first or (German) last."""
    hint = spec.own_hint(grammar.locale)
    if hint is None:
        return _NO_VERB
    will, doing = tokens(hint.will), tokens(hint.doing)
    plain, going = (doing[-1], will[0]) if grammar.span else (will[0], doing[0])
    if any(_form(phrase)[0] == plain for act in grammar.acts for phrase in act.do):
        return _NO_VERB
    return {stem(plain, grammar.locale): Act(name=f"tool:{spec.name}", do=(plain,), doing=(going,))}


@lru_cache(maxsize=8192)
def _form(phrase: str) -> tuple[str, ...]:
    """A phrase of a word list, in tokens: each is asked about for every tool of every proof."""
    return tuple(tokens(phrase))


def _stems(words: Iterable[str], locale: str) -> frozenset[str]:
    return frozenset(stem(word, locale) for word in words if carries_meaning(word, locale))
