"""How near each tool is to what a clause means."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from assistant.conversation.tool_spec import ToolSpec
from assistant.models.offline.embed import Embed, Vectors
from assistant.models.offline.elsewhere import elsewhere
from assistant.models.offline.stems import stems

_WORDS_WEIGH: Final = 0.25
_DESCRIPTION_WEIGHS: Final = 0.9


@dataclass(frozen=True, slots=True)
class Match:
    """A tool's nearness to a clause: about 0 for unrelated, 1 and more for its own example.

    ``spec`` is None for what no tool is for.
    """

    spec: ToolSpec | None
    score: float


@dataclass(frozen=True, slots=True, eq=False)
class Index:
    """The tools' own sentences as vectors, and the words each tool is known by."""

    owners: tuple[ToolSpec | None, ...]
    vectors: Vectors
    weights: Vectors
    words: Mapping[str, frozenset[str]]
    rarity: Mapping[str, float]

    def nearest(self, clause: str, vector: Vectors) -> tuple[Match, ...]:
        """All tools, nearest first, and None among them for what none of them is for."""
        cosines = (self.vectors @ vector) * self.weights
        best: dict[str | None, Match] = {}
        for owner, cosine in zip(self.owners, cosines.tolist(), strict=True):
            name = owner.name if owner else None
            if name not in best or cosine > best[name].score:
                best[name] = Match(owner, cosine)
        said = stems(clause)
        return tuple(sorted((self._with_words(match, said) for match in best.values()), key=lambda m: -m.score))

    def acts(self, spec: ToolSpec, clause: str) -> bool:
        """Whether the clause has a word that is this tool's and no look-up's: evidence that it is meant."""
        return any(word in self.words[spec.name] and word in self.rarity and not self._is_reading(word) for word in stems(clause))

    def _is_reading(self, word: str) -> bool:
        return any(word in self.words[owner.name] for owner in set_of(self.owners) if owner.effect == "read")

    def _with_words(self, match: Match, said: frozenset[str]) -> Match:
        if match.spec is None:
            return match
        known = [word for word in said if word in self.rarity]
        weight = sum(self.rarity[word] for word in known)
        shared = sum(self.rarity[word] for word in known if word in self.words[match.spec.name])
        return Match(match.spec, match.score + (_WORDS_WEIGH * shared / weight if weight else 0.0))


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
        rarity={word: math.log(1 + len(specs) / count) for word, count in spread.items()},
    )


def set_of(owners: Sequence[ToolSpec | None]) -> list[ToolSpec]:
    """The tools among the owners, once each."""
    return list({owner.name: owner for owner in owners if owner is not None}.values())


def _sentences(spec: ToolSpec) -> list[tuple[str, float]]:
    name = spec.name.replace("_", " ")
    first = spec.description.strip().partition("\n")[0]
    return [(name, 1.0), *((example.lower(), 1.0) for example in spec.examples), (first.lower(), _DESCRIPTION_WEIGHS)]


def _words(spec: ToolSpec) -> frozenset[str]:
    return stems(spec.name.replace("_", " ")).union(*(stems(example) for example in spec.examples))
