"""Short forms that a voice would read as they stand."""

import re
from typing import Final

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
