"""Words without their endings, so that "bills" and "billing" count as one."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

_ENGLISH: Final = (
    "ations",
    "ation",
    "ings",
    "ing",
    "ments",
    "ment",
    "ies",
    "ers",
    "er",
    "ed",
    "es",
    "s",
    "y",
    "e",
)
_GERMAN: Final = re.compile(r"(?<=\w{3})(?:ern|em|er|en|es|st|e|t)\Z")
_UMLAUTS: Final = str.maketrans({"ä": "a", "ö": "o", "ü": "u", "ß": "ss"})

# "nachgesehen", "herausgesucht", "geprüft": what is also said as "sehe nach", "suche heraus", "prüfe".
_PARTICIPLE: Final = re.compile(
    r"(?:heraus|herunter|hinaus|durch|zuruck|zusammen|nach|fest|auf|aus|ein|vor|ab|an)?ge(?P<root>\w{3,}?)(?:en|t)"
)
_SEPARABLE: Final = re.compile(r"(?:heraus|nach|zuruck|durch)(?P<root>(?:such|seh|schau|pruf|geh|schlag)\w*)")

_IRREGULAR: Final[dict[str, dict[str, str]]] = {
    "en": {
        form: verb
        for verb, forms in {
            "begin": "began begun",
            "bring": "brought",
            "buy": "bought",
            "choose": "chose chosen",
            "do": "did done doing does",
            "draw": "drew drawn",
            "find": "found",
            "get": "got gotten getting",
            "give": "gave given",
            "go": "went gone goes",
            "hear": "heard",
            "hold": "held",
            "keep": "kept",
            "know": "knew known",
            "leave": "left",
            "lose": "lost",
            "make": "made making",
            "meet": "met",
            "pay": "paid",
            "run": "ran running",
            "say": "said",
            "see": "saw seen",
            "sell": "sold",
            "send": "sent",
            "shut": "shutting",
            "speak": "spoke spoken",
            "take": "took taken taking",
            "tell": "told",
            "think": "thought",
            "write": "wrote written writing",
        }.items()
        for form in forms.split()
    },
    "de": {
        form: verb
        for verb, forms in {
            "finden": "fand fanden gefunden herausgefunden",
            "gehen": "ging gegangen",
            "geben": "gab gibt gegeben",
            "nehmen": "nahm genommen nimmt",
            "rufen": "rief gerufen aufgerufen abgerufen",
            "schlagen": "nachgeschlagen schlug",
            "sehen": "sah sieht gesehen nachgesehen angesehen eingesehen",
            "senden": "gesandt sandte versandt",
            "tun": "tat getan tue",
            "ziehen": "zog gezogen",
        }.items()
        for form in forms.split()
    },
}


@lru_cache(maxsize=4096)
def stem(word: str, locale: str = "en") -> str:
    """What a lower-case word has in common with its other forms: for comparing, not for reading.

    German where the locale's language is "de", English for every other.

    >>> stem("checking") == stem("checked"), stem("found") == stem("find"), stem("orders") == stem("ordered")
    (True, True, True)
    >>> stem("geprüft", "de") == stem("prüfe", "de"), stem("Termine".lower(), "de")
    (True, 'termin')
    """
    if locale.partition("-")[0] == "de":
        return _german(word)
    shorter = _IRREGULAR["en"].get(word, word)
    while shorter != (word := without_ending(shorter)):
        shorter = word
    return word


def irregular_forms(locale: str = "en") -> Mapping[str, str]:
    """The forms that no ending tells, and the verbs that they are forms of."""
    return _IRREGULAR["de" if locale.partition("-")[0] == "de" else "en"]


def without_ending(word: str) -> str:
    """Strip one English ending, crudely.

    >>> [without_ending(word) for word in ("bills", "billing", "cancelled")]
    ['bil', 'bil', 'cancel']
    """
    for ending in _ENGLISH:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word.removesuffix(ending)
            break
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word


def _german(word: str) -> str:
    plain = _IRREGULAR["de"].get(word, word).translate(_UMLAUTS)
    if (found := _PARTICIPLE.fullmatch(plain) or _SEPARABLE.fullmatch(plain)) is not None:
        plain = found["root"]
    while plain != (shorter := _GERMAN.sub("", plain)):
        plain = shorter
    return plain
