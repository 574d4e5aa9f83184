"""Keeps back what a model claims to have done, or promises to do, until it is known to be so."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from assistant.prompts.deed_words import Act
from assistant.text.sentences import SentenceCutter
from assistant.turn.guards.beginning import outlook
from assistant.turn.guards.evidence import Evidence, Fault
from assistant.turn.guards.grammar import Grammar
from assistant.turn.guards.guard import Kept
from assistant.turn.guards.said import deeds_said
from assistant.turn.guards.tokens import tokens

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
        self.withheld: list[Kept] = []
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
                self.withheld.append(Kept(part.text.strip(), ""))
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
        self.withheld.append(Kept(sentence.strip(), instead))
        if not instead:
            return ""
        space = sentence[len(sentence.rstrip()) :]
        return f"{instead}{space}" if held or space else f" {instead}"
