"""What one call proves for a claim: what its tool does, whether the call has ended, and what its result says."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Final, Literal, TypeAlias

from assistant.conversation.outcomes import (
    CallAwaitingConfirmation,
    CallCancelled,
    CallDenied,
    CallEmpty,
    CallFailed,
    CallProgress,
    CallSucceeded,
    CallTimedOut,
    CallUnknown,
    Outcome,
)
from assistant.conversation.tool_spec import NO_HINT, ToolRole, ToolSpec
from assistant.conversation.values import Effect, Json
from assistant.language.dates import MONTHS, WEEKDAYS
from assistant.language.words import carries_meaning, stem
from assistant.prompts.words import Act
from assistant.turn.guardrails.grammar import Grammar, tokens

RECORD_NUMBER: Final = re.compile(r"\d{4,}|(?=\w*-?\d{3})(?=[\d-]*[a-z])[\w-]+")
"""Numbers that identify orders and similar records."""

_LEAST_ENDING: Final = 4
_NUMBERS: Final = re.compile(r"\d+")
_ISO_DAY: Final = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d)(?!\d)")


@dataclass(frozen=True, slots=True)
class ToolDeeds:
    """What a tool does, according to its hints and its name. ``own``: its verb, if no word list has that verb.

    ``things``: the stems of the things it acts on; ``verbs``: the stems of its verbs, which may be used as
    nouns ("I've put in a request").
    """

    effect: Effect
    acts: frozenset[str]
    things: frozenset[str]
    own: Mapping[str, Act] = field(default_factory=dict[str, Act])
    role: ToolRole = "tool"
    verbs: frozenset[str] = frozenset()


_NO_VERB: Mapping[str, Act] = {}


def tool_deeds(spec: ToolSpec, grammar: Grammar, english: Grammar) -> ToolDeeds:
    """Find a tool's deeds in its name, its description and its hints, in English and in the grammar's
    language.
    """
    will = tokens(spec.hints.get("en", NO_HINT).will)
    name = tokens(spec.name.replace("_", " ").replace(".", " "))
    verbs = {*_verbs_of(will), *name[:1], *tokens(spec.description)[:1]}
    spoken = tokens((spec.own_hint(grammar.locale) or NO_HINT).doing)
    acts = english.acts_of(verbs, {*will, *name}) or english.acts_of({*name}, {*name})
    if grammar is not english:
        acts |= grammar.acts_of({*spoken[-1:]}, {*spoken})
        things = _telling_stems(spoken[:-1], grammar.locale)
    else:
        things = _telling_stems([*will, *name], "en") - _telling_stems(verbs, "en")
    own = _own_verb(spec, grammar) if spec.effect == "write" else _NO_VERB
    nouns = _telling_stems(verbs, "en") if spec.effect == "write" and grammar is english else frozenset[str]()
    return ToolDeeds(spec.effect, acts | {act.name for act in own.values()}, things, own, spec.role, nouns)


def _verbs_of(will: Sequence[str]) -> set[str]:
    """The verbs in a text such as "find and book a slot"."""
    return {word for at, word in enumerate(will) if at == 0 or will[at - 1] == "and"}


def _own_verb(spec: ToolSpec, grammar: Grammar) -> Mapping[str, Act]:
    """The verb of a tool whose action is in no word list: both forms of a hint contain it, first or (in German)
    last.
    """
    hint = spec.own_hint(grammar.locale)
    if hint is None:
        return _NO_VERB
    will, doing = tokens(hint.will), tokens(hint.doing)
    plain, going = (doing[-1], will[0]) if grammar.span else (will[0], doing[0])
    if grammar.knows_verb(plain):
        return _NO_VERB
    return {stem(plain, grammar.locale): Act(name=f"tool:{spec.name}", do=(plain,), doing=(going,))}


def _telling_stems(words: Iterable[str], locale: str) -> frozenset[str]:
    return frozenset(stem(word, locale) for word in words if carries_meaning(word, locale))


State: TypeAlias = Literal["done", "nothing", "failed", "unsure", "waiting", "coming", "running"]
"""How far a call has proceeded.

