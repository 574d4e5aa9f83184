"""Keeps back what a model claims to have done, or promises to do, until it is known to be so.

Three steps, each a pure function or a filter of its own: :func:`outlook` tells whether words that are still coming
may become a claim, :func:`deeds_said` reads the claims and promises of a whole sentence, and :class:`Claims` holds
the stream in between and drops what :class:`~assistant.turn.guardrails.evidence.Evidence` does not bear out.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final, Literal, TypeAlias

from assistant.prompts.deed_words import Act
from assistant.text.function_words import carries_meaning
from assistant.text.sentences import LONGEST_SENTENCE, SentenceCutter
from assistant.text.stems import stem
from assistant.turn.guardrails.evidence import Evidence
from assistant.turn.guardrails.grammar import (
    CLAIMS,
    MOODS,
    FrameKind,
    Grammar,
    Mood,
    Said,
    Speaker,
    Verb,
    tokens,
)
from assistant.turn.guardrails.guardrail import Suppressed

Patience: TypeAlias = Literal["none", "calls", "again", "last"]
"""What may yet come of words without ground: nothing; a call in the same reply; or a better reply as well. With
``last`` this is that better reply: it is shown as a whole, or not."""

Enough: TypeAlias = Callable[[str, Sequence[Said]], bool]
"""Whether what is left of a reply answers the customer, without what was dropped of it."""

# --- The filter


@dataclass(slots=True)
class _Doubtful:
    """A sentence that is wrong as things stand, while something may come of it.

    ``held`` is what was not shown of it yet, ``true`` the clauses at its beginning that stand without the rest.
    """

    text: str
    held: str
    true: str
    said: Sequence[Said]


class Claims:
    """A filter for one message of a model. Sentences come out as they went in, or not at all.

    A sentence waits as long as it may become a claim or a promise; one that is likely to be one waits for its end.
    Where only the last clause is one, the clauses before it are shown. What is not so is dropped, and what follows
    it waits for the end of the reply: then either the rest is shown, or all of it is dropped and the reply is to be
    asked for again.

    Args:
        evidence: what the conversation can show, at the moment it is asked, with these tools named besides.
        enough: whether the rest of the reply will do.
        patience: what may yet come of groundless words.

    Attributes:
        withheld: the sentences that were dropped, in their order.
        refused: what was dropped where the rest will not do, so that the model must be asked again; "" for nothing.
    """

    def __init__(
        self,
        grammar: Grammar,
        own: Mapping[str, Act],
        evidence: Callable[[Sequence[str]], Evidence],
        enough: Enough,
        *,
        patience: Patience = "none",
    ) -> None:
        self.withheld: list[Suppressed] = []
        self.refused = ""
        self._grammar, self._own = grammar, own
        self._evidence, self._enough = evidence, enough
        self.patience: Patience = patience
        self._cutter = SentenceCutter(grammar.locale, longest=LONGEST_SENTENCE)
        self._sentence = self._held = ""
        self._segment = 0  # where in the sentence the words begin that may become a claim
        self._scanned = 0
        self._open: bool = True  # whether they may still become one
        self._likely = False
        self._moods: frozenset[Mood] = frozenset()
        self._asked = False  # whether the sentence before was a question
        self._out = ""
        self._waits = patience == "last"
        self._rest: list[_Doubtful | str] = []
        self._named: tuple[str, ...] = ()

    def push(self, text: str) -> str:
        """Take some more text; give back what may be shown now, perhaps nothing."""
        if not self._open and self._cutter.goes_on(text):
            return self._showing(self._more(text))
        shown: list[str] = []
        for piece in self._cutter.push(text):
            if piece.begins:
                shown.append(self._end())
            shown.append(self._more(piece.text))
        return self._showing("".join(shown))

    def called(self, tool: str) -> None:
        """The model calls this tool; what it still says is not shown, so :meth:`close` follows."""
        self._named = (*self._named, tool)

    def close(self) -> str:
        """There is no more text: give back what was held, as far as it is so."""
        return self._showing(self._end() + self._resolve(self._named))

    def _showing(self, text: str) -> str:
        self._out += text
        return text

    def _more(self, text: str) -> str:
        self._sentence += text
        self._held += text
        if not self._open:
            return self._let_out(self._sentence_until_trigger())
        if not self._likely:
            self._judge_beginning()
        if self._open:
            return ""
        return self._let_out(self._sentence_until_trigger())

    def _judge_beginning(self) -> None:
        begun = self._sentence[self._segment :]
        match outlook(begun, self._grammar, self._own, self._moods, joined=self._segment > 0):
            case "likely":
                self._likely = True
            case "never":
                self._open = False
                # A word that never waits may be the first of a frame, when it has come whole.
                self._scanned = max(self._scanned, self._segment + (not begun.strip().isalpha()))
            case "maybe":
                pass

    def _sentence_until_trigger(self) -> int:
        """How far the sentence may be shown: to where a further clause, or a frame, may begin a claim."""
        while not self._open:
            trigger = self._grammar.trigger.search(self._sentence, self._scanned)
            if trigger is None:
                # The last word may still grow.
                self._scanned = max(self._scanned, len(self._sentence) - _LONGEST_TRIGGER)
                while (
                    self._scanned < len(self._sentence)
                    and self._sentence[self._scanned - 1 : self._scanned].isalnum()
                ):
                    self._scanned += 1
                return len(self._sentence)
            if self._is_another_word(trigger):
                self._scanned = trigger.end()
                continue
            if trigger["word"]:
                # What stands before the last segment was looked at when that began.
                begin = self._sentence.rfind(" ", 0, max(0, self._segment - _LONGEST_FRAME)) + 1
                before = tokens(self._sentence[begin : trigger.start()])
                self._moods |= _moods_of(before, self._grammar)
            self._segment, self._scanned = trigger.start(), trigger.end()
            self._open = True
            self._judge_beginning()
        return self._segment

    def _is_another_word(self, trigger: re.Match[str]) -> bool:
        """Whether a frame only seems to begin: "have" goes on with "been", or is none."""
        words = self._grammar.continued_by.get((trigger["word"] or "").lower())
        following = _NEXT_WORD.match(self._sentence, trigger.end()) if words else None
        return words is not None and following is not None and following[1].lower() not in words

    def _let_out(self, end: int) -> str:
        """What was held of this sentence up to ``end``, unless something earlier keeps it waiting."""
        begin = len(self._sentence) - len(self._held)
        shown, self._held = self._sentence[begin:end], self._sentence[max(begin, end) :]
        return self._passed(shown)

    def _passed(self, text: str) -> str:
        if (self._rest or self._waits) and text:
            self._rest.append(text)
            return ""
        return text

    def _end(self) -> str:
        """The sentence is complete: judge it."""
        sentence, held, asked = self._sentence, self._held, self._asked
        if not sentence:
            return ""
        self._sentence = self._held = ""
        self._segment = self._scanned = 0
        self._open, self._likely, self._moods = True, False, frozenset()
        self._asked = sentence.rstrip().endswith("?")
        if not held:
            return ""
        said = deeds_said(sentence, self._grammar, self._own, after_question=asked)
        evidence = self._evidence(()) if said else None
        fault = evidence.fault(said) if evidence is not None else None
        if evidence is None or fault is None or (fault == "unconfirmed" and self._breaks_off(sentence)):
            return self._passed(held)
        doubtful = _Doubtful(sentence, held, self._true_beginning(sentence, evidence, asked=asked), said)
        if fault == "waiting":
            # The question that follows says what will be done.
            return self._passed(self._dropped(doubtful))
        self._rest.append(doubtful)
        return ""

    def _true_beginning(self, sentence: str, evidence: Evidence, *, asked: bool) -> str:
        """The clauses at the beginning that say something and are so, where the rest can be left out."""
        for boundary in islice(reversed(list(_CLAUSES.finditer(sentence))), _MOST_CLAUSES):
            begun = sentence[: boundary.start()]
            said = deeds_said(f"{begun}.", self._grammar, self._own, after_question=asked)
            if evidence.fault(said) is None:
                telling = sum(
                    carries_meaning(word, self._grammar.locale) for word in tokens(begun) if word[0].isalnum()
                )
                return begun if telling >= _SAYS_SOMETHING else ""
        return ""

    def _breaks_off(self, sentence: str) -> bool:
        """Whether the stream died before the fact came: "You are booked for"."""
        return tokens(sentence)[-1] in self._grammar.after

    def _resolve(self, named: Sequence[str]) -> str:
        """Nothing more can come of what is in doubt, but for these calls."""
        rest, self._rest = self._rest, []
        shown: list[str] = []
        dropped: list[_Doubtful] = []
        for part in rest:
            if isinstance(part, str):
                shown.append(part)
            elif named and self._evidence(named).fault(part.said) is None:
                shown.append(part.held)
            else:
                shown.append(self._dropped(part))
                dropped.append(part)
                if named:
                    # What it says beside its calls is left to the acknowledgement.
                    break
        left = "".join(shown)
        said = [one for part in dropped for one in part.said]
        if (
            dropped
            and not named
            and self.patience in ("again", "last")
            and not self._enough(self._out + left, said)
        ):
            self.refused = " ".join(part.text.strip() for part in dropped)
            return shown[0] if rest[0] is dropped[0] else ""
        return left

    def _dropped(self, part: _Doubtful) -> str:
        """What stands in for a sentence that is dropped: the end of one whose beginning was shown."""
        self.withheld.append(Suppressed(part.text.strip()))
        if len(part.held) == len(part.text) and not part.true:
            return ""
        shown = part.text[: -len(part.held)]
        kept = max(shown, part.true, key=len)
        end = "" if kept.rstrip().endswith((".", "!", "?")) else " …" if _LEFT_HANGING.search(kept) else "."
        return kept[len(shown) :].rstrip() + end + part.text[len(part.text.rstrip()) :]


_MOST_CLAUSES: Final = 12
"""How many clauses at the end of a sentence are left out, at most, to show its beginning."""

_LONGEST_TRIGGER: Final = 12
_LONGEST_FRAME: Final = 40
_SAYS_SOMETHING: Final = 2
"""So many words that carry a meaning, at least, have clauses that can stand alone."""

_NEXT_WORD: Final = re.compile(r"\s+([^\W\d_]+)(?=[^\w'’])")
_LEFT_HANGING: Final = re.compile(
    r"(?:\b(?:and|but|so|or|then|that|und|aber|oder|dass)|[,;:–—-])\s*$", re.IGNORECASE
)
_CLAUSES: Final = re.compile(r",?\s+(?:and|but|so|und|aber)\s|[,;:]\s|\s[–—-]\s")
"""Where a further clause may begin."""


def _moods_of(words: Sequence[str], grammar: Grammar) -> frozenset[Mood]:
    """In which moods verbs may go on that were joined to those of these words: "I've checked" and "cancelled"."""
    return frozenset(
        MOODS[kind]
        for kind, frame in grammar.frames.items()
        if kind not in ("was", "will_be")
        for place, word in enumerate(words)
        if word in frame.first and frame.at(words, place)
    )


# --- Which deeds a sentence claims or promises

_BREAKS: Final = frozenset(",;:–—()!")
_STOPS: Final = frozenset(".!,:;–—-")
_JOINS: Final = frozenset({"and", ",", "then", "und"})


@dataclass(frozen=True, slots=True)
class _Clause:
    """Where a frame stands: the clause from ``start`` to ``end``, and the frame in it."""

    words: Sequence[str]
    start: int
    end: int
    frame: int
    after: int


def deeds_said(
    sentence: str, grammar: Grammar, own: Mapping[str, Act], *, after_question: bool = False
) -> list[Said]:
    """All claims and promises of a whole sentence, in their order; none in a question.

    ``own`` has the verbs of this conversation's tools that the language's lists do not know, by their stems.
    ``after_question``: the customer was asked something just before it ("Which day? Then I'll book it.").
    """
    words = tokens(sentence)
    if "?" in words[-3:] or not grammar.speaks_of_deeds(words, own):
        return []
    found = [*_alone(words, grammar, own)]
    for place, word in enumerate(words):
        for kind, frame in grammar.frames_from.get(word, ()):
            if length := frame.at(words, place):
                found += _framed(kind, _clause(words, place, place + length), grammar, own)
    if after_question and words[0] in ("then", "dann"):
        return [one for one in found if one.kind == "claim"]
    return found


def _alone(words: Sequence[str], grammar: Grammar, own: Mapping[str, Act]) -> Iterator[Said]:
    """A verb that is the whole of what is said: "Done!", "Sure, cancelled."."""
    place = 0
    while place < len(words):
        verb = grammar.verb(words, place, "done", own)
        if verb is not None and verb.end < len(words) and words[verb.end] in _STOPS:
            nothing_else = all(act.name == "any" for act in verb.acts)
            # "Shipped." tells how an order stands; "Cancelled!" and "Booked!" tell what was just done.
            just_done = all(act.name != "ship" for act in verb.acts)
            yield Said(
                kind="claim",
                speaker="i" if nothing_else else "other",
                acts=verb.acts,
                things=frozenset(),
                object=frozenset(),
                lately=just_done,
                near=just_done,
                to_you=True,
                rule=False,
            )
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
    speaker = grammar.speaker(words, clause.start, clause.frame, clause.after)
    verbs = _verbs(kind, clause, speaker, grammar, own)
    if not verbs or not _meant(kind, clause, verbs[0].place, speaker, grammar):
        return
    end = _of_another(words, verbs[-1].end, clause.end, grammar)
    things = _stems(words[clause.start : end], grammar)
    whole = words[clause.start : end]
    progressive = kind == "doing" and not grammar.span
    to_you = any(word in grammar.to_you for word in whole)
    for verb in verbs:
        thing = _object(kind, clause, verb, end, grammar)
        rule = words[clause.frame] in _PRESENT and thing and (not to_you or not _TERMS.isdisjoint(whole))
        yield Said(
            kind="claim" if kind in CLAIMS else "promise",
            speaker=speaker if kind not in ("was", "will_be") else "other",
            acts=verb.acts,
            things=things,
            object=thing,
            lately=grammar.lately.among(words),
            near=progressive or grammar.near.among(whole),
            to_you=to_you,
            rule=bool(rule),
        )


_PRESENT: Final = frozenset({"is", "are", "'s", "'re"})
"""How a rule is told ("the full price is refunded"), and a claim as well."""

_TERMS: Final = frozenset({"within", "after", "until", "usually", "up"})


def _stems(words: Sequence[str], grammar: Grammar) -> frozenset[str]:
    return frozenset(stem(word, grammar.locale) for word in words)


def _object(kind: FrameKind, clause: _Clause, verb: Verb, end: int, grammar: Grammar) -> frozenset[str]:
    """What the deed is done to: behind an English verb, before a German one, the subject of a passive."""
    words = clause.words
    if kind in ("was", "will_be"):
        place, limit = clause.start, clause.frame
    elif grammar.span:
        place, limit = (clause.after, verb.place) if verb.place >= clause.after else (clause.after, end)
    else:
        place, limit = verb.end, end
    named: list[str] = []
    for word in words[place:limit]:
        if word in grammar.after and (named or word not in ("no", "number")):
            if named:
                break
            continue
        if word[0].isalnum() and carries_meaning(word, grammar.locale) and not grammar.adverbs.at([word], 0):
            named.append(word)
    return _stems(named, grammar)


def _verbs(
    kind: FrameKind, clause: _Clause, speaker: Speaker, grammar: Grammar, own: Mapping[str, Act]
) -> list[Verb]:
    """The first verb behind the frame, and those that are joined to it: "cancelled your order and refunded it"."""
    mood, words = MOODS[kind], clause.words
    yours = kind in ("will", "doing") and _of_the_customer(clause, grammar)
    unlisted = not yours and grammar.takes_any_verb(kind, words, clause.frame, clause.after, speaker)
    first = grammar.past_adverbs(words, clause.after)
    places = list(range(first, min(first + grammar.span, clause.end - 1) + 1))
    if kind == "doing" and grammar.span and clause.frame:
        places.insert(0, clause.frame - 1)  # "dann storniere ich"
    found = [verb for place in places if (verb := grammar.verb(words, place, mood, own, yours=yours))]
    if not found and unlisted:
        found = _unlisted(kind, clause, first, speaker, grammar)
    if not grammar.span:
        begin = found[0].end if found else first + 1
        found += _joined(words, begin, clause.end, mood, grammar, own)
    return found


def _unlisted(kind: FrameKind, clause: _Clause, first: int, speaker: Speaker, grammar: Grammar) -> list[Verb]:
    """The verb that no list knows: behind an English frame; a German one ends the clause, or stands by "ich"."""
    words, mood = clause.words, MOODS[kind]
    if grammar.span and kind == "did" and speaker == "we" and grammar.to_you.isdisjoint(words):
        # "Wir haben am Samstag geöffnet": how things are with us.
        return []
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
        and (verb := grammar.verb(words, place, mood, {}, unlisted=True)) is not None
    ][:1]


def _has_object(clause: _Clause, verb: int, grammar: Grammar) -> bool:
    """Whether a verb is one: "we have limited slots" has none."""
    following = clause.words[verb + 1] if verb + 1 < clause.end else "."
    return not following[0].isalpha() or not carries_meaning(following, grammar.locale)


def _of_another(words: Sequence[str], place: int, end: int, grammar: Grammar) -> int:
    """Where another statement begins behind the verb: "it is cancelled, and your slot is free again"."""
    for at in range(place, end - 2):
        begins = words[at] in ("and", "und") and words[at + 1] in grammar.subjects
        if begins and any(grammar.frames["was"].at(words, later) for later in range(at + 2, end)):
            return at
    return end


_FAR: Final = 40
"""A verb is joined to one that is no further away, in words."""

_MOST_JOINED: Final = 8


def _joined(
    words: Sequence[str], place: int, end: int, mood: Mood, grammar: Grammar, own: Mapping[str, Act]
) -> Iterator[Verb]:
    joints = (at for at in range(place, min(len(words), place + _FAR)) if words[at] in _JOINS)
    for at in islice(joints, _MOST_JOINED):
        begin = grammar.past_adverbs(words, at + 1)
        # A plain word may be a noun as well: "I'll check your appointments and billing".
        sure = mood != "do" and at < end
        if (verb := grammar.verb(words, begin, mood, own, unlisted=sure)) is not None:
            yield verb


def _meant(kind: FrameKind, clause: _Clause, verb: int, speaker: Speaker, grammar: Grammar) -> bool:
    """Whether it is really said that this was done or will be: not denied, not possible only, not on condition."""
    words = clause.words
    claim = kind in CLAIMS
    before = words[clause.start : max(verb, clause.frame) if claim else clause.frame]
    whole = words[clause.start : clause.end]
    if grammar.negations.among(words[clause.start : verb]) or grammar.modals.among(before):
        return False
    if grammar.conditions.among(before if claim else words) or (not claim and _is_invited(clause, grammar)):
        return False
    if grammar.reported.among(before) or grammar.unchanged.among(whole):
        return False
    if speaker != "i" and grammar.usually.among(whole):
        return False
    if grammar.span and grammar.negations.among(whole):
        # "Ich ändere nichts": German denies behind the verb, too.
        return False
    return kind not in ("was", "will_be") or speaker == "people" or _of_ours(clause, verb, grammar)


def _is_invited(clause: _Clause, grammar: Grammar) -> bool:
    """Whether the sentence first asks the customer for something: "pick one, and I'll reserve it"."""
    words = clause.words
    first = next((place for place, word in enumerate(words) if word[0].isalnum()), 0)
    while first < clause.frame and grammar.openers.at(words, first) and words[first] not in grammar.invites:
        first += 1
    return first < clause.frame and words[first] in grammar.invites


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


# --- Whether words that are still coming may become a claim

Outlook: TypeAlias = Literal["never", "maybe", "likely"]

LONGEST: Final = 8
"""How many words of a sentence that may still become a claim are waited for."""

_SIGNS: Final = frozenset(',:;–—-!.*#•>()"')
_NOUN_WITHIN: Final = 2
_NOUN_OF_YOURS_WITHIN: Final = 4
_WORD: Final = re.compile(r"\w")


def outlook(
    begun: str,
    grammar: Grammar,
    own: Mapping[str, Act],
    moods: frozenset[Mood] = frozenset(),
    *,
    joined: bool = False,
) -> Outlook:
    """What the beginning of a clause may become; a word at its very end may still grow.

    ``likely``: a claim or a promise, if nothing in the rest speaks against it. ``moods``: those in which a verb may
    go on without a subject of its own. ``joined``: other clauses come before it in the sentence.
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
        # Read no further than words that come one by one are read.
        words, growing = words[: LONGEST + 1], ""
    if not words and growing in grammar.at_once:
        return "never"
    if joined and not words and growing in grammar.conjunctions.prefixes:
        return "maybe"
    found = _Beginning(words, growing, grammar, own, moods).outlook()
    return "never" if found == "maybe" and len(words) > LONGEST else found


