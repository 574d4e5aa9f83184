"""Words for comparing texts: their stems, and which of them carry meaning. English and German."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import Final


def one_of(words: Iterable[str]) -> str:
    """Returns a pattern for any of these words.

    The longest word matches. Common beginnings are written only once in the pattern.

    >>> one_of(["ten", "tenth", "two", "one"])
    '(?:one|t(?:en(?:th)?|wo))'
    """
    tails: defaultdict[str, set[str]] = defaultdict(set)
    for word in words:
        tails[word[:1]].add(word[1:])
    optional = "?" if tails.pop("", None) else ""
    firsts: defaultdict[str, list[str]] = defaultdict(list)
    for first, rest in sorted(tails.items()):
        firsts["" if rest == {""} else one_of(rest)].append(re.escape(first))
    choices = [
        f"{chars[0] if len(chars) == 1 else '[' + ''.join(chars) + ']'}{rest}"
        for rest, chars in firsts.items()
    ]
    if len(choices) == 1 and not optional:
        return choices[0]
    return f"(?:{'|'.join(choices)}){optional}" if choices else ""


def _each(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ENGLISH: Final = _each("""
    a about after all also am an and any anything are as at back be because been before being both but by
    can could did do does doing down else everything for from further had has have having he her here hers
    him his how i if in into is it its itself just like may me might mine must my myself of off on once one
    ones or other our ours out over own please quite shall she should so some something still such than that
    the their theirs them then there these they thing things this those through to together too under until
    up us very was we well were what when where whether which while who will with would you your yours
    yourself
""")
_GERMAN: Final = _each("""
    ab aber alle allem allen aller alles als also am an auch auf aus bei beide beiden beides beim bin bis
    bitte da dabei dafür damit dann das dass davon dazu dem den denn der des die dies diese diesem diesen
    dieser dieses doch durch ein eine einem einen einer eines er es etwas für gerade habe haben hat hatte
    heraus hier hinaus ich ihm ihn ihnen ihr ihre ihrem ihren ihrer ihres im in ins ist ja jetzt kann können
    man mal mein meine mich mir mit nach noch nun nur ob oder schon sein seine selbst sich sie sind so soll
    sollen um und uns unser unsere unter vom von vor war waren was wenn werde werden wie wieder will wir
    wird worden wurde wurden zu zum zur zurück zusammen über
""")
_DENIALS: Final = _each("""
    no not never none nothing nobody neither nor cannot without kein keine keinen keinem keiner keines nicht nichts
    nie niemals niemand weder ohne
""")
_TAILS: Final = ("'ll", "'ve", "'re", "'s", "'d", "'m")


def carries_meaning(word: str, locale: str = "en") -> bool:
    """Whether a lower-case word has a meaning by itself; German for "de", English for all other locales.

    >>> [word for word in ("i'll", "check", "your", "billing", "don't") if carries_meaning(word)]
    ['check', 'billing', "don't"]
    """
    return _whole(word) not in (_GERMAN if locale.partition("-")[0] == "de" else _ENGLISH)


def denies(word: str) -> bool:
    """Whether a lower-case word negates a sentence.

    >>> [word for word in ("no", "couldn't", "know", "keine") if denies(word)]
    ['no', "couldn't", 'keine']
    """
    return word in _DENIALS or word.endswith("n't")


def _whole(word: str) -> str:
    """Returns the word without a contracted ending: "i'll" becomes "i"."""
    if "'" in word and word.endswith(_TAILS):
        return word[: word.rindex("'")]
    return word


_ENGLISH_ENDINGS: Final = (
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
_GERMAN_ENDINGS: Final = re.compile(r"(?<=\w{3})(?:ern|em|er|en|es|st|e|t)\Z")
_UMLAUTS: Final = str.maketrans({"ä": "a", "ö": "o", "ü": "u", "ß": "ss"})

# Participles such as "nachgesehen", "herausgesucht", "geprüft", which are the same verbs as "sehe nach",
# "suche heraus", "prüfe".
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
    """Returns the stem of a lower-case word, which its other forms share: for comparison, not for display.

    German if the locale's language is "de", English for all others.

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
    """Returns the irregular forms, each with its verb."""
    return _IRREGULAR["de" if locale.partition("-")[0] == "de" else "en"]


def without_ending(word: str) -> str:
    """Remove one English ending, by a simple rule.

    >>> [without_ending(word) for word in ("bills", "billing", "cancelled")]
    ['bil', 'bil', 'cancel']
    """
    for ending in _ENGLISH_ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word.removesuffix(ending)
            break
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word


def _german(word: str) -> str:
    plain = _IRREGULAR["de"].get(word, word).translate(_UMLAUTS)
    if (found := _PARTICIPLE.fullmatch(plain) or _SEPARABLE.fullmatch(plain)) is not None:
        plain = found["root"]
    while plain != (shorter := _GERMAN_ENDINGS.sub("", plain)):
        plain = shorter
    return plain


_WORD: Final = re.compile(r"\d+(?:[.,:]\d+)*[^\W_]*|[^\W_]+(?:'[^\W_]+)*")


def with_plain_apostrophes(text: str) -> str:
    """Returns the text with straight apostrophes for typographic ones."""
    return text.replace("’", "'").replace("‘", "'").replace("`", "'")


def words(text: str) -> list[str]:
    """Returns the words in lower case and in order, with numbers; apostrophes are straight.

    >>> words("You’re due on 3.50 at 14:00 — order A7!")
    ["you're", 'due', 'on', '3.50', 'at', '14:00', 'order', 'a7']
    """
    return _WORD.findall(with_plain_apostrophes(text.lower()))


_RUN: Final = re.compile(r"\d+|[^\W\d_]+")


@lru_cache(maxsize=32)
def runs(text: str) -> Sequence[tuple[str, int]]:
    """Returns the runs of letters, in lower case, and of digits, each with its place.

    >>> runs("Dec 3rd, 2 pm")
    (('dec', 0), ('3', 4), ('rd', 5), ('2', 9), ('pm', 11))
    """
    return tuple((run[0].lower(), run.start()) for run in _RUN.finditer(text))


def matches_at(
    pattern: re.Pattern[str], text: str, begins: AbstractSet[str], *, digits: bool = False
) -> Iterator[re.Match[str]]:
    """Yields what ``pattern.finditer`` finds, if each match begins with one of these runs, or with
    ``digits``.

    The pattern is tried in these places only. That is much faster than a search with many alternatives.
    """
    after = 0
    for run, place in runs(text):
        if place >= after and (run in begins or (digits and run.isdecimal())):
            match = pattern.match(text, place)
            if match is not None:
                after = match.end()
                yield match


def content_stems(text: str, locale: str = "en") -> list[str]:
    """Returns the stems of the words that carry meaning, in order.

    >>> content_stems("I've checked your bills")
    ['check', 'bil']
    """
    return [stem(word, locale) for word in words(text) if carries_meaning(word, locale)]
