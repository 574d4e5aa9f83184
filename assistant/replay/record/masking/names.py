"""The words of a person's name: which of them name, and how the whole is written elsewhere."""

import re
import unicodedata
from collections.abc import Iterator, Mapping

from assistant.text.function_words import carries_meaning

_WORD = re.compile(r"[^\W\d_]+")


def _each(text: str) -> frozenset[str]:
    return frozenset(text.split())


_NO_NAMES = _each("""
    mr mrs ms miss dr prof sir herr herrn frau familie ing dipl jr sr
    von vom van zu zum zur der den dem del dos das della di da de du la le el al bin ibn und and
""")
_ALSO_WORDS = _each("""
    january march april may june august sunday monday friday summer winter autumn rose grace hope faith joy
    bill mark frank rich art will sue jack long short young old white black brown green grey gray king price
    page post bank case day field house hill wood woods stone rice cook baker carpenter miller might brand
    order call street park church
    berg bach sommer herbst könig klein groß gross lang kurz jung alt weiß schwarz braun grün stein wolf vogel
    fuchs koch
""")


def name_words(name: str) -> list[str]:
    """The words that name somebody, in order: no title, no particle.

    >>> name_words("Dr. Ana von der Lindqvist-Berg")
    ['Ana', 'Lindqvist', 'Berg']
    """
    return [word for word in _WORD.findall(name) if word.casefold() not in _NO_NAMES]


def masked_name(name: str, words: Mapping[str, str]) -> str:
    """The name with other words in the same places.

    >>> masked_name("Dr. Ana von Berg", {"Ana": "Robin", "Berg": "Tarnby"})
    'Dr. Robin von Tarnby'
    """
    return _WORD.sub(lambda found: words.get(found[0], found[0]), name)


def spellings(name: str, masked: str) -> Iterator[tuple[str, str]]:
    """The name, and how it is written in accounts' names and without its accents; each with its stand-in.

    >>> list(spellings("Ana Müller", "Robin Tarnby"))[1:3]
    [('AnaMüller', 'RobinTarnby'), ('Ana_Müller', 'Robin_Tarnby')]
    """
    yield name, masked
    for joint in ("", "_"):
        if " " in name:
            yield joint.join(name.split()), joint.join(masked.split())
    for spelled in sorted(plain_spellings(name)):
        yield spelled, masked


def plain_spellings(word: str) -> set[str]:
    """A word without its accents, as keyboards without them write it.

    >>> sorted(plain_spellings("Müller"))
    ['Mueller', 'Muller']
    """
    return {_in_ascii(word), _without_accents(word)} - {word}


def is_ambiguous(name: str) -> bool:
    """Whether all of it are words of the language too, so that it names somebody only with its capitals.

    >>> is_ambiguous("May"), is_ambiguous("May Lindqvist")
    (True, False)
    """
    return all(_is_word(word) for word in name.casefold().split())


def _is_word(word: str) -> bool:
    return word in _ALSO_WORDS or not (carries_meaning(word) and carries_meaning(word, "de"))


def _in_ascii(text: str) -> str:
    for letter, spelled in (
        ("ä", "ae"),
        ("ö", "oe"),
        ("ü", "ue"),
        ("Ä", "Ae"),
        ("Ö", "Oe"),
        ("Ü", "Ue"),
        ("ß", "ss"),
    ):
        text = text.replace(letter, spelled)
    return text


def _without_accents(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))