class _Beginning:
    """The complete words of a clause that has begun, and the one that is still growing."""

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
            framed = self._framed(place, at)
            if framed == "likely":
                return "likely"
            if framed == "maybe" or self._frame_begun(at):
                return "maybe"
            if framed == "never" and not self._frame_next(at + 1):
                return "never"
            if framed is None and not subject.takes(self._words[at]):
                return "never"
        return _maybe(not self._growing or subject.may_take(self._growing))

    def _framed(self, start: int, at: int) -> Outlook | None:
        """What may become of the frames that stand here; None when there are none."""
        found: Outlook | None = None
        for kind, frame in self._grammar.frames_from.get(self._words[at], ()):
            if length := frame.at(self._words, at):
                here = self._verb_after(kind, start, at, at + length)
                if here == "likely" or found in (None, "never"):
                    found = here
        return found

    def _verb_after(self, kind: FrameKind, start: int, frame: int, place: int) -> Outlook:
        words, grammar, mood = self._words, self._grammar, MOODS[kind]
        speaker = grammar.speaker(words, start, frame, place)
        unlisted = grammar.takes_any_verb(kind, words, frame, place, speaker)
        if grammar.span and kind == "doing" and speaker == "i":
            return self._by_ich(start, frame, place)
        if grammar.span and unlisted:
            # The verb comes last, so it can be any.
            return "likely"
        first = grammar.past_adverbs(words, place)
        if first >= len(words):
            return _maybe(bool(grammar.span) or unlisted or self._may_be_verb(mood))
        if grammar.harmless_phrases.begun(words, first, self._growing):
            return "maybe"
        last = min(first + grammar.span + 1, len(words))
        if any(
            words[at] in grammar.verbs[mood]
            or grammar.verb(words, at, mood, self._own, unlisted=unlisted)
            or grammar.verb(words, at, mood, self._own, yours=True)
            for at in range(first, last)
        ):
            return "likely"
        return _maybe(grammar.span > 0 or grammar.verb_begun(words, first, self._growing, mood))

    def _by_ich(self, start: int, frame: int, place: int) -> Outlook:
        """German says in the present what it is about to do: "ich storniere", "dann storniere ich"."""
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
        return any(
            frame.begun(self._words, at, self._growing)
            for _, frame in self._grammar.frames_from.get(self._words[at], ())
        )

    def _frame_next(self, at: int) -> bool:
        """Whether another frame may follow the words that looked like one: "I'm" and "going to"."""
        if at < len(self._words):
            return self._words[at] in self._grammar.frame_first
        return self._growing in self._grammar.frame_beginnings


class _Subject:
    """What stands before the frame, word by word: "your appointment on Tuesday"."""

    __slots__ = ("_alone", "_free", "_grammar", "_named", "_taken", "_within")

    def __init__(self, grammar: Grammar) -> None:
        self._grammar = grammar
        self._taken = 0
        self._within = _NOUN_WITHIN
        self._alone = self._named = self._free = False

    def takes(self, word: str) -> bool:
        """Whether the subject may go on with this word."""
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
        """Whether this, which may yet become a longer word, can go on with the subject, or with the frame."""
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
