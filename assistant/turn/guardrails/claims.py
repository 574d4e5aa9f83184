"""Keeps back what a model claims to have done, or promises to do, until it is known to be so."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from assistant.prompts.deed_words import Act
from assistant.text.sentences import SentenceCutter
from assistant.text.stems import stem
from assistant.turn.guardrails.evidence import Evidence, Fault
from assistant.turn.guardrails.grammar import CLAIMS, MOODS, FrameKind, Grammar, Mood, Said, Verb, tokens
from assistant.turn.guardrails.guardrail import Suppressed

Patience: TypeAlias = Literal["none", "calls", "again"]
"""What may yet come of words without ground: nothing; a call in the same reply; or a better reply as well."""

Correct: TypeAlias = Callable[[Fault, bool], str]
"""Words a fault for the customer; told whether they have seen the sentence that was wrong."""


@dataclass(slots=True)
class _Doubtful:
    """A sentence that is wrong as things stand, while something may come of it. ``held``: what nobody has seen."""

    text: str
    held: str
    fault: Fault


class SayDo:
    """A filter for one message of a model. Sentences come out as they went in, or not at all.

    A sentence waits as long as it may become a claim or a promise, at most some words; one that is likely to be
    one waits for its end. What is not so is dropped, and the first time a short honest sentence stands in for it.
    What turns out to be a claim after it was shown is followed by that sentence; ``withheld`` counts it too.

    Args:
        evidence: what the conversation can show, at the moment it is asked, with these tools named besides.
        correct: the sentence for the customer.
        patience: what may yet come of groundless words. With ``again`` what is wrong, and all after it, is
            dropped at the end without a word; see ``unkept``.
    """

    def __init__(
        self,
        grammar: Grammar,
        own: Mapping[str, Act],
        evidence: Callable[[Sequence[str]], Evidence],
        correct: Correct,
        *,
        patience: Patience = "none",
    ) -> None:
        self.withheld: list[Suppressed] = []
        self.unkept = ""
        self._grammar, self._own = grammar, own
        self._evidence, self._correct, self._patience = evidence, correct, patience
        self._cutter = SentenceCutter(grammar.locale)
        self._sentence = self._held = ""
        self._open: bool = True  # whether the sentence may still become a claim
        self._likely = False
        self._corrected = False
        self._doubt: list[_Doubtful | str] = []
        self._named: tuple[str, ...] = ()

    def push(self, text: str) -> str:
        """Take some more text; give back what may be shown now, perhaps nothing."""
        if not (self._open or self._doubt) and self._cutter.goes_on(text):
            self._sentence += text
            return text
        shown: list[str] = []
        for piece in self._cutter.push(text):
            if piece.begins:
                shown.append(self._end())
            shown.append(self._more(piece.text))
        return "".join(shown)

    def called(self, tool: str) -> None:
        """The model calls this tool; what it still says is not shown, so :meth:`close` follows."""
        self._named = (*self._named, tool)

    def close(self) -> str:
        """There is no more text: give back what was held, as far as it is so."""
        return self._end() + self._resolve(self._named)

    def _more(self, text: str) -> str:
        self._sentence += text
        self._held += text
        if self._open and not self._likely:
            match outlook(self._sentence, self._grammar, self._own):
                case "likely":
                    self._likely = True
                case "never":
                    self._open = False
                case "maybe":
                    pass
        return "" if self._open else self._let_out()

    def _let_out(self) -> str:
        """What was held of this sentence, unless an earlier one keeps it waiting."""
        held, self._held = self._held, ""
        if self._doubt and held:
            self._doubt.append(held)
            return ""
        return held

    def _end(self) -> str:
        """The sentence is complete: judge it."""
        sentence, held = self._sentence, self._held
        self._sentence, self._open, self._likely = "", True, False
        said = deeds_said(sentence, self._grammar, self._own)
        fault = self._evidence(()).fault(said) if said else None
        if fault is None or (fault == "unconfirmed" and self._breaks_off(sentence)):
            return self._let_out()
        self._held = ""
        promised = all(one.kind == "promise" for one in said)
        if fault != "waiting" and self._may_come_right(promised=promised, unseen=held != ""):
            self._doubt.append(_Doubtful(sentence, held, fault))
            return ""
        settled = self._settle(sentence, held, fault)
        if self._doubt:
            self._doubt.append(settled)
            return ""
        return settled

    def _breaks_off(self, sentence: str) -> bool:
        """Whether the stream died before the fact came: "You are booked for"."""
        return tokens(sentence)[-1] in self._grammar.after

    def _may_come_right(self, *, promised: bool, unseen: bool) -> bool:
        return (self._patience == "again" and unseen) or (self._patience != "none" and promised)

    def _resolve(self, named: Sequence[str]) -> str:
        """Nothing more can come of what is in doubt, but for these calls."""
        doubt, self._doubt = self._doubt, []
        shown: list[str] = []
        for part in doubt:
            if isinstance(part, str):
                shown.append(part)
            elif self._kept_by(part, named):
                shown.append(part.held)
            elif part.held and (named or self._patience == "again"):
                self.withheld.append(Suppressed(part.text.strip(), ""))
                self.unkept = "" if named else part.text.strip()
                break
            else:
                shown.append(self._settle(part.text, part.held, part.fault))
        return "".join(shown)

    def _kept_by(self, part: _Doubtful, named: Sequence[str]) -> bool:
        said = deeds_said(part.text, self._grammar, self._own)
        return bool(named) and self._evidence(named).fault(said) is None

    def _settle(self, sentence: str, held: str, fault: Fault) -> str:
        """Drop what was held, or correct what was shown; once for each message in words."""
        instead = ""
        if fault != "waiting" and not self._corrected:
            instead = self._correct(fault, not held)
            self._corrected = True
        self.withheld.append(Suppressed(sentence.strip(), instead))
        if not instead:
            return ""
        space = sentence[len(sentence.rstrip()) :]
        return f"{instead}{space}" if held or space else f" {instead}"


_BREAKS: Final = frozenset(",;:–—().!-")
_STOPS: Final = frozenset(".!,:;–—-")


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


Outlook: TypeAlias = Literal["never", "maybe", "likely"]

LONGEST: Final = 8
"""How many words of a sentence that may still become a claim are waited for."""

_SIGNS: Final = frozenset(",:;–—-!.")
_NOUN_WITHIN: Final = 2


def outlook(begun: str, grammar: Grammar, own: Mapping[str, Act]) -> Outlook:
    """What the beginning of a sentence may become; a word at its very end may still grow.

    ``likely``: a claim or a promise, if nothing in the rest speaks against it.
    """
    words = tokens(begun)
    growing = words.pop() if words and (begun[-1].isalnum() or words[-1] == "'") else ""
    if not words and growing in grammar.at_once:
        return "never"
    found = _Beginning(words, growing, grammar, own).outlook()
    return "never" if found == "maybe" and len(words) > LONGEST else found


class _Beginning:
    """The complete words of a sentence that has begun, and the one that is still growing."""

    __slots__ = ("_grammar", "_growing", "_own", "_words")

    def __init__(self, words: Sequence[str], growing: str, grammar: Grammar, own: Mapping[str, Act]) -> None:
        self._words, self._growing, self._grammar, self._own = words, growing, grammar, own

    def outlook(self) -> Outlook:
        words, grammar = self._words, self._grammar
        place = 0
        while place < len(words) and (length := grammar.openers.at(words, place) or words[place] in _SIGNS):
            if self._alone(place):
                return "maybe"
            place += int(length)
        if place == len(words):
            return _maybe(not self._growing or self._growing in grammar.begins)
        if grammar.openers.begun(words, place, self._growing):
            return "maybe"
        verb = grammar.past_adverbs(words, place)
        if self._alone(verb) if verb < len(words) else self._growing in grammar.verb_beginnings["done"]:
            return "maybe"
        return self._from(place)

    def _alone(self, place: int) -> bool:
        """Whether a verb stands here that may be all that is said: "Cancelled!"."""
        words = self._words
        if words[place] not in self._grammar.verbs["done"]:
            return False
        following = words[place + 1] if place + 1 < len(words) else self._growing
        return not following or following in _SIGNS

    def _from(self, place: int) -> Outlook:
        """The subject begins here, or the frame does."""
        subject = _Subject(self._grammar)
        for at in range(place, len(self._words)):
            framed = self._framed(at)
            if framed == "likely":
                return "likely"
            if framed == "maybe" or self._frame_begun(at):
                return "maybe"
            if framed == "never" and not self._frame_next(at + 1):
                return "never"
            if framed is None and not subject.takes(self._words[at]):
                return "never"
        return _maybe(not self._growing or subject.may_take(self._growing))

    def _framed(self, at: int) -> Outlook | None:
        """What may become of the frames that stand here; None when there are none."""
        found: Outlook | None = None
        if self._words[at] not in self._grammar.frame_first:
            return None
        for kind, frame in self._grammar.frames.items():
            if length := frame.at(self._words, at):
                here = self._verb_after(at + length, MOODS[kind])
                if here == "likely" or found in (None, "never"):
                    found = here
        return found

    def _verb_after(self, place: int, mood: Mood) -> Outlook:
        words, grammar = self._words, self._grammar
        first = grammar.past_adverbs(words, place)
        if first >= len(words):
            return _maybe(bool(grammar.span) or self._may_be_verb(mood))
        last = min(first + grammar.span + 1, len(words))
        if any(
            words[at] in grammar.verbs[mood] or grammar.verb(words, at, mood, self._own)
            for at in range(first, last)
        ):
            return "likely"
        return _maybe(grammar.span > 0 or grammar.verb_begun(words, first, self._growing, mood))

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
        return self._words[at] in self._grammar.frame_first and any(
            frame.begun(self._words, at, self._growing) for frame in self._grammar.frames.values()
        )

    def _frame_next(self, at: int) -> bool:
        """Whether another frame may follow the words that looked like one: "I'm" and "going to"."""
        if at < len(self._words):
            return self._words[at] in self._grammar.frame_first
        return self._growing in self._grammar.frame_beginnings


class _Subject:
    """What stands before the frame, word by word: "your appointment on Tuesday"."""

    __slots__ = ("_alone", "_free", "_grammar", "_named", "_taken")

    def __init__(self, grammar: Grammar) -> None:
        self._grammar = grammar
        self._taken = 0
        self._alone = self._named = self._free = False

    def takes(self, word: str) -> bool:
        """Whether the subject may go on with this word."""
        grammar = self._grammar
        self._taken += 1
        if self._taken == 1:
            self._alone = word in grammar.alone
            return word in grammar.subjects
        if self._free or grammar.adverbs.at([word], 0):
            return True
        if self._alone:
            return False
        is_thing = stem(word, grammar.locale) in grammar.things
        if not self._named:
            self._named = is_thing
            return (
                is_thing or self._taken <= _NOUN_WITHIN or word in grammar.after or word in grammar.subjects
            )
        self._free = word in grammar.after
        return self._free or is_thing or word.isdecimal()

    def may_take(self, growing: str) -> bool:
        """Whether this, which may yet become a longer word, can go on with the subject, or with the frame."""
        grammar = self._grammar
        if self._free or growing in grammar.goes_on:
            return True
        if self._alone:
            return False
        if self._named:
            return growing in grammar.after_beginnings or growing.isdecimal()
        return self._taken < _NOUN_WITHIN or growing in grammar.thing_beginnings


def _maybe(possible: bool) -> Outlook:
    return "maybe" if possible else "never"
