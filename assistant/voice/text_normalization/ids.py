"""Numbers of orders, invoices and bookings: so that a listener can write them down."""

import re
from typing import Final

from assistant.voice.text_normalization.numbers import digits

_NAMED: Final = re.compile(
    r"\b((?:orders?|invoices?|bookings?|tickets?|cases?|accounts?|customers?|reservations?|references?|ref"
    r"|confirmations?|tracking|policy|contracts?|serial|codes?|pin|iban|zip|postcode|receipts?|shipments?|returns?)"
    r"(?: (?:number|code|id|no\.?|nr\.?|is))*[:.]? ?(?:is )?)(#?)"
    r"(\d{3,}(?:-\d+)*(?:(?:, and|,| and| or| &) #?\d{3,}(?:-\d+)*){0,20})(?![\w%]|[.,:/-]\d)",
    re.IGNORECASE,
)
_NO: Final = re.compile(r"\b([Nn])(?:o|r|os)\. ?(?=#?\d|[A-Z]+-?\d)")
_ENDING: Final = re.compile(
    r"\b(ending (?:in|with)|last (?:four|4) digits(?: are)?) (\d{2,6})\b", re.IGNORECASE
)
_HIDDEN: Final = re.compile(r"(?:[*•xX#]{2,}[ -]?)+(\d{2,6})\b")
_UUID: Final = re.compile(r"\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{8}([\da-f]{4})\b", re.IGNORECASE)
_MIXED: Final = re.compile(
    r"(?<![\w$€£.,&-])#?(?!(?:AM|PM)\b)((?=[A-Z\d-]*[A-Z])(?=[A-Z\d-]*\d)[A-Z\d]{1,40}(?:-[A-Z\d]{1,40}){0,8})(?![\w&]|-\w)"
)
_NUMBERED: Final = re.compile(r"#(\d{3,})\b")
_HASH: Final = re.compile(r"#(?=\d)")
_NUMBERED_WORD: Final = re.compile(r"([A-Z]{4,})-(\d{1,2})")
_LOWER: Final = re.compile(
    r"#((?=\d*[a-z])(?=[a-z-]*\d)[a-z\d]{1,40}(?:-[a-z\d]{1,40}){0,8})\b", re.IGNORECASE
)
_AFTER_STATE: Final = re.compile(r"\b([A-Z]{2}),? (\d{5})(-\d{4})?(?![\w-])")
_RUN: Final = re.compile(r"\d+|[A-Za-z]+")
_SHORT: Final = re.compile(r"[A-Z]\d{1,2}[A-Z]?|\d{1,2}[A-Z]{1,2}")
_UNIT_LIKE: Final = re.compile(
    r"\d+(?:AM|PM|K|M|B|GB|MB|TB|KB|V|W|L|G|C|F|KG|KM|CM|MM|X|H|USD|CAD|AUD|EUR|GBP|JPY|INR|SEK|NOK|DKK|CHF)"
)


def say_ids(text: str) -> str:
    """Letters and digits one by one, in groups; a part that is a word remains one.

    >>> say_ids("Invoice INV-2041 of order 10482 is paid.")
    'Invoice I N V, two zero four one of order one zero four, eight two is paid.'
    """
    text = _NO.sub(lambda found: "Number " if found[1] == "N" and not found.start() else "number ", text)
    text = _UUID.sub(lambda found: f"the ID ending in {spelled(found[1].upper())}", text)
    text = _HIDDEN.sub(lambda found: f"ending in {digits(found[1])}", text)
    text = _ENDING.sub(lambda found: f"{found[1]} {digits(found[2])}", text)
    text = _NAMED.sub(_named, text)
    text = _NUMBERED.sub(lambda found: f"number {digits(found[1])}", text)
    text = _AFTER_STATE.sub(_postal, text)
    text = _LOWER.sub(lambda found: _one(found[1].upper()), text)
    text = _MIXED.sub(lambda found: found[0] if _UNIT_LIKE.fullmatch(found[1]) else _one(found[1]), text)
    return _HASH.sub("number ", text)


def spelled(code: str) -> str:
    """A code's signs, one by one; a pause where letters and digits meet.

    >>> spelled("INV-2041"), spelled("SPRING25")
    ('I N V, two zero four one', 'SPRING, two five')
    """
    return ", ".join(_run(run) for run in _RUN.findall(code))


def _run(run: str) -> str:
    if run.isdecimal():
        return digits(run)
    # A part that can be pronounced is a word: it is written down as it sounds.
    word = len(run) > 3 and re.search("[AEIOUY]", run) is not None
    return run if word else " ".join(run)


def _one(code: str) -> str:
    # "A4", "Q4", "B2B" are names, in which nobody counts signs.
    if _SHORT.fullmatch(code):
        return " ".join(re.findall(r"\d+|[A-Z]", code))
    if word := _NUMBERED_WORD.fullmatch(code):
        return f"{word[1]} {word[2]}"
    return spelled(code)


def _named(found: re.Match[str]) -> str:
    said = re.sub(r"-|#?(\d+)", lambda group: digits(group[1]) if group[1] else ", ", found[3])
    before = re.sub(r"\b(?:no|nr)\.", "number", found[1], flags=re.IGNORECASE)
    return f"{before}{'number ' if found[2] and not before.endswith('number ') else ''}{said}"


def _postal(found: re.Match[str]) -> str:
    return f"{found[1]} {digits(found[2])}{', ' + digits(found[3][1:]) if found[3] else ''}"
