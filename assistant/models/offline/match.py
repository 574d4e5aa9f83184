"""How near each tool is to what a clause means."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from assistant.conversation.tool_spec import ToolSpec
from assistant.models.embedding.minilm import Embed, Vectors
from assistant.models.offline.elsewhere import elsewhere
from assistant.models.offline.slots import slots_of
from assistant.models.offline.stems import stems
from assistant.models.offline.strange_thing import is_strange

_WORDS_WEIGH: Final = 0.15
_DESCRIPTION_WEIGHS: Final = 0.9
_EXAMPLE_WEIGHS: Final = 0.6
_STRANGE: Final = 0.5
_ELSEWHERE: Final = 0.6
_CLOSE: Final = 0.08


@dataclass(frozen=True, slots=True)
class Match:
    """A tool's nearness to a clause: about 0 for unrelated, 1 and more for its own example.

    ``spec`` is None for what no tool is for.
    """

    spec: ToolSpec | None
    score: float


@dataclass(frozen=True, slots=True, eq=False)
class Index:
    """The tools' own sentences as vectors, the words each tool is known by, and all words that any tool knows."""

    owners: tuple[ToolSpec | None, ...]
    vectors: Vectors
    weights: Vectors
    words: Mapping[str, Mapping[str, float]]
    rarity: Mapping[str, float]
    vocabulary: frozenset[str]

    def nearest(self, clause: str, vector: Vectors) -> tuple[Match, ...]:
        """All tools, nearest first, and None among them for what none of them is for."""
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
    """A deed on a thing that no tool knows is no tool's, and what is said elsewhere is so at a close finish."""
    if match.spec is None:
        return Match(None, match.score + (_CLOSE if match.score >= _ELSEWHERE else 0.0))
    return Match(match.spec, match.score - _STRANGE) if strange else match


def _by_score(match: Match) -> float:
    return -match.score


def build_index(specs: Sequence[ToolSpec], embed: Embed) -> Index:
    """Embed each tool's name, examples and first line of description, and what lies elsewhere. Blocks."""
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
    """A tool is known by its name's words; by those of its examples less."""
    examples = {word: _EXAMPLE_WEIGHS for example in spec.examples for word in stems(example)}
    named = stems(" ".join((spec.name.replace("_", " "), *_hints(spec))))
    return examples | dict.fromkeys(named, 1.0)


def _parameters(spec: ToolSpec) -> frozenset[str]:
    """The words that its parameters are described with."""
    said = (f"{slot.name.replace('_', ' ')} {slot.description}" for slot in slots_of(spec))
    return stems(" ".join(said).lower())


def _hints(spec: ToolSpec) -> list[str]:
    return [hint.will.lower() for locale, hint in spec.hints.items() if locale.startswith("en")]
