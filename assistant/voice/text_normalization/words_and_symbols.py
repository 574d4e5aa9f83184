"""Abbreviations, words in capitals, and symbols: spoken as words, or left out where they only decorate the text."""

import re
from typing import Final
from unicodedata import category

_ALWAYS: Final = {
    "Mr.": "Mister", "Mrs.": "Missus", "Ms.": "Miss", "Dr.": "Doctor", "Prof.": "Professor", "Jr.": "Junior",
    "Sr.": "Senior", "approx.": "approximately", "e.g.": "for example", "i.e.": "that is", "etc.": "and so on",
    "vs.": "versus", "incl.": "including", "excl.": "excluding",
    "dept.": "department", "est.": "estimated", "tel.": "telephone", "appt.": "appointment", "qty.": "quantity",
    "acct.": "account", "w/o": "without", "w/": "with", "c/o": "care of", "a.k.a.": "also known as",
    "asap": "as soon as possible", "ASAP": "as soon as possible", "ETA": "estimated arrival",
    "incl": "including", "approx": "approximately", "vs": "versus", "Apt.": "Apartment", "Ave.": "Avenue",
    "Blvd.": "Boulevard", "Rd.": "Road", "Inc.": "Incorporated", "Ltd.": "Limited", "Corp.": "Corporation",
    "Bros.": "Brothers", "Qty": "Quantity", "qty": "quantity", "P.O.": "P O", "T&Cs": "terms and conditions",
    "T&C": "terms and conditions", "N/A": "not available", "n/a": "not available",
}  # fmt: skip
_EITHER: Final = "|".join(re.escape(short) for short in sorted(_ALWAYS, key=len, reverse=True))
_KNOWN: Final = re.compile(rf"(?<![\w.])(?:{_EITHER})(?!\w)(?P<next>\s+[A-Z]|\s*$)?", re.MULTILINE)
_TITLES: Final = frozenset(
    {
        "Mr.",
        "Mrs.",
        "Ms.",
        "Dr.",
        "Prof.",
        "e.g.",
        "i.e.",
        "vs.",
        "approx.",
        "incl.",
        "excl.",
        "est.",
        "dept.",
        "max.",
        "min.",
        "tel.",
        "P.O.",
        "a.k.a.",
    }
)
_BOUND: Final = re.compile(r"(?<!\d )(?<!\d)\b(max|min)\. ?(?=[\d$€£])", re.IGNORECASE)
_SAINT: Final = re.compile(r"\bSt\. (?=[A-Z])")
_STREET: Final = re.compile(r"(?<=[a-z] )St\b(?P<stop>\.?)(?P<next>\s*$|\s+[A-Z])?")


def say_abbreviations(text: str) -> str:
    """The words they stand for; a full stop that ended the sentence, too, stays.

    >>> say_abbreviations("Dr. Weber, approx. noon, St. James, 12 Main St., etc.")
    'Doctor Weber, approximately noon, Saint James, 12 Main Street, and so on.'
    """
    text = _BOUND.sub(lambda found: "at most " if found[1].lower() == "max" else "at least ", text)
    text = _STREET.sub(_street, text)
    return _KNOWN.sub(_word, _SAINT.sub("Saint ", text))


def _word(found: re.Match[str]) -> str:
    following = found["next"] or ""
    short = found[0].removesuffix(following) if following else found[0]
    ends = found["next"] is not None and short.endswith(".") and short not in _TITLES
    return f"{_ALWAYS[short]}{'.' if ends else ''}{following}"


def _street(found: re.Match[str]) -> str:
    following = found["next"]
    if found["stop"] and following and following.strip():
        # "Mount St. James" and "12 Main St. Ask there": a name before it and another behind is the harder guess.
        return f"Street.{following}"
    return f"Street{'.' if found['stop'] and following is not None else ''}{following or ''}"


_CAPITALS: Final = re.compile(r"(?<![\w-])[A-Z]{2,}(?:'[A-Z]+)?(?![\w-])")
_SHORT_WORDS: Final = frozenset((
    "ALL", "AND", "ANY", "ARE", "BUT", "CAN", "DAY", "DO", "DUE", "FOR", "FREE", "GET", "HAS", "HIS", "HOW",
    "IF", "IN", "IS", "IT", "MAY", "MUST", "MY", "NEW", "NO", "NOT", "NOW", "OF", "OFF", "OK", "ON", "ONE",
    "OR", "OUR", "OUT", "PAY", "SEE", "SO", "THE", "TO", "TWO", "UP", "WAS", "WAY", "WE", "WHO", "WHY",
    "YES", "YOU", "YOUR", "BE", "AT", "BY", "AS", "AN", "ME",
))  # fmt: skip
_LETTERS: Final = frozenset((
    "IBAN", "ISBN", "ISIN", "IMEI", "ANSI", "UEFA", "USPS", "UTC",
))  # fmt: skip
_SAID: Final = {"VAT": "V A T", "IBAN": "I BAN", "OK": "okay"}


