"""Tells whether unfinished text may become a claim or a promise."""

from collections.abc import Mapping, Sequence
from typing import Final, Literal, TypeAlias

from assistant.language.words import stem
from assistant.prompts.words import Act
from assistant.turn.guardrails.grammar import MOODS, FrameKind, Grammar, Mood, tokens

Outlook: TypeAlias = Literal["never", "maybe", "likely"]

LONGEST: Final = 8
"""The maximum number of words that are held while a sentence may still become a claim."""

_FIRST_PERSON: Final = ("ich", "wir")
_SIGNS: Final = frozenset(',:;–—-!.*#•>()"')
_NOUN_WITHIN: Final = 2
_NOUN_OF_YOURS_WITHIN: Final = 4


def outlook(
    begun: str,
    grammar: Grammar,
    own: Mapping[str, Act],
    moods: frozenset[Mood] = frozenset(),
    *,
    joined: bool = False,
) -> Outlook:
    """Whether an unfinished clause may become a claim or a promise of a deed; "likely" means probably.

    Args:
        begun: the clause so far; its last word may be unfinished.
        grammar: the words of its language.
        own: the deeds of the tools by their verbs.
        moods: the moods of a verb that may come next without its own subject ("..., and cancelled it").
        joined: other clauses of the sentence come before this one.
    """
    words = tokens(begun)
    while joined and len(words) > 1 and (words[0] in _SIGNS or grammar.conjunctions.at(words, 0)):
        del words[0]
    growing = words.pop() if words and (begun[-1].isalnum() or words[-1] == "'") else ""
    if len(words) > 1 and begun[-1] == "-" and begun[-2].isalnum():
        # "e-" may become "e-mailed".
        growing = f"{words[-2]}-"
        del words[-2:]
    if len(words) > LONGEST:
        # Read only as many words as would be read if they came one by one.
        words, growing = words[: LONGEST + 1], ""
    if not words and growing in grammar.at_once:
        return "never"
    if joined and not words and growing in grammar.conjunctions.prefixes:
        return "maybe"
    found = _Beginning(words, growing, grammar, own, moods).outlook()
    return "never" if found == "maybe" and len(words) > LONGEST else found