``nothing``: it did not run, or found nothing. ``waiting``: for the customer's yes. ``coming``: the reply that
is streaming has only named it. ``running``: it is a long call that has reported its progress.
"""


_TO_TELL: Final = "tell"
"""The act of telling the customer something, as the locales name it: a weaker promise than to call them."""

_CLAUSE_ENDS: Final = re.compile(r"[,;:.!]\s")
_DENIED: Final = frozenset({"not", "'t", "cannot", "no", "nicht", "kein", "keine"})


_READS_DOCUMENTS: Final[frozenset[ToolRole]] = frozenset({"searches", "loads"})
NO_DEEDS: Final = ToolDeeds("read", frozenset(), frozenset())
"""The deeds of a tool that no longer exists."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """The evidence of one call, and whether it has ended.

    Attributes:
        data: the stems of the facts in its result, or in its failure.
        names: the stems of the words that people use for its subject, including ``data``: the words of the
            question to the customer, and of the tool's own narration.
        rules: the stems of the documents that it found: how things are done, not what was done.
        media: whether a picture or a file was delivered with it.
        spoken: whether the names are in the customer's language, so that a missing word means something.
        progress: how far a running long call is.
        parts: how many things a side effect was told to do: the number of its arguments.
        fields: the stems of the texts in the result of a side effect, by field.
        value: the result of a lookup.
    """

    deeds: ToolDeeds
    state: State
    data: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    rules: frozenset[str] = frozenset()
    media: bool = False
    spoken: bool = True
    progress: CallProgress | None = None
    parts: int = 1
    fields: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    value: Json = None

    def rows(self, grammar: Grammar) -> Sequence[frozenset[str]]:
        """The stems of each row of a lookup's list."""
        rows = next((one for one in _lists_in(self.value) if len(one) > 1), ())
        return [_stems(_words_in(row), grammar) for row in rows]

    def has_value(self, words: Sequence[str]) -> bool:
        """Whether the result has this value: all of its numbers, its address and its weekday."""
        found = {part for word in _words_in(self.value) for part in _parts_of_value(word)}
        return all(found.issuperset(_parts_of_value(word)) for word in words)

    def is_about(self, words: frozenset[str]) -> bool:
        """Whether one of these words names the call's subject, or is the end of such a name."""
        known = self.deeds.things | self.data | self.names
        if words & known:
            return True
        ends = tuple(word for word in words if len(word) >= _LEAST_ENDING)
        return bool(ends) and any(name.endswith(ends) for name in known)


def receipt_of(
    outcome: Outcome, deeds: ToolDeeds, grammar: Grammar, told: str = "", *, spoken: bool = True
) -> Receipt:
    """The evidence that a call's outcome gives for claims.

    ``told`` is the text about it from the company's own templates; its words also name the call. ``spoken``:
    these words are in the customer's language.
    """
    receipt = _receipt_of(outcome, deeds, grammar)
    if not told:
        return replace(receipt, spoken=spoken)
    return replace(receipt, names=receipt.names | _stems(tokens(told), grammar), spoken=spoken)


def _receipt_of(outcome: Outcome, deeds: ToolDeeds, grammar: Grammar) -> Receipt:
    match outcome:
        case CallSucceeded(value=value) if deeds.role in _READS_DOCUMENTS:
            return Receipt(deeds, "done", rules=_stems(_words_in(value), grammar))
        case CallSucceeded(call=call, value=value, media=media):
            writes = deeds.effect == "write"
            data = _so(value, every_key=writes)
            if writes:
                data |= _words_in(call.arguments)
            numbers = frozenset(filter(RECORD_NUMBER.fullmatch, _words_in(value)))
            fields = {
                key: _stems(tokens(text), grammar)
                for key, text in (value.items() if writes and isinstance(value, Mapping) else ())
                if isinstance(text, str)
            }
            return Receipt(
                deeds,
                "done",
                _stems(data, grammar),
                names=numbers,
                media=bool(media),
                parts=max(1, len(call.arguments)),
                fields=fields,
                value=None if writes else value,
            )
        case CallEmpty(call=call):
            if deeds.effect == "write":
                words = _stems(_words_in(call.arguments), grammar)
                return Receipt(deeds, "done", words, parts=max(1, len(call.arguments)))
            return Receipt(deeds, "nothing")
        case CallTimedOut() | CallUnknown():
            return Receipt(deeds, "unsure")
        case CallFailed(say=say, for_model=more):
            # "It has been shipped already" may be the reason why the order could not be cancelled.
            return Receipt(deeds, "failed", _stems(_so([say, more], every_key=False), grammar))
        case CallCancelled() | CallDenied() | CallAwaitingConfirmation():
            return Receipt(deeds, "nothing")


