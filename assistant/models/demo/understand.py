"""Finds the tools that a message asks for, clause by clause, by similarity to their examples."""

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np

from assistant.conversation.tool_spec import ToolSpec
from assistant.models.demo.clauses import (
    Clause,
    Stance,
    borrow_head,
    deed_of,
    deeds_of,
    is_knowledge,
    is_question,
    paraphrase,
    stance_of,
)
from assistant.models.demo.dates import ORDINAL
from assistant.models.demo.decision import Slot, slots_of
from assistant.models.demo.entities import Entities
from assistant.models.demo.words import stems
from assistant.models.minilm import Embed, Vectors


@dataclass(frozen=True, slots=True)
class Match:
    """A tool's similarity to a clause: about 0 for unrelated, 1 and more for its own example.

    ``spec`` is None for requests that no tool can handle.
    """

    spec: ToolSpec | None
    score: float


Nearest: TypeAlias = Callable[[str], Sequence[Match]]
"""Ranks the tools for a clause, nearest first."""

SURE: Final = 0.5
STATED: Final = 0.55  # a statement is only an indirect request, so it needs more evidence
LIKELY: Final = 0.42
APART: Final = 0.05


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a message with one meaning; ``matches`` ranks the tools for it."""

    text: str
    start: int
    end: int
    stance: Stance
    matches: tuple[Match, ...]

    @property
    def best(self) -> Match:
        """The most similar tool, or "no tool"."""
        return self.matches[0]

    @property
    def sure(self) -> bool:
        """Whether the piece certainly asks for its best tool."""
        return self.best.spec is not None and self.best.score >= (
            STATED if self.stance == "statement" else SURE
        )

    @property
    def doubtful(self) -> bool:
        """Whether the two best tools are too similar to choose between them."""
        return (
            len(self.matches) > 1
            and self.matches[1].spec is not None
            and self.best.score - self.matches[1].score < APART
        )


def read_pieces(
    clauses: Sequence[Clause], lower: str, entities: Entities, nearest: Nearest
) -> tuple[Piece, ...]:
    """Join the clauses to pieces, in order.

    The nouns of a list become separate pieces only if each asks for a tool of its own.
    """
    pieces: list[Piece] = []
    for clause in clauses:
        if clause.joined == "weak" and pieces:
            last = pieces.pop()
            pieces += _listed(last, clause, lower, entities, nearest)
        else:
            pieces.append(_piece(clause.text, clause.start, clause.end, entities, nearest))
    return tuple(pieces)


def _listed(last: Piece, clause: Clause, lower: str, entities: Entities, nearest: Nearest) -> list[Piece]:
    completed = borrow_head(last.text, clause.text)
    own = _piece(completed, clause.start, clause.end, entities, nearest)
    own = replace(own, stance="negated" if last.stance == "negated" else own.stance)
    another = _names_another(last, clause, lower, entities)
    if last.sure and own.sure and (last.best.spec != own.best.spec or another):
        return [last, own]
    return [_piece(lower[last.start : clause.end], last.start, clause.end, entities, nearest)]


def _names_another(last: Piece, clause: Clause, lower: str, entities: Entities) -> bool:
    """Whether a clause is only the number of another thing: "cancel order 10455 and 10482"."""
    own = entities.within(clause.start, clause.end)
    nouns = stems(" ".join(one.noun for one in own.references))
    between = lower[last.end : clause.start]
    return (
        bool(own.references and entities.within(last.start, last.end).references)
        and stems(_without(clause.text, own, clause.start)) <= nouns
        and "or" not in between.split()
    )


def _piece(text: str, start: int, end: int, entities: Entities, nearest: Nearest) -> Piece:
    own = entities.within(start, end)
    meant = paraphrase(text)
    if not stems(_without(text, own, start)) and not deeds_of(meant):
        # Only a day or a number: an answer to a question, but no request.
        return Piece(text, start, end, stance_of(text), (Match(None, 0.0),))
    matches = sorted(
        (
            replace(match, score=match.score + _fit(match, own) + _suits(match, meant))
            for match in nearest(meant)
        ),
        key=lambda match: -match.score,
    )
    return Piece(text, start, end, stance_of(text), tuple(matches))


def _without(text: str, own: Entities, offset: int) -> str:
    for start, end in own.ranges:
        text = text[: start - offset] + " " * (end - start) + text[end - offset :]
    return text


def _suits(match: Match, meant: str) -> float:
    """Returns the bonus or malus of a tool, depending on the kind of action that the clause mentions."""
    if match.spec is None:
        return 0.0
    said, named = deeds_of(meant), deed_of(match.spec)
    if is_knowledge(meant):
        return -0.35
    if match.spec.effect == "read":
        return -0.1 if said & {"end", "shift"} and not is_question(meant) else 0.0
    if is_question(meant) and "shift" not in said:
        return -0.2
    return 0.12 if said & named else -0.2 if said and named else 0.0


def _fit(match: Match, own: Entities) -> float:
    """Returns the bonus of a tool that has parameters for the values in a clause, or the malus of one that
    has none.
    """
    if match.spec is None:
        return 0.0
    slots = slots_of(match.spec)
    kinds = {slot.kind for slot in slots}
    fit = 0.0
    if own.emails:
        fit += 0.2 if "email" in kinds else -0.1
    if own.phones:
        fit += 0.2 if "phone" in kinds else -0.1
    if own.days:
        fit += 0.03 if kinds & {"day", "moment"} else -0.05
    if own.times:
        fit += 0.03 if kinds & {"time", "moment"} else -0.03
    if any(slot.role == "new" for slot in slots):
        fit += 0.08 if len(own.days) > 1 else 0.0
    return fit + _named(slots, own)


def _named(slots: Sequence[Slot], own: Entities) -> float:
    nouns = {slot.noun for slot in slots if slot.kind == "reference"}
    marked = [one for one in own.references if one.marked]
    if not marked:
        return 0.0
    return (
        0.12
        if any(one.noun in nouns or not one.noun for one in marked) and nouns
        else 0.06
        if nouns
        else -0.05
    )


_WORDS_WEIGH: Final = 0.15
_DESCRIPTION_WEIGHS: Final = 0.9
_EXAMPLE_WEIGHS: Final = 0.6
_STRANGE: Final = 0.5
_ELSEWHERE: Final = 0.6
_CLOSE: Final = 0.08


@dataclass(frozen=True, slots=True, eq=False)
class Index:
    """The vectors of the tools' sentences, the words that identify each tool, and all known words."""

    owners: tuple[ToolSpec | None, ...]
    vectors: Vectors
    weights: Vectors
    words: Mapping[str, Mapping[str, float]]
    rarity: Mapping[str, float]
    vocabulary: frozenset[str]

    def nearest(self, clause: str, vector: Vectors) -> tuple[Match, ...]:
        """Returns all tools, the most similar first. One entry has the spec None, for "no tool"."""
        cosines = (self.vectors @ vector) * self.weights
        best: dict[str | None, Match] = {}
        for owner, cosine in zip(self.owners, cosines.tolist(), strict=True):
            name = owner.name if owner else None
            if name not in best or cosine > best[name].score:
                best[name] = Match(owner, cosine)
        said, strange = stems(clause), is_strange(clause, self.vocabulary)
        matches = (self._with_words(match, said) for match in best.values())
        return tuple(sorted((_held_against(match, strange=strange) for match in matches), key=_by_score))

    def _with_words(self, match: Match, said: frozenset[str]) -> Match:
        if match.spec is None:
            return match
        known = [word for word in said if word in self.rarity]
        weight = sum(self.rarity[word] for word in known)
        shared = sum(self.rarity[word] * self.words[match.spec.name].get(word, 0.0) for word in known)
        return Match(match.spec, match.score + (_WORDS_WEIGH * shared / weight if weight else 0.0))


