"""Reads claims that have no subject, or no verb of a deed: "Done!", "Sending it now", "Your address is now ..."."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from assistant.language.dates import MONTHS, WEEKDAYS
from assistant.language.words import carries_meaning, stem
from assistant.prompts.words import Act
from assistant.turn.guardrails.grammar import Grammar, Said, Verb

RECORD: Final = re.compile(r"\d{4,}|[a-z]+-?\d{3,}")
"""The number of a record."""

_STOPS: Final = frozenset(".!,:;–—-")
_ENDS: Final = frozenset(".!;")
_BREAKS: Final = frozenset(",;:–—()!")
_VALUE_WITHIN: Final = 4
_ANY: Final = Act(name="any")


def without_subject(words: Sequence[str], grammar: Grammar, own: Mapping[str, Act]) -> Iterator[Said]:
    """A verb that begins the sentence, after words such as "sure": "Cancelled!", "Sending it over now."."""
    place = 0
    while place < len(words):
        verb = grammar.verb(words, place, "done", own)
        if verb is not None and verb.end < len(words) and words[verb.end] in _STOPS:
            yield _alone(verb)
            return
        going = not grammar.span and words[place].endswith("ing")
        if going and (doing := grammar.verb(words, place, "doing", own)) is not None:
            if (end := _begun_now(words, doing.end, grammar)) is not None:
                yield _begun(doing, words[place:end], words[doing.end : end], grammar)
            return
        length = grammar.openers.at(words, place) or grammar.adverbs.at(words, place)
        if not length and words[place] not in _STOPS:
            return
        place += length or 1


def _alone(verb: Verb) -> Said:
    """A verb that is the whole statement: "Done!", "Sure, cancelled."."""
    nothing_else = all(act.name == "any" for act in verb.acts)
    # "Shipped." gives the state of an order; "Cancelled!" and "Booked!" tell what was just done.
    just_done = all(act.name != "ship" for act in verb.acts)
    return Said(
        kind="claim",
        speaker="other",
        acts=verb.acts,
        things=frozenset(),
        object=frozenset(),
        lately=just_done,
        near=just_done,
        to_you=not nothing_else,
        rule=False,
    )


def _begun_now(words: Sequence[str], begin: int, grammar: Grammar) -> int | None:
    """The end of a clause that ends in a word such as "now"; "changing it now is free" does not end there."""
    end = next((place for place in range(begin, len(words)) if words[place] in _ENDS), len(words))
    return end if any(place + grammar.near.at(words, place) == end for place in range(begin, end)) else None


def _begun(verb: Verb, clause: Sequence[str], after: Sequence[str], grammar: Grammar) -> Said:
    return Said(
        kind="promise",
        speaker="i",
        acts=verb.acts,
        things=stems_of(clause, grammar),
        object=stems_of(named_in(after, grammar), grammar),
        lately=True,
        near=True,
        to_you=not grammar.to_you.isdisjoint(after),
        rule=False,
    )


def new_values(
    words: Sequence[str], frame: int, after: int, grammar: Grammar, own: Mapping[str, Act]
) -> Iterator[Said]:
    """A new value of something of the customer's: "your address is now ana@new.example"."""
    start = next((place + 1 for place in range(frame - 1, -1, -1) if words[place] in _BREAKS), 0)
    end = next((place for place in range(after, len(words)) if words[place] in _BREAKS | _ENDS), len(words))
    subject, value = words[start:frame], words[after:end]
    if not any(word in grammar.ours or RECORD.fullmatch(word) for word in subject):
        return
    if grammar.conditions.among(words[:frame]) or grammar.reported.among(words[:frame]):
        return
    if grammar.verb(words, after, "done", own, unlisted=True) is not None:
        return  # "Is now cancelled" has a verb.
    if any(map(is_value, value[:_VALUE_WITHIN])):
        yield Said(
            kind="claim",
            speaker="other",
            acts=(_ANY,),
            things=stems_of(words[start:end], grammar),
            object=stems_of(named_in(subject, grammar), grammar),
            lately=True,
            near=True,
            to_you=True,
            rule=False,
            value=tuple(filter(is_value, value)),
        )


def is_value(word: str) -> bool:
    """Whether a word is a number, an address, a weekday or a month."""
    return "@" in word or word in WEEKDAYS or word in MONTHS or any(char.isdigit() for char in word)


def stems_of(words: Sequence[str], grammar: Grammar) -> frozenset[str]:
    """The stems of these words."""
    return frozenset(stem(word, grammar.locale) for word in words)


def named_in(words: Sequence[str], grammar: Grammar) -> list[str]:
    """The words of the first named thing, without its description: "the room" of "the room on Friday"."""
    named: list[str] = []
    for word in words:
        if word in grammar.after and (named or word not in ("no", "number")):
            if named:
                break
            continue
        if word[0].isalnum() and carries_meaning(word, grammar.locale) and not grammar.adverbs.at([word], 0):
            named.append(word)
    return named
