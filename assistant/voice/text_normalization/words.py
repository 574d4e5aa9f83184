"""The spoken form of words, symbols and identifiers: abbreviations, addresses, phone numbers and codes."""

import re
from typing import Final
from unicodedata import category

from assistant.language.numbers import digits
from assistant.language.words import one_of
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
    """Returns the text with the letters and digits of identifiers one by one, in groups. A part that is a
    word stays a word.

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
    """Returns the characters of a code, one by one, with a pause between letters and digits.

    >>> spell_out("INV-2041"), spell_out("SPRING25")
    ('I N V, two zero four one', 'SPRING, two five')
    """
    return ", ".join(_run(run) for run in _RUN.findall(code))


def _run(run: str) -> str:
    if run.isdecimal():
        return digits(run)
    # A part that can be pronounced is a word, which is written as it is.
    word = len(run) > 3 and re.search("[AEIOUY]", run) is not None
    return run if word else " ".join(run)


def _one(code: str) -> str:
    # "A4", "Q4", "B2B" are names, which are not spelled.
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
    """Returns each digit of a phone number, with a pause where the text has a gap.

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
    # A listener who writes the number down needs a pause after it.
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
    """Returns the text with mail addresses and host names character by character. A web page becomes "the
    link in the chat".

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
_EITHER: Final = one_of(_ALWAYS)
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
    """Returns the text with abbreviations in full. A full stop that also ends the sentence stays.

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
        # "Mount St. James" and "12 Main St. Ask there": with a name before and after it, the abbreviation is
        # ambiguous.
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
    """Returns the text with words in lower case that have capitals only for emphasis.

    >>> say_capitals("PLEASE do NOT send the PDF to DHL or IBAN")
    'please do not send the PDF to DHL or I BAN'
    """
    return _CAPITALS.sub(_capital, text)


def _capital(found: re.Match[str]) -> str:
    word = found[0]
    if word in _SAID:
        return _SAID[word]
    if word in _SHORT_WORDS:
        # A single "US" or "IT" may be a name. If other words are in capitals, too, it is emphasis.
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
    """Returns one symbol for several equivalent ones. Emoji are removed.

    >>> unify_symbols("It’s done 👍 :) [1]")
    "It's done"
    """
    text = _NOTE.sub("", _FACES.sub("", text.translate(_FIRST)))
    return " ".join(without_pictures(text).split(" ")).strip() if text else ""


def without_pictures(text: str) -> str:
    """Returns the text without emoji and similar symbols.

    Letters, digits and symbols that are spoken stay.
    """
    return text if text.isascii() else "".join(sign for sign in text if not _is_picture(sign))


def say_signs(text: str) -> str:
    """Returns the text with words in place of the symbols that are spoken. This rule runs before the numbers.

    >>> say_signs("Q&A: ~5 km, > 3, A → B")
    'Q and A: about 5 km, more than 3, A to B'
    """
    return _SIGN.sub(_sign_word, text)


def say_pauses(text: str) -> str:
    """Returns the text with commas in place of dashes, parentheses and ellipses.

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
