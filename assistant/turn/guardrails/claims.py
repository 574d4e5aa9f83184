"""Holds a model's claims and promises of actions until there is evidence for them.

It has three steps, each in its own module: ``outlook`` tells whether unfinished text may become a claim,
``deeds`` reads the claims and promises of a whole sentence, and :class:`Claims` holds the stream and drops
what ``evidence`` does not prove.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final, Literal, TypeAlias

from assistant.language.sentences import LONGEST_SENTENCE, SentenceCutter, with_completeness
from assistant.language.words import carries_meaning
from assistant.prompts.words import Act
from assistant.turn.guardrails.deeds import deeds_said
from assistant.turn.guardrails.evidence import Evidence
from assistant.turn.guardrails.grammar import MOODS, Grammar, Mood, Said, tokens
from assistant.turn.guardrails.guardrail import Suppressed
from assistant.turn.guardrails.outlook import outlook

Patience: TypeAlias = Literal["none", "calls", "again", "last"]
"""What may still prove a claim that has no evidence yet: nothing; a later call in the same reply; or also a
second reply of the model. ``last``: this is the second reply, which is shown as a whole or not shown.
"""

Enough: TypeAlias = Callable[[str, Sequence[Said]], bool]
"""Whether the rest of a reply answers the customer without the dropped sentences."""


@dataclass(slots=True)
class _Doubtful:
    """A sentence that has no evidence now, but may get some.

    ``held`` is the part of it that was not shown yet, ``true`` the clauses at its beginning that are true
    without the rest.
    """

    text: str
    held: str
    true: str
    said: Sequence[Said]


class Claims:
    """A filter for one message of a model. A sentence is shown unchanged or not at all.

    A sentence waits while it may become a claim or a promise; if it probably is one, it waits for its end. If
    only the last clause is one, the clauses before it are shown. A claim without evidence is dropped, and the
    text after it waits for the end of the reply. Then either the rest is shown, or all of it is dropped and the
    model must be asked again.

    Args:
        evidence: returns the current evidence of the conversation, with these additional tools.
        enough: whether the rest of the reply is a sufficient answer.
        patience: what may still support words without evidence.

    Attributes:
        withheld: the dropped sentences, in order.
        refused: the dropped text, if the rest is not sufficient and the model must be asked again; otherwise
            "".
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
        self._segment = 0  # the position in the sentence where the possible claim begins
        self._scanned = 0
        self._judged: int = 0  # the end of the last judged clause of a probable claim
        self._open: bool = True  # whether these words may still become a claim
        self._likely = False
        self._moods: frozenset[Mood] = frozenset()
        self._asked = False  # whether the previous sentence was a question
        self._out = ""
        self._waits = patience == "last"
        self._rest: list[_Doubtful | str] = []
        self._named: tuple[str, ...] = ()

    def push(self, text: str) -> str:
        """Add text; returns what may be shown now, perhaps nothing."""
        if not self._open and self._cutter.goes_on(text):
            return self._showing(self._more(text))
        shown: list[str] = []
        for piece, whole in with_completeness(self._cutter.push(text)):
            if piece.begins:
                shown.append(self._end())
            if whole and not self._deeds_in(piece.text, after_question=self._asked):
                # Most sentences mention no deed. A sentence that arrived as a whole need not be read word by
                # word.
                self._asked = piece.text.rstrip().endswith("?")
                shown.append(self._passed(piece.text))
            else:
                shown.append(self._more(piece.text))
        return self._showing("".join(shown))

    def called(self, tool: str) -> None:
        """The model calls this tool. Its later text is not shown, so :meth:`close` follows."""
        self._named = (*self._named, tool)

    def close(self) -> str:
        """End the text; returns the held text that has evidence."""
        return self._showing(self._end() + self._resolve(self._named))

    def _deeds_in(self, sentence: str, *, after_question: bool) -> Sequence[Said]:
        return deeds_said(sentence, self._grammar, self._own, after_question=after_question)

    def _showing(self, text: str) -> str:
        self._out += text
        return text

    def _more(self, text: str) -> str:
        self._sentence += text
        self._held += text
        if not self._open:
            return self._let_out(self._sentence_until_trigger())
        if self._likely:
            self._judge_clause()
        else:
            self._judge_beginning()
        if self._open:
            return ""
        return self._let_out(self._sentence_until_trigger())

    def _judge_clause(self) -> None:
        """Show a clause that a lookup proves when the clause ends: the words after it cannot make it untrue.

        A claim about a side effect waits for the whole sentence, which may extend it ("..., and so is your
        order").
        """
        end = _CLAUSES.search(self._sentence, max(self._segment + 1, self._judged))
        if end is None:
            return
        self._judged = end.end()
        said = self._deeds_in(f"{self._sentence[: end.start()]}.", after_question=self._asked)
        if not said or any(one.kind == "promise" for one in said):
            return
        evidence = self._evidence(())
        if not evidence.did_something() and evidence.fault(said) is None:
            self._open = self._likely = False
            self._scanned = end.start()

    def _judge_beginning(self) -> None:
        begun = self._sentence[self._segment :]
        match outlook(begun, self._grammar, self._own, self._moods, joined=self._segment > 0):
            case "likely":
                self._likely = True
            case "never":
                self._open = False
                # A complete word that never makes a claim wait may still be the first word of a frame.
                self._scanned = max(self._scanned, self._segment + (not begun.strip().isalpha()))
            case "maybe":
                pass

    def _sentence_until_trigger(self) -> int:
        """How far the sentence may be shown: up to a further clause, or a frame, that may begin a claim."""
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
                return self._before_frame()
            if self._is_another_word(trigger):
                self._scanned = trigger.end()
                continue
            if trigger["word"]:
                # The words before the last segment were examined when that segment began.
                begin = self._sentence.rfind(" ", 0, max(0, self._segment - _LONGEST_FRAME)) + 1
                before = tokens(self._sentence[begin : trigger.start()])
                self._moods |= _moods_of(before, self._grammar)
            self._segment, self._scanned = trigger.start(), trigger.end()
            self._open = True
            self._judge_beginning()
        # The space before it waits too: the sentence may have to end here.
        return len(self._sentence[: self._segment].rstrip())

    def _before_frame(self) -> int:
        """The end of the sentence, or the place before its last word if that may become a frame."""
        last = _LAST_WORD.search(self._sentence, max(0, len(self._sentence) - _LONGEST_TRIGGER))
        if last is None or last[1].lower() not in self._grammar.frame_beginnings:
            return len(self._sentence)
        return last.start()

    def _is_another_word(self, trigger: re.Match[str]) -> bool:
        """Whether these words are no frame: "have" begins a frame only if certain words, such as "been", follow."""
        words = self._grammar.continued_by.get((trigger["word"] or "").lower())
        following = _NEXT_WORD.match(self._sentence, trigger.end()) if words else None
        return words is not None and following is not None and following[1].lower() not in words

    def _let_out(self, end: int) -> str:
        """The held text of this sentence up to ``end``, unless an earlier sentence keeps it waiting."""
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
        sentence, held, asked, waits = self._sentence, self._held, self._asked, self._open
        if not sentence:
            return ""
        self._sentence = self._held = ""
        self._segment = self._scanned = self._judged = 0
        self._open, self._likely, self._moods = True, False, frozenset()
        self._asked = sentence.rstrip().endswith("?")
        if not held or not waits:
            return self._passed(held)
        said = self._deeds_in(sentence, after_question=asked)
        evidence = self._evidence(()) if said else None
        fault = evidence.fault(said) if evidence is not None else None
        if evidence is None or fault is None or (fault == "unconfirmed" and self._breaks_off(sentence)):
            return self._passed(held)
        doubtful = _Doubtful(sentence, held, self._true_beginning(sentence, evidence, asked=asked), said)
        if fault == "waiting":
            # The read-back that follows says what will be done.
            return self._passed(self._dropped(doubtful))
        self._rest.append(doubtful)
        return ""

    def _true_beginning(self, sentence: str, evidence: Evidence, *, asked: bool) -> str:
        """The clauses at the beginning that have content and are true, if the rest can be left out."""
        for boundary in islice(reversed(list(_CLAUSES.finditer(sentence))), _MOST_CLAUSES):
            begun = sentence[: boundary.start()]
            said = self._deeds_in(f"{begun}.", after_question=asked)
            if evidence.fault(said) is None:
                telling = sum(
                    carries_meaning(word, self._grammar.locale) for word in tokens(begun) if word[0].isalnum()
                )
                return begun if telling >= _SAYS_SOMETHING else ""
        return ""

    def _breaks_off(self, sentence: str) -> bool:
        """Whether the stream ended before the fact came: "You are booked for"."""
        return tokens(sentence)[-1] in self._grammar.after

    def _resolve(self, named: Sequence[str]) -> str:
        """Decide about the sentences in doubt: apart from these calls, nothing more can support them."""
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
                    # The acknowledgement replaces the text next to the reply's calls.
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
        """The text in place of a dropped sentence: an end for one whose beginning was shown."""
        self.withheld.append(Suppressed(part.text.strip()))
        if len(part.held) == len(part.text) and not part.true:
            return ""
        shown = part.text[: -len(part.held)]
        kept = max(shown, part.true, key=len)
        end = "" if kept.rstrip().endswith((".", "!", "?")) else " …" if _LEFT_HANGING.search(kept) else "."
        return kept[len(shown) :].rstrip() + end + part.text[len(part.text.rstrip()) :]


