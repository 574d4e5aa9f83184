"""The statements of a conversation that a summary must keep, with their speaker and their importance."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Final, assert_never

from assistant.conversation.outcomes import CallStatus, CallSucceeded, call_status_name
from assistant.conversation.views import FromAssistant, FromCustomer, FromTools, TurnView
from assistant.formats.json_text import json_text
from assistant.language.facts import Value, is_supported, values_in, values_of
from assistant.language.sentences import sentences
from assistant.language.words import carries_meaning, content_stems, denies, stem, words
from assistant.memory.token_sizes import SizeLimit

CUSTOMER, ASSISTANT = "Customer", "Assistant"

_RESULT = SizeLimit(most=400)
"""The most characters of a result in a summary. The rest can be looked up."""

_TEXT = SizeLimit(most=8_000)
"""The most characters of a message or an answer that are read for a summary: twice as long as a customer's
message may be."""


_ENGLISH: Final = """
    thank thanks hello hi hey ok okay yes yeah yep sure fine great good perfect nice lovely wonderful super cool
    alright right bye goodbye welcome sorry pardon morning afternoon evening day moment wait hold minute second
    really much lot again help helps helped helping let see know got understand understood question hmm oh ah well
"""
_GERMAN: Final = """
    danke dank hallo moin tag morgen abend guten gut ja jo gern gerne super prima toll klar schön wunderbar okay
    bis bald tschüss wiedersehen entschuldigung verzeihung moment warten hilfe geholfen verstanden verstehe frage
    sehr vielen lieben herzlichen grüße weiter
