"""Identifiers as words that a listener can write down.

Numbers of orders and other codes, phone numbers, and addresses of mail and of web pages.
"""

import re
from typing import Final

from assistant.voice.text_normalization.numbers import digits
from assistant.voice.text_normalization.tables import phrases_of

_NAMED_ID: Final = re.compile(
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
    text = _UUID.sub(lambda found: f"the ID ending in {spell_out(found[1].upper())}", text)
    text = _HIDDEN.sub(lambda found: f"ending in {digits(found[1])}", text)
    text = _ENDING.sub(lambda found: f"{found[1]} {digits(found[2])}", text)
    text = _NAMED_ID.sub(_named, text)
    text = _NUMBERED.sub(lambda found: f"number {digits(found[1])}", text)
    text = _AFTER_STATE.sub(_postal, text)
    text = _LOWER.sub(lambda found: _one(found[1].upper()), text)
    text = _MIXED.sub(lambda found: found[0] if _UNIT_LIKE.fullmatch(found[1]) else _one(found[1]), text)
    return _HASH.sub("number ", text)


def spell_out(code: str) -> str:
    """A code's signs, one by one; a pause where letters and digits meet.

    >>> spell_out("INV-2041"), spell_out("SPRING25")
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
    # "A4", "Q4", "B2B" are names.
    if _SHORT.fullmatch(code):
        return " ".join(re.findall(r"\d+|[A-Z]", code))
    if word := _NUMBERED_WORD.fullmatch(code):
        return f"{word[1]} {word[2]}"
    return spell_out(code)


def _named(found: re.Match[str]) -> str:
    said = re.sub(r"-|#?(\d+)", lambda group: digits(group[1]) if group[1] else ", ", found[3])
    before = re.sub(r"\b(?:no|nr)\.", "number", found[1], flags=re.IGNORECASE)
    return f"{before}{'number ' if found[2] and not before.endswith('number ') else ''}{said}"


def _postal(found: re.Match[str]) -> str:
    return f"{found[1]} {digits(found[2])}{', ' + digits(found[3][1:]) if found[3] else ''}"


_GAP: Final = r"[ .\-\u2010\u2011–/]"
_PHONE: Final = re.compile(
    rf"(?<![\w.,:/$€£-])(?:"
    rf"\+\d{{1,3}}{_GAP}?(?:\(\d{{1,4}}\){_GAP}?)?\d{{1,5}}(?:{_GAP}?\d{{1,5}}){{1,6}}"  # +49 30 123 45 67
    rf"|(?:1{_GAP})?\(\d{{2,5}}\){_GAP}?\d{{2,5}}(?:{_GAP}\d{{2,5}}){{0,3}}"  # (415) 555-0142
    rf"|(?:1{_GAP})?\d{{3}}([ .\-\u2010\u2011])\d{{3}}\1\d{{4}}"  # 415-555-0142
    rf"|\d{{3}}[-\u2010\u2011]\d{{4}}"  # 555-0142
    rf"|0\d{{1,4}}(?:[ /\-]\d{{2,8}}){{1,4}}"  # 030 1234567
    rf")(?![\w/]|[.,:-]\d)"
)
_EXTENSION: Final = re.compile(r",? ?\b(?:ext|extn|extension)\b\.?\s?(\d{1,6})\b", re.IGNORECASE)
_SHORT_PHONE: Final = re.compile(r"\b((?:call|dial|text|ring) )(\d{3,6})(?![\w-]| [a-z]+s\b)", re.IGNORECASE)
_FEWEST: Final = 7


def say_phones(text: str) -> str:
    """Every digit, with a pause where the writer left a gap.

    >>> say_phones("Call +1 (415) 555-0142.")
    'Call plus one, four one five, five five five, zero one four two.'
    """
    text = _PHONE.sub(_phone, text)
    text = _SHORT_PHONE.sub(lambda found: found[1] + digits(found[2]), text)
    return _EXTENSION.sub(lambda found: f", extension {digits(found[1])}", text)


def _phone(found: re.Match[str]) -> str:
    groups = re.findall(r"\d+", found[0])
    if sum(map(len, groups)) < _FEWEST:
        return found[0]
    said = ", ".join(digits(group) for group in groups)
    # A listener who writes it down needs a pause before the next words.
    goes_on = re.match(r" \w", found.string[found.end() :]) is not None
    return f"{'plus ' if found[0].startswith('+') else ''}{said}{',' if goes_on else ''}"


_URL: Final = re.compile(
    r"(?:(?:https?|ftp)://|(?<![a-z])www\.)[^\s<>\"“”|]{0,2000}[^\s<>\"“”|.,;:!?…)\]}*_~'’]", re.IGNORECASE
)
_BARE: Final = re.compile(
    r"(?<![\w@./-])(?:[a-z\d-]{1,63}\.){1,4}(?:com|org|net|io|app|dev|eu|de|uk|fr|es|it|se|nl|ch|at|example|shop)"
    r"(?:/[^\s<>\"“”|]{0,500}[^\s<>\"“”|.,;:!?…)\]}*_~'’]|/)?(?![\w@-]|\.\w)",
    re.IGNORECASE,
)
_MAIL: Final = re.compile(
    r"(?<![\w.+@-])(?:mailto:)?([\w.+-]{1,64})@((?:[\w-]{1,63}\.){1,8}[a-z]{2,24})(?![\w@])", re.IGNORECASE
)
_HANDLE: Final = re.compile(r"(?<!\w)@(?=\w)")
_PLAIN_PATH: Final = re.compile(r"/?[a-z-]{1,20}/?", re.IGNORECASE)
_NAMED: Final = {".": " dot ", "-": " dash ", "_": " underscore ", "+": " plus ", "@": " at ", "/": " slash "}


def say_addresses(text: str, locale: str = "en") -> str:
    """Mail addresses and hosts sign by sign; a page that is no host is where one can see it.

    >>> say_addresses("Write to ana.b@example.com or see www.example.com/a?b=1")
    'Write to ana dot b at example dot com or see the link in the chat'
    """
    english = locale.partition("-")[0].lower() == "en"
    text = _MAIL.sub(
        lambda found: _signs(f"{found[1]}@{found[2]}") if english else f"{found[1]}@{found[2]}", text
    )
    for pattern in (_URL, _BARE):
        text = pattern.sub(lambda found: _page(found[0], locale, english=english), text)
    return _HANDLE.sub("at " if english else "", text)


def _page(url: str, locale: str, *, english: bool) -> str:
    host, slash, path = re.sub(r"^[a-z]+://", "", url, flags=re.IGNORECASE).partition("/")
    host = (
        host.rpartition("@")[2].partition("?")[0].partition("#")[0].removeprefix("www.").removeprefix("WWW.")
    )
    if not english:
        return phrases_of(locale).link if path and phrases_of(locale).link else re.sub(r"[^\w.-]", "", host)
    if (path and not _PLAIN_PATH.fullmatch(path)) or not re.fullmatch(r"[\w-]+(?:\.[\w-]+){1,3}", host):
        return phrases_of(locale).link
    return _signs(host + (slash + path).rstrip("/"))


def _signs(address: str) -> str:
    said = re.sub(r"\d+", lambda found: f" {digits(found[0])} ", address)
    said = re.sub(r"[.@/+_-]", lambda found: _NAMED[found[0]], said)
    return " ".join(said.split())