def _held_against(match: Match, *, strange: bool) -> Match:
    """Adjust a score: an action on an unknown thing fits no tool, and "no tool" wins if the scores are close."""
    if match.spec is None:
        return Match(None, match.score + (_CLOSE if match.score >= _ELSEWHERE else 0.0))
    return Match(match.spec, match.score - _STRANGE) if strange else match


def _by_score(match: Match) -> float:
    return -match.score


def build_index(specs: Sequence[ToolSpec], embed: Embed) -> Index:
    """Embed each tool's name, examples and first line of description, and example requests that no tool
    handles.

    Blocks.
    """
    rows = [(spec, sentence, weight) for spec in specs for sentence, weight in _sentences(spec)]
    rows_elsewhere = [(None, sentence, 1.0) for sentence in elsewhere()]
    everything = [*rows, *rows_elsewhere]
    words = {spec.name: _words(spec) for spec in specs}
    spread = Counter(word for known in words.values() for word in known)
    return Index(
        owners=tuple(owner for owner, _, _ in everything),
        vectors=embed([sentence for _, sentence, _ in everything]),
        weights=np.array([weight for _, _, weight in everything], dtype=np.float32),
        words=words,
        vocabulary=frozenset(spread).union(*map(_parameters, specs)),
        rarity={word: math.log(1 + len(specs) / count) for word, count in spread.items()},
    )