def _words_in(value: Json) -> set[str]:
    """All words of all texts and numbers."""
    if isinstance(value, Mapping):
        return {word for one in value.values() for word in _words_in(one)}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return {word for one in value for word in _words_in(one)}
    return set() if value is None or isinstance(value, bool) else set(tokens(str(value)))


def _lists_in(value: Json) -> Iterator[Sequence[Json]]:
    """The lists in a result, the outermost first."""
    if isinstance(value, Mapping):
        for one in value.values():
            yield from _lists_in(one)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        yield value
        for one in value:
            yield from _lists_in(one)


def _parts_of_value(word: str) -> Iterator[str]:
    """What must be equal in two ways of writing a value: numbers, a weekday, an address."""
    if "@" in word:
        yield word.lower()
    elif word in WEEKDAYS:
        yield f"w{WEEKDAYS[word]}"
    elif _ISO_DAY.match(word) is not None:
        yield f"w{date.fromisoformat(word[:10]).weekday()}"
        yield from _hours(_NUMBERS.findall(word))
    elif word not in MONTHS:
        yield from _hours(_NUMBERS.findall(word.removesuffix(".00")))


def _hours(numbers: Iterable[str]) -> Iterator[str]:
    """Numbers without leading zeros; "15:00" is also "3"."""
    for number in map(int, numbers):
        yield from (
            () if not number else (str(number), str(number - 12)) if 12 < number < 24 else (str(number),)
        )


def receipts_of_pending(deeds: ToolDeeds, progress: CallProgress | None) -> tuple[Receipt, ...]:
    """The evidence of a call that still runs: the customer will be informed, and its progress is done."""
    coming = Receipt(ToolDeeds("write", frozenset({_TO_TELL}), deeds.things), "coming")
    return (coming,) if progress is None else (coming, Receipt(deeds, "running", progress=progress))


_ALSO_NOUNS: Final = frozenset({"email", "mail", "text", "call", "phone"})
"""Names of fields that look like a deed: "email", as a key or as a whole text, does not prove that an e-mail
was sent.
"""


def _so(value: Json, *, every_key: bool) -> set[str]:
    """The words that a result states as facts: those of its texts, and of the names of its true values."""
    if isinstance(value, Mapping):
        found: set[str] = set()
        for key, one in value.items():
            if (
                one is True
                or (every_key and one)
                or (isinstance(one, str) and one[:4].isdecimal() and one[4:5] == "-")
            ):
                found.update(word for word in tokens(key.replace("_", " ")) if word not in _ALSO_NOUNS)
            found |= _so(one, every_key=every_key)
        return found
    if isinstance(value, str):
        if value.lower() in _ALSO_NOUNS:
            return set()
        clauses = (tokens(clause) for clause in _CLAUSE_ENDS.split(value.replace("_", " ")))
        return {word for words in clauses if _DENIED.isdisjoint(words) for word in words}
    if isinstance(value, Sequence):
        return {word for one in value for word in _so(one, every_key=every_key)}
    return set()


def _stems(words: Iterable[str], grammar: Grammar) -> frozenset[str]:
    """Stems in the spoken language, and in English, because results may be in either."""
    known = tuple(words)
    return frozenset(stem(word, grammar.locale) for word in known) | frozenset(map(stem, known))