_MOST_CLAUSES: Final = 12
"""The maximum number of clauses left out at the end of a sentence to show its beginning."""

_LONGEST_TRIGGER: Final = 12
_LONGEST_FRAME: Final = 40
_SAYS_SOMETHING: Final = 2
"""The minimum number of meaningful words in clauses that are shown without the rest."""

_LAST_WORD: Final = re.compile(r"\s+([^\W\d_]+)\Z")
_NEXT_WORD: Final = re.compile(r"\s+([^\W\d_]+)(?=[^\w'’])")
_LEFT_HANGING: Final = re.compile(
    r"(?:\b(?:and|but|so|or|then|that|und|aber|oder|dass)|[,;:–—-])\s*$", re.IGNORECASE
)
_CLAUSES: Final = re.compile(r",?\s+(?:and|but|so|und|aber)\s|[,;:]\s|\s[–—-]\s")
"""Where a further clause may begin."""


def _moods_of(words: Sequence[str], grammar: Grammar) -> frozenset[Mood]:
    """The moods of verbs that may be joined to the verbs of these words: "I've checked" and "cancelled"."""
    return frozenset(
        MOODS[kind]
        for kind, frame in grammar.frames.items()
        if kind not in ("was", "became", "will_be")
        for place, word in enumerate(words)
        if word in frame.first and frame.at(words, place)
    )