def _sentences(spec: ToolSpec) -> list[tuple[str, float]]:
    first = spec.description.strip().partition("\n")[0].lower()
    said = [spec.name.replace("_", " "), *_hints(spec), *(example.lower() for example in spec.examples)]
    return [*((sentence, 1.0) for sentence in said), (first, _DESCRIPTION_WEIGHS)]


def _words(spec: ToolSpec) -> dict[str, float]:
    """Returns the weight of each word that identifies the tool: words of its name count more than those of
    its examples.
    """
    examples = {word: _EXAMPLE_WEIGHS for example in spec.examples for word in stems(example)}
    named = stems(" ".join((spec.name.replace("_", " "), *_hints(spec))))
    return examples | dict.fromkeys(named, 1.0)


def _parameters(spec: ToolSpec) -> frozenset[str]:
    """Returns the stems of the names and descriptions of its parameters."""
    said = (f"{slot.name.replace('_', ' ')} {slot.description}" for slot in slots_of(spec))
    return stems(" ".join(said).lower())


def _hints(spec: ToolSpec) -> list[str]:
    return [hint.will.lower() for locale, hint in spec.hints.items() if locale.startswith("en")]


_THING: Final = re.compile(
    r"\b(?:my|an?|the|our)\s+(?P<thing>(?:(?!(?:for|on|at|in|to|from|with|of|that|which|who|by|please|and|or|is|are|was"
    r"|has|have|will|can|could|would|should|not|any|i|we|you|it)\b)[a-z'-]+\s?){1,3})"
)

_POINTS: Final = re.compile(
    rf"\b(?:{ORDINAL}|ones?|other|another|last|latest|next|same|times?|days?|dates?|things?|earl\w+|later|new|different)\b"
)


def is_strange(clause: str, known: Collection[str]) -> bool:
    """Whether the thing in a lower-case order has only words that no tool knows; ``known`` are the tools'
    words.

    >>> is_strange("cancel my gym membership", {"appointment"}), is_strange("cancel my visit", {"visit"})
    (True, False)
    >>> is_strange("when does my gym open", {"appointment"}), is_strange("cancel it", ())
    (False, False)
    """
    thing = _THING.search(clause) if deeds_of(clause) else None
    said = stems(_POINTS.sub("", thing["thing"])) if thing is not None else frozenset[str]()
    return bool(said) and not any(word in known for word in said)


@cache
def elsewhere() -> tuple[str, ...]:
    """Returns example requests that no tool handles, from a file with one on each line."""
    path = Path(__file__).parent / "data" / "elsewhere.txt"
    return tuple(path.read_text(encoding="utf-8").splitlines())
