"""Reads which deeds a whole sentence claims or promises."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

from assistant.language.dates import MONTHS, WEEKDAYS
from assistant.language.words import carries_meaning, stem
from assistant.prompts.words import Act
from assistant.turn.guardrails.grammar import (
    CLAIMS,
    MOODS,
    UNLISTED,
    FrameKind,
    Grammar,
    Mood,
    Said,
    Speaker,
    Verb,
    tokens,
)
from assistant.turn.guardrails.verbless import RECORD, named_in, new_values, stems_of, without_subject

_BREAKS: Final = frozenset(",;:–—()!")
_STOPS: Final = frozenset(".!,:;–—-")
_STRONG_BREAKS: Final = frozenset(";:–—")
_FULL_STOPS: Final = frozenset(".;:!")
_JOINS: Final = frozenset({"and", ",", "then", "und"})
_LONGEST_INSERTION: Final = 16
"""The maximum number of words before a frame in which its subject is searched for across a comma."""


@dataclass(frozen=True, slots=True)
class _Clause:
    """The clause of a frame, from ``start`` to ``end``, and the position of the frame in it."""

    words: Sequence[str]
    start: int
    end: int
    frame: int
    after: int


def deeds_said(
    sentence: str, grammar: Grammar, own: Mapping[str, Act], *, after_question: bool = False
) -> list[Said]:
    """All claims and promises of a whole sentence, in order; a question has none.

    ``own`` has the verbs of this conversation's tools that are not in the language's lists, by their stems.
    ``after_question``: the sentence follows a question to the customer ("Which day? Then I'll book it.").
    """
    words = _without_date_commas(tokens(sentence))
    if "?" in words[-3:] or not grammar.speaks_of_deeds(words, own):
        return []
    found = [*without_subject(words, grammar, own)]
    within = 0  # "been" is no separate frame in "has been"
    for place, word in enumerate(words):
        if place < within or word not in grammar.frames_from:
            continue
        for kind, frame in grammar.frames_from[word]:
            if length := frame.at(words, place):
                if kind == "became":
                    found += new_values(words, place, place + length, grammar, own)
                elif grammar.may_have_verb(MOODS[kind], words, own):
                    found += _framed(kind, _clause(kind, words, place, place + length), grammar, own)
                within = max(within, place + length) if kind == "was" else within
    found += _elliptic(words, found, grammar)
    if not all(one.object for one in found):
        # "Order 10455 is on its way, it was shipped": the pronoun means the only record of the sentence.
        numbers = {stem(word, grammar.locale) for word in words if RECORD.fullmatch(word)}
        known = numbers if len(numbers) == 1 else set[str]()
        found = [one if one.object else replace(one, things=one.things | known) for one in found]
    if after_question and words[0] in ("then", "dann"):
        return [one for one in found if one.kind == "claim"]
    return found


def _without_date_commas(words: list[str]) -> list[str]:
    """The words without the comma of "Saturday, December 12", which ends no clause."""
    if WEEKDAYS.keys().isdisjoint(words):
        return words
    return [
        word
        for at, word in enumerate(words)
        if not (word == "," and 0 < at < len(words) - 1 and words[at - 1] in WEEKDAYS)
        or not (words[at + 1] in MONTHS or words[at + 1].isdecimal())
    ]


def _elliptic(words: Sequence[str], said: Sequence[Said], grammar: Grammar) -> Iterator[Said]:
    """Claims that an elliptic clause repeats about another thing: "..., and so is your order"."""
    claims = [one for one in said if one.kind == "claim"]
    if not claims:
        return
    for place, word in enumerate(words):
        if word != "so" and word not in _ALSO:
            continue
        if word == "so" and words[place + 1 : place + 2] and words[place + 1] in _BE:
            end = next((at for at in range(place, len(words)) if words[at] in _BREAKS | {"."}), len(words))
            things = words[place + 2 : end]
        elif word in _ALSO and words[place + 1 : place + 2] and words[place + 1] in _STOPS:
            start = next((at + 1 for at in range(place - 1, -1, -1) if words[at] in _BREAKS | {"und"}), 0)
            things = words[start:place]
            if not grammar.frame_first.isdisjoint(things):
                continue
        else:
            continue
        object_ = stems_of(named_in(things, grammar), grammar)
        if object_:
            yield replace(claims[-1], object=object_, things=stems_of(things, grammar))


_ALSO: Final = frozenset({"ebenfalls", "ebenso", "genauso", "auch", "likewise"})
_ALSO_ENGLISH: Final = frozenset({"also", "too", "likewise", "well"})
_BE: Final = frozenset({"is", "are", "was", "were", "has", "have"})


def _clause(kind: FrameKind, words: Sequence[str], frame: int, after: int) -> _Clause:
    start = next((place + 1 for place in range(frame - 1, -1, -1) if words[place] in _BREAKS), 0)
    if start == frame and kind in ("was", "will_be"):
        # "Order 10455, the sunglasses, is cancelled": the subject comes before the insertion.
        within = range(frame - 2, max(-1, frame - _LONGEST_INSERTION), -1)
        start = next(
            (place + 1 for place in within if words[place] in _FULL_STOPS),
            max(0, within[-1] if within else 0),
        )
    end = next((place for place in range(after, len(words)) if words[place] in _BREAKS), len(words))
    return _Clause(words, start, end, frame, after)


def _framed(kind: FrameKind, clause: _Clause, grammar: Grammar, own: Mapping[str, Act]) -> Iterator[Said]:
    words = clause.words
    speaker = grammar.speaker(words, clause.start, clause.frame, clause.after)
    verbs = _verbs(kind, clause, speaker, grammar, own)
    if not verbs or not _meant(kind, clause, verbs[0].place, speaker, grammar):
        return
    perfect = not _PERFECT.isdisjoint(words[clause.frame : clause.after])
    general = kind in ("was", "will") and speaker == "other" and not perfect
    if general and _is_unlisted(verbs) and _is_vague(clause, grammar):
        return
    end = _of_another(words, verbs[-1].end, clause.end, grammar)
    things = stems_of(words[clause.start : end], grammar)
    whole = words[clause.start : end]
    progressive = kind == "doing" and not grammar.span
    to_you = any(word in grammar.to_you for word in _main_clause(kind, clause, end))
    ends = grammar.no_longer.among(whole)
    for verb in verbs:
        thing = _object(kind, clause, speaker, verb, end, grammar)
        rule = words[clause.frame] in _PRESENT and thing and (not to_you or not _TERMS.isdisjoint(whole))
        yield Said(
            kind="claim" if kind in CLAIMS else "promise",
            speaker=speaker if kind not in ("was", "will_be") else "other",
            acts=verb.acts,
            things=things,
            object=thing,
            lately=grammar.lately.among(words) or ends,
            near=progressive or grammar.near.among(whole),
            to_you=to_you,
            rule=bool(rule),
            past=words[clause.frame] in _PAST,
            perfect=perfect,
            no_longer=ends,
            also=not (_ALSO if grammar.span else _ALSO_ENGLISH).isdisjoint(whole),
        )


_RELATIVE: Final = frozenset({"that", "which", "who"})


def _main_clause(kind: FrameKind, clause: _Clause, end: int) -> Sequence[str]:
    """The clause without the relative clause of its subject: "a frame (that you broke yourself) is replaced"."""
    words = clause.words
    if kind == "was":
        for at in range(clause.start + 1, clause.frame - 1):
            if words[at] in _RELATIVE:
                return [*words[clause.start : at], *words[clause.frame : end]]
    return words[clause.start : end]


def _is_unlisted(verbs: Sequence[Verb]) -> bool:
    return all(act.name == UNLISTED for verb in verbs for act in verb.acts)


def _is_vague(clause: _Clause, grammar: Grammar) -> bool:
    """Whether the clause names no thing: "that will take a moment", "you were promised"."""
    subject = clause.words[clause.start : clause.frame] or clause.words[clause.after : clause.end]
    told = [word for word in subject if word[0].isalnum() and not grammar.adverbs.at([word], 0)]
    return all(word in grammar.alone or word in grammar.customer for word in told) and bool(told)


_PRESENT: Final = frozenset({"is", "are", "'s", "'re"})
"""Words that tell a rule ("the full price is refunded"), and also a claim."""

_MANY: Final = frozenset({"are", "were", "sind", "werden", "wurden"})
_NUMBERED: Final = re.compile(r"\d")
_PAST: Final = frozenset({"was", "were"})
_PERFECT: Final = frozenset({"has", "have", "had", "been"})
_TERMS: Final = frozenset(
    {"within", "after", "until", "usually", "up", "days", "weeks", "months", "hours", "nights"}
)


def _object(
    kind: FrameKind, clause: _Clause, speaker: Speaker, verb: Verb, end: int, grammar: Grammar
) -> frozenset[str]:
    """The object of the deed: after an English verb, before a German verb, the subject of a passive."""
    words = clause.words
    yours = kind in ("will", "doing") and _of_the_customer(clause, grammar)
    if kind in ("was", "will_be") or (kind == "will" and speaker == "other" and not yours):
        subject = named_in(words[clause.start : clause.frame], grammar)
        if grammar.span and verb.place > clause.after:
            # "Laut Verlauf wurde das Paket zugestellt"
            behind = words[clause.after : verb.place]
            subject += named_in(behind, grammar) if behind and behind[0] in grammar.subjects else []
        return stems_of(subject, grammar)
    if grammar.span:
        place, limit = (clause.after, verb.place) if verb.place >= clause.after else (clause.after, end)
        if kind == "doing" and verb.place < clause.frame and words[clause.start] in grammar.subjects:
            # "Das Etikett schicke ich Ihnen"
            place, limit = clause.start, verb.place
    else:
        place, limit = verb.end, end
    return stems_of(named_in(words[place:limit], grammar), grammar)


def _verbs(
    kind: FrameKind, clause: _Clause, speaker: Speaker, grammar: Grammar, own: Mapping[str, Act]
) -> list[Verb]:
    """The first verb after the frame, and the verbs joined to it: "cancelled your order and refunded it"."""
    mood, words = MOODS[kind], clause.words
    yours = kind in ("will", "doing") and _of_the_customer(clause, grammar)
    unlisted = not yours and grammar.takes_any_verb(kind, words[clause.frame], speaker)
    first = grammar.past_adverbs(words, clause.after)
    places = list(range(first, min(first + grammar.span, clause.end - 1) + 1))
    if first > clause.after and not grammar.span:
        places.insert(0, clause.after)  # "You're all set"
    if kind == "doing" and grammar.span and clause.frame:
        places.insert(0, clause.frame - 1)  # "dann storniere ich"
    of_people = speaker == "people"
    found = [
        verb
        for place in places
        if (verb := grammar.verb(words, place, mood, own, yours=yours, of_people=of_people))
    ]
    if not found and unlisted:
        found = _unlisted(kind, clause, first, speaker, grammar)
    if not grammar.span:
        begin = found[0].end if found else first + 1
        found += _joined(words, begin, clause.end, mood, grammar, own)
    return found


def _unlisted(kind: FrameKind, clause: _Clause, first: int, speaker: Speaker, grammar: Grammar) -> list[Verb]:
    """A verb that is in no list: after an English frame; a German one ends the clause, or is next to "ich"."""
    words, mood = clause.words, MOODS[kind]
    if not grammar.span:
        if kind == "did" and speaker == "we" and not _has_object(clause, first, grammar):
            return []
        places = [first]
    elif kind == "doing":
        places = [clause.frame - 1, clause.after] if clause.frame > clause.start else [clause.after]
    else:
        last = clause.end - 1
        while last > clause.after and not words[last][0].isalnum():
            last -= 1
        if last > clause.after and words[last] in ("worden", "werden", "und"):
            last -= 1
        places = [last]
    return [
        verb
        for place in places
        if clause.start <= place < clause.end
        and (verb := grammar.verb(words, place, mood, {}, unlisted=True, of_people=speaker == "people"))
    ][:1]


def _has_object(clause: _Clause, verb: int, grammar: Grammar) -> bool:
    """Whether the word is a verb with an object: in "we have limited slots" the word "limited" is none."""
    following = clause.words[verb + 1] if verb + 1 < clause.end else "."
    return not following[0].isalpha() or not carries_meaning(following, grammar.locale)


def _of_another(words: Sequence[str], place: int, end: int, grammar: Grammar) -> int:
    """Where a statement about another subject begins after the verb: "it is cancelled, and your slot is free
    again".
    """
    for at in range(place, end - 2):
        begins = words[at] in ("and", "und") and words[at + 1] in grammar.subjects
        if begins and any(grammar.frames["was"].at(words, later) for later in range(at + 2, end)):
            return at
    return end


_FAR: Final = 40
"""The maximum distance between joined verbs, in words."""

_MOST_JOINED: Final = 8


def _joined(
    words: Sequence[str], place: int, end: int, mood: Mood, grammar: Grammar, own: Mapping[str, Act]
) -> Iterator[Verb]:
    joints = (at for at in range(place, min(len(words), place + _FAR)) if words[at] in _JOINS)
    for at in islice(joints, _MOST_JOINED):
        begin = grammar.past_adverbs(words, at + 1)
        # A plain form may also be a noun: "I'll check your appointments and billing".
        sure = mood != "do" and at < end
        if (verb := grammar.verb(words, begin, mood, own, unlisted=sure)) is not None:
            yield verb


def _meant(kind: FrameKind, clause: _Clause, verb: int, speaker: Speaker, grammar: Grammar) -> bool:
    """Whether the clause states the deed as a fact or a plan: not denied, not only possible, not conditional."""
    words = clause.words
    claim = kind in CLAIMS
    going = kind == "doing" and grammar.span > 0  # "Ich könnte die Bestellung stornieren"
    before = words[clause.start : max(verb, clause.frame) if claim or going else clause.frame]
    whole = words[clause.start : clause.end]
    denied = grammar.negations.among(words[clause.start : verb]) and not grammar.no_longer.among(whole)
    if denied or grammar.modals.among(before):
        return False
    general = kind == "was" and words[clause.frame] in _PRESENT
    # "Your card is charged when the order leaves us" tells a rule.
    conditional = words[: clause.end] if general else before if claim else words
    if grammar.conditions.among(conditional) or (not claim and _is_invited(clause, grammar)):
        return False
    if grammar.reported.among(before) or grammar.unchanged.among(whole):
        return False
    if speaker != "i" and grammar.usually.among(whole):
        return False
    if grammar.span and grammar.negations.among(whole) and not grammar.no_longer.among(whole):
        # "Ich ändere nichts": German may deny after the verb, too.
        return False
    return kind not in ("was", "will_be") or speaker == "people" or _of_ours(clause, verb, grammar)


def _is_invited(clause: _Clause, grammar: Grammar) -> bool:
    """Whether the sentence first asks the customer for something: "pick one, and I'll reserve it"."""
    words = clause.words
    first = next((place for place, word in enumerate(words) if word[0].isalnum()), 0)
    while first < clause.frame and grammar.openers.at(words, first) and words[first] not in grammar.invites:
        first += 1
    begins = [first, *(at + 1 for at in range(first, clause.frame) if words[at] in _STRONG_BREAKS)]
    return any(at < clause.frame and words[at] in grammar.invites for at in begins)


def _of_ours(clause: _Clause, verb: int, grammar: Grammar) -> bool:
    """Whether the deed was done to something of the customer's: "our hours were changed" is no deed for them."""
    words = clause.words
    subject = words[clause.start : clause.frame] or words[clause.after : verb]
    begin = next((word for word in subject if word in grammar.subjects), "")
    if begin and begin not in grammar.ours:
        return False
    if not begin and words[clause.frame] in _MANY and not any(map(_NUMBERED.search, subject)):
        # "Refunds are paid within a week" is about all refunds.
        return False
    relative = clause.frame > clause.start + 1 and words[clause.frame - 1] in ("that", "which", "who")
    return not relative and any(word[0].isalnum() for word in subject)


def _of_the_customer(clause: _Clause, grammar: Grammar) -> bool:
    words = clause.words
    said = words[clause.frame : clause.after]
    if any(word in grammar.customer for word in said):
        return True
    place = clause.frame - 1
    while place >= clause.start and grammar.adverbs.at(words, place):
        place -= 1
    return place >= clause.start and words[place] in grammar.customer