"""
_POLITE_WORDS: Final = frozenset((_ENGLISH + _GERMAN).split())
_MEANINGFUL_WORDS: Final = 2


_LABEL: Final = re.compile(r"([A-Z]?[\w.-]{1,64}): (?=\S)")
_CLAUSE: Final = re.compile(
    r"(?<=[,;])\s+|\s+[–—-]\s+|\s+(?=(?:and|but|because|since|so|which|who|that|if|when|while|although"
    r"|und|aber|weil|denn|dass|damit|wenn|obwohl|sondern)\s)",
    re.IGNORECASE,
)

_SAME_THING: Final = 2
"""Two statements with this number of common words, apart from values, are about the same subject."""


@dataclass(frozen=True, slots=True)
class DialogueLine:
    """A text and its speaker: "Customer", "Assistant", or the name of a tool; "" if unknown.

    >>> str(DialogueLine("Customer", "My order is late."))
    'Customer: My order is late.'
    """

    who: str
    text: str

    def __str__(self) -> str:
        return f"{self.who}: {self.text}" if self.who else self.text


class Worth(IntEnum):
    """How important a statement is. The least important ones are left out first."""

    REMARK = 0
    QUESTION = 1
    OUTDATED = 2
    RESULT = 3
    ANSWER = 4
    WISH = 5
    FACT = 6


@dataclass(frozen=True, slots=True, eq=False)
class Fact:
    """One statement, with the ``values`` in it.

    ``stems`` are the stems of its words, ``about`` those outside of values; statements about the same subject
    have some of them in common. ``denies`` is True if the statement is negated.
    """

    said: DialogueLine
    locale: str
    values: frozenset[Value]
    stems: frozenset[str]
    about: frozenset[str]
    denies: bool
    worth: Worth

    @property
    def short(self) -> DialogueLine:
        """Only the clauses with its values, if that is shorter."""
        return replace(self.said, text=_clauses(self.said.text, self.values, self.locale))


def dialogue_lines(turns: Sequence[TurnView]) -> tuple[DialogueLine, ...]:
    """Returns the lines of these turns, in order, as the decision model received them. No side effects."""
    return tuple(said for turn in turns for message in turn.messages for said in _said(message))


def facts_in_dialogue(said: Iterable[DialogueLine], locale: str = "en") -> Iterator[Fact]:
    """Yields the statements with a value or other content, in order. Small talk is skipped."""
    for one in said:
        for text in _statements(one, locale):
            fact = _fact(DialogueLine(one.who, text), locale)
            if fact.values or _is_result(one) or says_something(text, locale):
                yield fact


def facts_in_summary(summary: str, locale: str = "en") -> Iterator[Fact]:
    """Yields the statements of a summary, which are all important."""
    for line in filter(None, map(str.strip, summary.splitlines())):
        label = _LABEL.match(line)
        one = DialogueLine(label[1], line[label.end() :]) if label else DialogueLine("", line)
        for text in _statements(one, locale):
            yield _fact(DialogueLine(one.who, text), locale)


def deduplicate_facts(facts: Iterable[Fact]) -> list[Fact]:
    """Returns each statement once, at its last position and with its longest wording.

    An earlier statement about the same subject with other values stays, but counts as outdated.
    """
    kept: list[Fact] = []
    for fact in facts:
        fuller = next((one for one in kept if _covers(one, fact)), None)
        if fuller is not None and fuller.said.who != fact.said.who:
            continue
        newest = replace(fuller, worth=fact.worth) if fuller is not None else fact
        kept = [_outdated_by(newest, one) for one in kept if not _replaces(newest, one)]
        kept.append(newest)
    return kept


def is_stated_in(fact: Fact, text: str, known: frozenset[Value], stems: frozenset[str]) -> bool:
    """Whether a text states the fact: it contains all its values, or, if it has none, most of its words.

    ``known`` and ``stems`` are the values and the word stems of that text.
    """
    if fact.values:
        return all(is_supported(value, known) for value in fact.values)
    return bool(text) and len(fact.stems & stems) * 2 > len(fact.stems)


def _said(message: FromCustomer | FromAssistant | FromTools) -> Iterator[DialogueLine]:
    match message:
        case FromCustomer(text=text):
            yield from _lines_of_text(CUSTOMER, text)
        case FromAssistant(text=text):
            yield from _lines_of_text(ASSISTANT, text)
        case FromTools(outcomes=outcomes):
            for outcome in outcomes:
                yield DialogueLine(outcome.call.tool, _result_line(outcome))
        case _:
            assert_never(message)


def _lines_of_text(who: str, text: str) -> Iterator[DialogueLine]:
    if text.strip():
        yield DialogueLine(who, _TEXT.keep_ends(text.strip()))


def _result_line(outcome: CallStatus) -> str:
    """Returns a call with its outcome, on one line."""
    asked = json_text(outcome.call.arguments) if outcome.call.arguments else ""
    match outcome:
        case CallSucceeded(value=value, full_ref=ref):
            text = value if isinstance(value, str) else json_text(value)
            whole = f" [{ref}]" if ref else ""
            came = f"{_RESULT.truncate(' '.join(text.split()))}{whole}"
        case _:
            came = call_status_name(outcome)
    return f"{asked} -> {came}".strip()


def says_something(text: str, locale: str = "en") -> bool:
    """Whether a sentence has enough content besides polite phrases.

    >>> [says_something(said) for said in ("Thank you very much!", "Oh, I see.", "Please ring twice.")]
    [False, False, True]
    """
    return (
        sum(word not in _POLITE_WORDS and carries_meaning(word, locale) for word in words(text))
        >= _MEANINGFUL_WORDS
    )


def _statements(one: DialogueLine, locale: str) -> list[str]:
    """Returns the sentences, each on one line; a result is one statement. "Hauptstr. 5" ends no sentence."""
    if _is_result(one):
        return list(filter(None, [" ".join(one.text.split())]))
    found: list[str] = []
    for sentence in sentences(one.text, locale):
        text = " ".join(sentence.split())
        if found and text[:1].isdigit():
            found[-1] += f" {text}"
        elif text:
            found.append(text)
    return found


def _fact(said: DialogueLine, locale: str) -> Fact:
    values = values_in(said.text, locale)
    stems = frozenset(content_stems(str(said) if _is_result(said) else said.text, locale))
    in_values = {stem(word, locale) for value in values for word in words(value.said)}
    return Fact(
        said=said,
        locale=locale,
        values=values,
        stems=stems,
        about=stems - in_values,
        denies=any(map(denies, words(said.text))),
        worth=_worth(said, values),
    )


def _is_result(said: DialogueLine) -> bool:
    return said.who not in (CUSTOMER, ASSISTANT, "")


def _worth(said: DialogueLine, values: frozenset[Value]) -> Worth:
    if said.who == ASSISTANT:
        return Worth.ANSWER if values else Worth.REMARK
    if _is_result(said):
        return Worth.RESULT
    if values:
        return Worth.FACT
    return Worth.QUESTION if said.text.endswith("?") else Worth.WISH


def _clauses(text: str, values: frozenset[Value], locale: str) -> str:
    """Returns the clauses that contain all values, or the whole text if no such clauses are found."""
    parts = [part for part in _CLAUSE.split(text) if part]
    if not values or len(parts) == 1:
        return text
    kept: list[str] = []
    held: frozenset[Value] = frozenset()
    for part in parts:
        found = values_of(part, locale)
        if not (values & found) <= held:
            kept.append(part)
            held |= found
    short = " ".join(kept).rstrip(" ,;")
    return short if values <= values_of(short, locale) else text


def _covers(one: Fact, other: Fact) -> bool:
    return one.denies == other.denies and other.values <= one.values and other.stems <= one.stems


def _replaces(fact: Fact, earlier: Fact) -> bool:
    return fact.said.who == earlier.said.who and _covers(fact, earlier)


def _outdated_by(fact: Fact, earlier: Fact) -> Fact:
    """Returns the earlier fact, marked as outdated if the new fact says something else about the same
    subject.
    """
    if earlier.about != fact.about or len(fact.about) < _SAME_THING or earlier.said.who != fact.said.who:
        return earlier
    other = fact.values != earlier.values or fact.denies != earlier.denies
    return replace(earlier, worth=Worth.OUTDATED) if other else earlier
