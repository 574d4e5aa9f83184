"""Locales: the language of a message, and where the texts of a locale are.

The language of a message is found by its words, of which each locale's file has a list. If the lists are not
enough, a small model's guess also counts, for languages whose list is short.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

from assistant.language.detect import guess_language

_WORD = re.compile(r"[^\W\d_]+")
_SURE, _ENDING, _LETTER, _LETTER_OF_A_NAME = 3, 2, 2, 1
_STEM = 3  # letters before an ending: "hung" and "young" are too short
_ENOUGH = 3
_MOST_WORDS = 0.5  # with this share of a message's words in a list, no guess is needed
_SURE_GUESS = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageWords:
    """The signs of a language: complete ``words``, ``endings`` of longer words, and ``letters`` that others
    do not have.

    One listed word is enough, unless another language has more of them. A single ending or letter is not
    enough, because names have them, too; both together are ("Rückerstattung"). ``guessed`` is True if the
    list is short, and a guess of this language counts as if all words of the message were in the list.
    """

    words: frozenset[str]
    endings: tuple[str, ...] = ()
    letters: frozenset[str] = frozenset()
    guessed: bool = False

    def score(self, words: Iterable[tuple[str, str]]) -> int:
        """Returns how strongly these words point to this language.

        Each is given as written, and in lower case.
        """
        score = 0
        for word, small in words:
            if small in self.words:
                score += _SURE
                continue
            # A single test excludes most words.
            if small.endswith(self.endings) and self._has_ending(small):
                score += _ENDING
            if not self.letters.isdisjoint(small):
                # A letter alone is not enough: "Müller" is a name in any language, "möchte" is not.
                score += _LETTER if word == small else _LETTER_OF_A_NAME
        return score

    def _has_ending(self, word: str) -> bool:
        return any(word.endswith(ending) and len(word) >= len(ending) + _STEM for ending in self.endings)


def language_of(
    text: str, known: Mapping[str, LanguageWords], otherwise: str, page: str | None = None
) -> str:
    """Returns the probable locale of a message, by its words.

    Args:
        text: the customer's message.
        known: the known languages, by locale.
        otherwise: the last locale; it stays if the message is too short or too mixed.
        page: the locale of the page. Its region is kept if the language is the same ("de" becomes "de-AT").
    """
    words = {(word, word.casefold()) for word in _WORD.findall(text)}
    scores: dict[str, float] = {locale: each.score(words) for locale, each in known.items()}
    best, lead = _best(scores, otherwise)
    if lead < _ENOUGH or scores[best] < _MOST_WORDS * _SURE * len(words):
        best, lead = _best(_with_guess(scores, text, words, known), otherwise)
    if lead < _ENOUGH:
        return otherwise
    return next((one for one in (otherwise, page) if one and _same(one, best)), best)


def _best(scores: Mapping[str, float], otherwise: str) -> tuple[str, float]:
    """Returns the locale with the highest score, and the distance to the second highest score.

    A word in several lists counts for all of them, so it does not distinguish them.
    """
    best = max(scores, key=scores.__getitem__, default=otherwise)
    others = max((score for locale, score in scores.items() if locale != best), default=0)
    return best, scores.get(best, 0) - others


def _with_guess(
    scores: Mapping[str, float], text: str, words: Set[tuple[str, str]], known: Mapping[str, LanguageWords]
) -> Mapping[str, float]:
    """Returns the scores with the model's guess, if it is certain.

    For a language with a long list, the guess counts as one word, and only together with a word of the list,
    because names and addresses also lead to guesses. For a language with a short list, it counts as all words
    that no other list contains.
    """
    if not words or not any(each.guessed for each in known.values()):
        return scores
    guess = guess_language(text, frozenset(map(language, known)))
    locale = next((one for one in known if language(one) == guess.language), None)
    if locale is None or guess.share < _SURE_GUESS:
        return scores
    if known[locale].guessed:
        others = [each for one, each in known.items() if one != locale]
        free = sum(all(each.score([word]) < _SURE for each in others) for word in words)
        counted = guess.share * free
    else:
        counted = float(scores[locale] >= _SURE)
    return {**scores, locale: scores[locale] + _SURE * counted}


def one_per_language(lists: Mapping[str, LanguageWords]) -> dict[str, LanguageWords]:
    """Returns the lists by language. A region's own file is used only if the language has none."""
    kept = {locale: words for locale, words in lists.items() if locale == language(locale)}
    return kept | {locale: words for locale, words in lists.items() if language(locale) not in kept}


def language(locale: str) -> str:
    """Returns a locale's language.

    >>> language("de-AT"), language("de_DE"), language("EN")
    ('de', 'de', 'en')
    """
    return locale.replace("_", "-").partition("-")[0].lower()


@cache
def language_name(locale: str) -> str:
    """Returns the name of a language for models, or "" for an unknown locale.

    >>> language_name("de-AT"), language_name("nl"), language_name("xx")
    ('German', 'Dutch', '')
    """
    from babel import Locale, UnknownLocaleError

    try:
        return Locale.parse(language(locale)).get_language_name("en") or ""
    except (UnknownLocaleError, ValueError):
        return ""


@cache
def with_region(locale: str) -> str:
    """Returns a locale with a region, as speech services require it: its own region, or the most common one.

    >>> with_region("en"), with_region("de-AT"), with_region("sv"), with_region("pt")
    ('en-US', 'de-AT', 'sv-SE', 'pt-BR')
    """
    from babel.core import get_global

    if "-" in locale.replace("_", "-"):
        return locale.replace("_", "-")
    likely = str(get_global("likely_subtags").get(language(locale), locale))
    region = likely.rpartition("_")[2]
    return f"{locale}-{region}" if region != likely else locale


def _same(locale: str, other: str) -> bool:
    return language(locale) == language(other)


DEFAULT_LOCALE = "en"
"""The locale whose texts are used if a locale has none. Its files are complete."""

_Found = TypeVar("_Found")


def for_nearest_locale(by_locale: Mapping[str, _Found], locale: str) -> _Found:
    """Returns the entry for this locale ("de-AT"), for its language, or else for English."""
    found = by_locale.get(locale)
    return (
        found
        if found is not None
        else next(by_locale[one] for one in locale_chain(locale) if one in by_locale)
    )


def locale_chain(locale: str) -> Iterator[str]:
    """Yields the locales to try, nearest first.

    >>> list(locale_chain("de_AT"))
    ['de-AT', 'de', 'en']
    """
    yield from dict.fromkeys((locale.replace("_", "-"), language(locale), DEFAULT_LOCALE))


def localized_file(name: str, locale: str) -> str:
    """Returns the path of a prompt's file in a locale. Texts for models exist only in English.

    >>> localized_file("customers/en/apology.j2", "de")
    'customers/de/apology.j2'
    """
    return name.replace(f"/{DEFAULT_LOCALE}/", f"/{locale}/")


def file_named(name: str, files: Iterable[str]) -> str | None:
    """Returns the prompt file with this name: the path or its end, with or without the suffix; English files
    first.

    >>> files = ["customers/de/apology.j2", "customers/en/apology.j2", "voice.toml"]
    >>> file_named("apology", files), file_named("de/apology.j2", files), file_named("voice", files)
    ('customers/en/apology.j2', 'customers/de/apology.j2', 'voice.toml')
    """
    ends = tuple(f"/{name}{suffix}" for suffix in ("", ".j2", ".toml"))
    found = [file for file in files if f"/{file}".endswith(ends)]
    return min(found, key=lambda file: (f"/{DEFAULT_LOCALE}/" not in file, file), default=None)