class _Beginning:
    """The complete words of an unfinished clause, and its last word, which may still grow."""

    __slots__ = ("_grammar", "_growing", "_moods", "_own", "_words")

    def __init__(
        self,
        words: Sequence[str],
        growing: str,
        grammar: Grammar,
        own: Mapping[str, Act],
        moods: frozenset[Mood],
    ) -> None:
        self._words, self._growing, self._grammar, self._own = words, growing, grammar, own
        self._moods = moods

    def outlook(self) -> Outlook:
        words, grammar = self._words, self._grammar
        place = 0
        while place < len(words) and (length := grammar.openers.at(words, place) or words[place] in _SIGNS):
            if self._alone(place):
                return "maybe"
            place += int(length)
        if place == len(words):
            return _maybe(not self._growing or bool(self._moods) or self._growing in grammar.begins)
        if grammar.openers.begun(words, place, self._growing):
            return "maybe"
        if not grammar.span and grammar.verb(words, place, "doing", self._own) is not None:
            return "likely"  # "Sending it over now."
        if not grammar.span and grammar.verb_begun(words, place, self._growing, "doing"):
            return "maybe"
        verb = grammar.past_adverbs(words, place)
        if self._alone(verb) if verb < len(words) else self._growing in grammar.verb_beginnings["done"]:
            return "maybe"
        if any(grammar.verb(words, verb, mood, self._own, unlisted=mood != "do") for mood in self._moods):
            return "likely"
        if self._moods and (
            verb >= len(words)
            or any(grammar.verb_begun(words, verb, self._growing, mood) for mood in self._moods)
        ):
            return "maybe"
        return self._from(place)

    def _alone(self, place: int) -> bool:
        """Whether the verb at this place may be the whole statement: "Cancelled!"."""
        words = self._words
        if words[place] not in self._grammar.verbs["done"]:
            return False
        following = words[place + 1] if place + 1 < len(words) else self._growing
        return not following or following in _SIGNS

    def _from(self, place: int) -> Outlook:
        """The outlook of the words from this place on, where the subject or the frame begins."""
        subject = _Subject(self._grammar)
        for at in range(place, len(self._words)):
            framed = self._framed(place, at)
            if framed == "likely":
                return "likely"
            if framed == "maybe" or self._frame_begun(at):
                return "maybe"
            if framed == "never" and not self._frame_next(at + 1):
                return "never"
            if framed is None and self._is_inverted(at):
                if at + 1 == len(self._words):
                    return "maybe"
            elif framed is None and not subject.takes(self._words[at]):
                return "never"
        inverted = self._grammar.span > 0 and self._growing in self._grammar.verb_beginnings["doing"]
        return _maybe(not self._growing or inverted or subject.may_take(self._growing))

    def _is_inverted(self, at: int) -> bool:
        """Whether the word is a German verb that "ich" may follow: "das Etikett schicke ich"."""
        grammar = self._grammar
        if not grammar.span or grammar.verb(self._words, at, "doing", self._own, unlisted=True) is None:
            return False
        following = self._words[at + 1] if at + 1 < len(self._words) else self._growing
        return any(one.startswith(following) for one in _FIRST_PERSON)

    def _framed(self, start: int, at: int) -> Outlook | None:
        """The outlook of the frames at this place; None if there are none."""
        found: Outlook | None = None
        for kind, frame in self._grammar.frames_from.get(self._words[at], ()):
            if length := frame.at(self._words, at):
                here = self._verb_after(kind, start, at, at + length)
                if here == "likely" or found in (None, "never"):
                    found = here
        return found

    def _verb_after(self, kind: FrameKind, start: int, frame: int, place: int) -> Outlook:
        if kind == "became":
            return "likely"
        words, grammar, mood = self._words, self._grammar, MOODS[kind]
        speaker = grammar.speaker(words, start, frame, place)
        unlisted = grammar.takes_any_verb(kind, words[frame], speaker)
        if kind == "was" and start < frame and words[start] in grammar.subjects - grammar.ours:
            return "never"
        if grammar.span and kind == "doing" and speaker == "i":
            return self._by_ich(start, frame, place)
        if grammar.span and unlisted:
            # The verb comes last, so it can be any verb.
            return "likely"
        first = grammar.past_adverbs(words, place)
        if first >= len(words):
            return _maybe(bool(grammar.span) or unlisted or self._may_be_verb(mood))
        if any(
            one.begun(words, first, self._growing) for one in (grammar.harmless_phrases, grammar.no_longer)
        ):
            return "maybe"
        if first > place and grammar.verb(words, place, mood, self._own):
            return "likely"
        last = min(first + grammar.span + 1, len(words))
        people = speaker == "people"
        if any(
            words[at] in grammar.verbs[mood]
            or grammar.verb(words, at, mood, self._own, unlisted=unlisted, of_people=people)
            or grammar.verb(words, at, mood, self._own, yours=True)
            for at in range(first, last)
        ):
            return "likely"
        return _maybe(grammar.span > 0 or grammar.verb_begun(words, first, self._growing, mood))

    def _by_ich(self, start: int, frame: int, place: int) -> Outlook:
        """German announces an action in the present tense: "ich storniere", "dann storniere ich"."""
        words, grammar = self._words, self._grammar
        near = [at for at in (frame - 1, place) if start <= at < len(words)]
        if any(grammar.verb(words, at, "doing", self._own, unlisted=True) for at in near):
            return "likely"
        return _maybe(place >= len(words) or grammar.verb_begun(words, place, self._growing, "doing"))

    def _may_be_verb(self, mood: Mood) -> bool:
        growing = self._growing
        if (
            not growing
            or growing in self._grammar.adverbs.prefixes
            or growing in self._grammar.verb_beginnings[mood]
        ):
            return True
        return any(growing.startswith(verb) or verb.startswith(growing) for verb in self._own)

    def _frame_begun(self, at: int) -> bool:
        """Whether the words from here on may be the beginning of a frame of several words."""
        frames = self._grammar.frames_from.get(self._words[at])
        return frames is not None and any(frame.begun(self._words, at, self._growing) for _, frame in frames)

    def _frame_next(self, at: int) -> bool:
        """Whether another frame may follow the words that looked like one: "I'm" and "going to"."""
        if at < len(self._words):
            return self._words[at] in self._grammar.frame_first
        return self._growing in self._grammar.frame_beginnings


class _Subject:
    """The words before the frame, one by one: "your appointment on Tuesday"."""

    __slots__ = ("_alone", "_free", "_grammar", "_named", "_taken", "_within")

    def __init__(self, grammar: Grammar) -> None:
        self._grammar = grammar
        self._taken = 0
        self._within = _NOUN_WITHIN
        self._alone = self._named = self._free = False

    def takes(self, word: str) -> bool:
        """Whether the subject may continue with this word."""
        grammar = self._grammar
        self._taken += 1
        if self._taken == 1:
            self._alone = word in grammar.alone
            if word in grammar.to_you:
                self._within = _NOUN_OF_YOURS_WITHIN
            return word in grammar.subjects
        if self._free or grammar.adverbs.at([word], 0):
            return True
        if self._alone:
            return False
        is_thing = stem(word, grammar.locale) in grammar.things
        if not self._named:
            self._named = is_thing
            return (
                is_thing or self._taken <= self._within or word in grammar.after or word in grammar.subjects
            )
        self._free = word in grammar.after
        return self._free or is_thing or not word.isalpha()

    def may_take(self, growing: str) -> bool:
        """Whether this unfinished word may continue the subject, or begin the frame."""
        grammar = self._grammar
        if self._free or growing in grammar.goes_on:
            return True
        if self._alone:
            return False
        if self._named:
            return growing in grammar.after_beginnings or not growing.isalpha()
        return self._taken < self._within or growing in grammar.thing_beginnings


def _maybe(possible: bool) -> Outlook:
    return "maybe" if possible else "never"
