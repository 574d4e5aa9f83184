"""Locales: the language of a message, and where to look for a locale's texts.

A message's language is found by its words, of which each locale's file has a list. Where the lists do not
tell, a small model's guess counts too, for the languages whose list is short.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

from assistant.language.detect import guess_language

_WORD = re.compile(r"[^\W\d_]+")
_SURE, _ENDING, _LETTER, _LETTER_OF_A_NAME = 3, 2, 2, 1
_STEM = 3  # what must stand before an ending: "hung" and "young" have none
_ENOUGH = 3
_MOST_WORDS = 0.5  # a list that has at least this share of a message's words needs no guess
_SURE_GUESS = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageWords:
    """The signs of a language: whole ``words``, ``endings`` of longer words, and its own ``letters``.

    One listed word decides, unless another language has more of them. A single ending or letter does not,
    because names have them too; both together do ("Rückerstattung"). ``guessed``: the list is short, and a
    guess of this language counts as if all words of a message were in it.
    """

    words: frozenset[str]
    endings: tuple[str, ...] = ()
    letters: frozenset[str] = frozenset()
    guessed: bool = False

    def weight(self, word: str) -> int:
        """How strongly one word, as written, points to this language."""
        small = word.casefold()
        if small in self.words:
            return _SURE
        weight = _ENDING if self._has_ending(small) else 0
        if not self.letters.isdisjoint(small):
            # "Müller" is a name in any language; "möchte" is not.
            weight += _LETTER if word == small else _LETTER_OF_A_NAME
        return weight

    def _has_ending(self, word: str) -> bool:
        # Most words have none of them, which one look tells.
        return word.endswith(self.endings) and any(
            word.endswith(ending) and len(word) >= len(ending) + _STEM for ending in self.endings
        )


def language_of(
    text: str, known: Mapping[str, LanguageWords], otherwise: str, page: str | None = None
) -> str:
    """The probable locale of a message, by its words.

    Args:
        text: what the customer wrote.
        known: the languages there are, by locale.
        otherwise: the locale that was spoken last: it stays where the message is too short or too mixed to tell.
        page: the locale of the page. Its region is kept if the language is the same ("de" becomes "de-AT").
    """
    words = set(_WORD.findall(text))
    scores: dict[str, float] = {locale: sum(map(each.weight, words)) for locale, each in known.items()}
    best, lead = _best(scores, otherwise)
    if lead < _ENOUGH or scores[best] < _MOST_WORDS * _SURE * len(words):
        best, lead = _best(_with_guess(scores, text, words, known), otherwise)
    if lead < _ENOUGH:
        return otherwise
    return next((one for one in (otherwise, page) if one and _same(one, best)), best)


def _best(scores: Mapping[str, float], otherwise: str) -> tuple[str, float]:
    """The locale with the highest score, and its lead. A word that several languages have counts for all of
    them, and so does not tell them apart.
    """
    best = max(scores, key=scores.__getitem__, default=otherwise)
    others = max((score for locale, score in scores.items() if locale != best), default=0)
    return best, scores.get(best, 0) - others


def _with_guess(
    scores: Mapping[str, float], text: str, words: Set[str], known: Mapping[str, LanguageWords]
) -> Mapping[str, float]:
    """The scores with the model's guess, if it is sure. For a language whose list is long it counts as one
    word, and only next to a word of the list: names and addresses have a guess, too. For another it counts
    as if its list had all words of the message that no other list has.
    """
    if not words or not any(each.guessed for each in known.values()):
        return scores
    guess = guess_language(text, frozenset(map(language, known)))
    locale = next((one for one in known if language(one) == guess.language), None)
    if locale is None or guess.share < _SURE_GUESS:
        return scores
    if known[locale].guessed:
        others = [each for one, each in known.items() if one != locale]
        free = sum(all(each.weight(word) < _SURE for each in others) for word in words)
        counted = guess.share * free
    else:
        counted = float(scores[locale] >= _SURE)
    return {**scores, locale: scores[locale] + _SURE * counted}


def one_per_language(lists: Mapping[str, LanguageWords]) -> dict[str, LanguageWords]:
    """The lists by language: a region's own file counts only if the language has none."""
    kept = {locale: words for locale, words in lists.items() if locale == language(locale)}
    return kept | {locale: words for locale, words in lists.items() if language(locale) not in kept}


def language(locale: str) -> str:
    """A locale's language.

    >>> language("de-AT"), language("de_DE"), language("EN")
    ('de', 'de', 'en')
    """
    return locale.replace("_", "-").partition("-")[0].lower()


@cache
def language_name(locale: str) -> str:
    """The name of a language for models; "" for an unknown locale.

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
    """A locale with a region, as speech services ask for it: the most usual one, unless it has one.

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
"""What is spoken where a locale has nothing of its own; its files are complete."""

_Found = TypeVar("_Found")


def for_nearest_locale(by_locale: Mapping[str, _Found], locale: str) -> _Found:
    """The entry for this locale ("de-AT"), for its language, or else for English."""
    found = by_locale.get(locale)
    return (
        found
        if found is not None
        else next(by_locale[one] for one in locale_chain(locale) if one in by_locale)
    )


def locale_chain(locale: str) -> Iterator[str]:
    """The locales to try, nearest first.

    >>> list(locale_chain("de_AT"))
    ['de-AT', 'de', 'en']
    """
    yield from dict.fromkeys((locale.replace("_", "-"), language(locale), DEFAULT_LOCALE))


def localized_file(name: str, locale: str) -> str:
    """The path of a prompt's file in a locale. Texts for models exist in English only.

    >>> localized_file("customers/en/apology.j2", "de")
    'customers/de/apology.j2'
    """
    return name.replace(f"/{DEFAULT_LOCALE}/", f"/{locale}/")


def file_named(name: str, files: Iterable[str]) -> str | None:
    """The prompt file with this name: its path, or the end of it, with or without the suffix; English first.

    >>> files = ["customers/de/apology.j2", "customers/en/apology.j2", "voice.toml"]
    >>> file_named("apology", files), file_named("de/apology.j2", files), file_named("voice", files)
    ('customers/en/apology.j2', 'customers/de/apology.j2', 'voice.toml')
    """
    ends = tuple(f"/{name}{suffix}" for suffix in ("", ".j2", ".toml"))
    found = [file for file in files if f"/{file}".endswith(ends)]
    return min(found, key=lambda file: (f"/{DEFAULT_LOCALE}/" not in file, file), default=None)
