"""Signs that are no letters: said where they mean a word, left out where they only please the eye."""

import re
from typing import Final
from unicodedata import category

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
_EITHER: Final = re.compile(r"(?<=[A-Za-z)])\s?/\s?(?=[A-Za-z(])")
_PLURAL: Final = re.compile(r"(?<=[a-z])\((e?s)\)")
_ASIDE: Final = re.compile(r"(?P<before>\s*)\((?P<text>[^()]*)\)(?P<after>\s*[.,;:!?]|\s*$|\s*)")
_DASH: Final = re.compile(r"\s*—\s*|\s+[–-]{1,3}\s+|\s*--+\s*")
_DOTS: Final = re.compile(r"\s*(?:…|\.{2,})[.…]*(?P<after>\s*)(?P<next>\w?)")


def unify(text: str) -> str:
    """One sign for what several stand for; without pictures, faces and notes.

    >>> unify("It’s done 👍 :) [1]")
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
    return _SIGN.sub(_word, text)


def say_pauses(text: str) -> str:
    """Commas for what is put in and for what trails off.

    >>> say_pauses("Well... your visit (Tuesday) is set — bring the form(s).")
    'Well, your visit, Tuesday, is set, bring the forms.'
    """
    text = _EITHER.sub(" or ", _PLURAL.sub(r"\1", text).replace("and/or", "and or"))
    text = _ASIDE.sub(_aside, text)
    return _DOTS.sub(_trailing, _DASH.sub(", ", text))


def _is_picture(sign: str) -> bool:
    return (
        category(sign) in ("So", "Sk", "Cf", "Cs", "Co", "Cn", "Cc", "Mn", "Me") and sign not in "°©\n\t´`^"
    )


def _word(found: re.Match[str]) -> str:
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
