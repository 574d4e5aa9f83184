"""Which deeds a sentence claims or promises."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from assistant.prompts.deed_words import Act
from assistant.text.stems import stem
from assistant.turn.guards.grammar import CLAIMS, MOODS, FrameKind, Grammar, Mood, Verb
from assistant.turn.guards.tokens import tokens

_BREAKS: Final = frozenset(",;:–—().!-")
_STOPS: Final = frozenset(".!,:;–—-")


@dataclass(frozen=True, slots=True)
class Said:
    """One deed that a sentence speaks of.

    Attributes:
        kind: whether it has been done, or will be.
        acts: what the verb may mean.
        by_us: the assistant says so of itself; nobody's record but its own can prove that.
        things: the stems of all words of its clause.
        lately: it is said to have been done just now.
    """

    kind: Literal["claim", "promise"]
    acts: tuple[Act, ...]
    by_us: bool
    things: frozenset[str]
    lately: bool


@dataclass(frozen=True, slots=True)
class _Clause:
    """Where a frame stands: the clause from ``start`` to ``end``, and the frame in it."""

    words: Sequence[str]
    start: int
    end: int
    frame: int
    after: int


def deeds_said(sentence: str, grammar: Grammar, own: Mapping[str, Act]) -> list[Said]:
    """All claims and promises of a whole sentence, in their order; none in a question.

    ``own`` has the verbs of this conversation's tools that the language's lists do not know, by their stems.
    """
    words = tokens(sentence)
    if "?" in words[-3:] or not grammar.speaks_of_deeds(words, own):
        return []
    found = [*_alone(words, grammar, own)]
    for place, word in enumerate(words):
        if word not in grammar.frame_first:
            continue
        for kind, frame in grammar.frames.items():
            if length := frame.at(words, place):
                found += _framed(kind, _clause(words, place, place + length), grammar, own)
    return found


def _alone(words: Sequence[str], grammar: Grammar, own: Mapping[str, Act]) -> Iterator[Said]:
    """A verb that is the whole of what is said: "Done!", "Sure, cancelled."."""
    place = 0
    while place < len(words):
        verb = grammar.verb(words, place, "done", own)
        if verb is not None and verb.end < len(words) and words[verb.end] in _STOPS:
            nothing_else = all(act.name == "any" for act in verb.acts)
            yield Said("claim", verb.acts, by_us=nothing_else, things=frozenset(), lately=True)
            return
        length = grammar.openers.at(words, place) or grammar.adverbs.at(words, place)
        if not length and words[place] not in _STOPS:
            return
        place += length or 1


def _clause(words: Sequence[str], frame: int, after: int) -> _Clause:
    start = next((place + 1 for place in range(frame - 1, -1, -1) if words[place] in _BREAKS), 0)
    end = next((place for place in range(after, len(words)) if words[place] in _BREAKS), len(words))
    return _Clause(words, start, end, frame, after)


def _framed(kind: FrameKind, clause: _Clause, grammar: Grammar, own: Mapping[str, Act]) -> Iterator[Said]:
    words = clause.words
    verbs = _verbs(kind, clause, grammar, own)
    if not verbs or not _meant(kind, clause, verbs[0].place, grammar):
        return
    end = _of_another(words, verbs[-1].end, clause.end, grammar)
    things = frozenset(stem(word, grammar.locale) for word in words[clause.start : end])
    lately = grammar.lately.among(words)
    by_us = kind in ("did", "could") and "i" in words[clause.frame : clause.after]
    for verb in verbs:
        yield Said("claim" if kind in CLAIMS else "promise", verb.acts, by_us, things, lately)


def _verbs(kind: FrameKind, clause: _Clause, grammar: Grammar, own: Mapping[str, Act]) -> list[Verb]:
    """The first verb behind the frame, and those that are joined to it: "cancelled your order and refunded it"."""
    mood, words = MOODS[kind], clause.words
    yours = kind in ("will", "doing") and _of_the_customer(clause, grammar)
    first = grammar.past_adverbs(words, clause.after)
    places = list(range(first, min(first + grammar.span, clause.end - 1) + 1))
    if kind == "doing" and grammar.span and clause.frame:
        places.insert(0, clause.frame - 1)  # "dann storniere ich"
    found = [verb for place in places if (verb := grammar.verb(words, place, mood, own, yours=yours))]
    if found and not grammar.span:
        found += _joined(words, found[0].end, mood, grammar, own)
    return found


def _of_another(words: Sequence[str], place: int, end: int, grammar: Grammar) -> int:
    """Where another statement begins behind the verb: "it is cancelled, and your slot is free again"."""
    for at in range(place, end - 2):
        begins = words[at] in ("and", "und") and words[at + 1] in grammar.subjects
        if begins and any(grammar.frames["was"].at(words, later) for later in range(at + 2, end)):
            return at
    return end


def _joined(
    words: Sequence[str], place: int, mood: Mood, grammar: Grammar, own: Mapping[str, Act]
) -> Iterator[Verb]:
    for at in range(place, len(words)):
        if words[at] in ("and", ",", "then"):
            begin = grammar.past_adverbs(words, at + 1)
            if (verb := grammar.verb(words, begin, mood, own)) is not None:
                yield verb


def _meant(kind: FrameKind, clause: _Clause, verb: int, grammar: Grammar) -> bool:
    """Whether it is really said that this was done or will be: not denied, not possible only, not on condition."""
    words = clause.words
    claim = kind in CLAIMS
    before = words[clause.start : max(verb, clause.frame) if claim else clause.frame]
    whole = words[clause.start : clause.end]
    if grammar.negations.among(words[clause.start : verb]) or grammar.modals.among(before):
        return False
    if grammar.conditions.among(before if claim else words):
        return False
    if grammar.reported.among(before) or grammar.usually.among(whole):
        return False
    return kind not in ("was", "will_be") or _of_ours(clause, verb, grammar)


def _of_ours(clause: _Clause, verb: int, grammar: Grammar) -> bool:
    """Whether the deed was done to something of the customer's, and is not how things are done in general."""
    words = clause.words
    subject = words[clause.start : clause.frame] or words[clause.after : verb]
    begin = next((word for word in subject if word in grammar.subjects), "")
    if begin and begin not in grammar.ours:
        return False
    relative = clause.frame > clause.start + 1 and words[clause.frame - 1] in ("that", "which", "who")
    named = any(word in grammar.ours or word.isdecimal() for word in words[clause.start : verb])
    return named and not relative


def _of_the_customer(clause: _Clause, grammar: Grammar) -> bool:
    words = clause.words
    said = words[clause.frame : clause.after]
    if any(word in grammar.customer for word in said):
        return True
    place = clause.frame - 1
    while place >= clause.start and grammar.adverbs.at(words, place):
        place -= 1
    return place >= clause.start and words[place] in grammar.customer