def say_capitals(text: str) -> str:
    """Small letters for what is only shouted.

    >>> say_capitals("PLEASE do NOT send the PDF to DHL or IBAN")
    'please do not send the PDF to DHL or I BAN'
    """
    return _CAPITALS.sub(_capital, text)


def _capital(found: re.Match[str]) -> str:
    word = found[0]
    if word in _SAID:
        return _SAID[word]
    if word in _SHORT_WORDS:
        # A lone "US" or "IT" may be a name; where others are shouted too, they are not.
        return word.lower()
    pronounced = len(word) > 4 and re.search("[AEIOUY]", word) is not None
    return word.lower() if pronounced and word not in _LETTERS else word


_FIRST: Final = str.maketrans(
    {"\u00a0": " ", "\u202f": " ", "\u2009": " ", "’": "'", "‘": "'", "−": "-", "‑": "-", "‐": "-", "＄": "$"}
)
_FACES: Final = re.compile(r"(?<![\w:])[:;]['-]?[)(DPp](?!\w)")
_NOTE: Final = re.compile(r"\[\d{1,3}\](?!\()")
_WORDS: Final = {
    "&": "and", "=": "equals", "≈": "about", "~": "about", "≤": "at most", "≥": "at least", "±": "plus or minus",
    "×": "times", "*": "times", "§": "section", "→": "to", "%": "percent", "+": "plus", "€": "euros", "£": "pounds",
    "$": "dollars", "°": "degrees",
}  # fmt: skip
_SIGN: Final = re.compile(
    r"(?P<and>\s*&\s*)|(?P<before>(?<!\w)[~≈≤≥±§](?=\s?[\w$€£]))|(?P<less>(?<!\S)[<>](?= ?[\d$€£]))"
    r"|(?P<between>(?<=[\w)])\s+[=×+*]\s+(?=\w)|\s*→\s*)|(?P<alone>(?<!\S)[%$€£](?!\S))"
)
_EITHER_OR: Final = re.compile(r"(?<=[A-Za-z)])\s?/\s?(?=[A-Za-z(])")
_PLURAL: Final = re.compile(r"(?<=[a-z])\((e?s)\)")
_ASIDE: Final = re.compile(r"(?P<before>\s*)\((?P<text>[^()]*)\)(?P<after>\s*[.,;:!?]|\s*$|\s*)")
_DASH: Final = re.compile(r"\s*—\s*|\s+[–-]{1,3}\s+|\s*--+\s*")
_DOTS: Final = re.compile(r"\s*(?:…|\.{2,})[.…]*(?P<after>\s*)(?P<next>\w?)")


def unify_symbols(text: str) -> str:
    """One sign for what several stand for; without pictures, faces and notes.

    >>> unify_symbols("It’s done 👍 :) [1]")
    "It's done"
    """
    text = _NOTE.sub("", _FACES.sub("", text.translate(_FIRST)))
    return " ".join(without_pictures(text).split(" ")).strip() if text else ""


def without_pictures(text: str) -> str:
    """Without emoji and their like; letters, figures and signs that are said stay."""
    return text if text.isascii() else "".join(sign for sign in text if not _is_picture(sign))


def say_signs(text: str) -> str:
    """Words for signs that mean one, before numbers are said.

    >>> say_signs("Q&A: ~5 km, > 3, A → B")
    'Q and A: about 5 km, more than 3, A to B'
    """
    return _SIGN.sub(_sign_word, text)


def say_pauses(text: str) -> str:
    """Commas for what is put in and for what trails off.

    >>> say_pauses("Well... your visit (Tuesday) is set — bring the form(s).")
    'Well, your visit, Tuesday, is set, bring the forms.'
    """
    text = _EITHER_OR.sub(" or ", _PLURAL.sub(r"\1", text).replace("and/or", "and or"))
    text = _ASIDE.sub(_aside, text)
    return _DOTS.sub(_trailing, _DASH.sub(", ", text))


def _is_picture(sign: str) -> bool:
    return (
        category(sign) in ("So", "Sk", "Cf", "Cs", "Co", "Cn", "Cc", "Mn", "Me") and sign not in "°©\n\t´`^"
    )


def _sign_word(found: re.Match[str]) -> str:
    if found["less"]:
        return "less than" if found[0] == "<" else "more than"
    said = _WORDS[found[0].strip()]
    if found["alone"]:
        return said
    return f"{said} " if found["before"] else f" {said} "


def _aside(found: re.Match[str]) -> str:
    inner, after = found["text"].strip(), found["after"].strip()
    if not inner:
        return found["after"] or " "
    if not found.string[: found.start()].strip():
        return f"{inner}{after or (',' if found.string[found.end() :].strip() else '')} "
    return f", {inner}{after or (', ' if found.string[found.end() :].strip() else '')}"


def _trailing(found: re.Match[str]) -> str:
    following = found["next"]
    if not following:
        return "." + found["after"]
    return f"{', ' if following.islower() else '. '}{following}"
