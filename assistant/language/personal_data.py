"""Personal data and secrets in a text: addresses, numbers, passwords, keys. Masks them for logs."""

import re
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from typing import Final, Literal, TypeAlias

from assistant.language.addresses import EMAIL

PersonalKind: TypeAlias = Literal["email", "iban", "card", "phone"]

# The length of every part is limited, so that matching stays linear in the length of the text.
_IBAN: Final = re.compile(
    r"(?<!\w)[A-Z]{2}\d{2}(?:[ -]?(?=[A-Z]{0,4}\d)[A-Z0-9]{4}){2,7}(?:[ -]?[A-Z0-9]{0,3}\d[A-Z0-9]{0,3})?(?!\w)",
    re.IGNORECASE,
)
_CARD: Final = re.compile(r"(?<![\w.,-])\d(?:[ -]?\d){12,18}(?![\w])")
_ABROAD: Final = re.compile(r"(?<![\w.,])(?:\+|00)(?:[ ./()-]{0,2}\d){8,15}(?!\w)")
_AT_HOME: Final = re.compile(r"(?<![\w.,:+-])\(?0[1-9](?:\)?[ ./-]{0,2}\(?\d){7,12}(?![\w:])")
_AMERICAN: Final = re.compile(r"(?<![\w.,-])(?:1[ .-])?(?:\(\d{3}\) ?|\d{3}[ .-])\d{3}[ .-]\d{4}(?![\w-])")
ANNOUNCED_PHONE: Final = re.compile(
    r"\b(?:phone|mobile|cell|tel|telephone|telefon\w{0,6}|handy\w{0,6}|call|ring|reach|text|whatsapp|rufnummer)\b"
    r"[^\d\n+]{0,24}(?!(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?!\d|\.\d))"
    r"(\+?\(?\d(?:[ ./()-]{0,2}\d){5,14})(?!\w)",
    re.IGNORECASE,
)
"""A number that follows a word for a telephone, in its first group. An IP address ("127.0.0.1") does not
match."""


def personal_in(text: str) -> Iterator[tuple[PersonalKind, int, int]]:
    """Yields the kind, start and end of each piece of personal data, sorted by kind.

    Text that fits two kinds is returned twice.

    Order numbers, amounts, dates and times are not returned. A long number is a card if its check digit is
    right.

    >>> said = "Order 1002 is late, I have 030 1234567 and ana@web.example"
    >>> [(kind, said[start:end]) for kind, start, end in personal_in(said)]
    [('email', 'ana@web.example'), ('phone', '030 1234567')]
    """
    for kind, pattern, fits in _KINDS:
        for found in pattern.finditer(text):
            if fits(found[0]):
                yield kind, found.start(), found.end()


def is_card(text: str) -> bool:
    """Whether the digits have a card's check digit (Luhn).

    >>> is_card("4111 1111 1111 1111"), is_card("4111 1111 1111 1112")
    (True, False)
    """
    digits = [int(letter) for letter in reversed(text) if letter.isdigit()]
    doubled = (digit if place % 2 == 0 else digit * 2 - 9 * (digit > 4) for place, digit in enumerate(digits))
    return sum(doubled) % 10 == 0


def _any(_: str) -> bool:
    return True


def _is_phone(text: str) -> bool:
    return 9 <= sum(letter.isdigit() for letter in text) <= 15


def _is_account(text: str) -> bool:
    return sum(letter.isdigit() for letter in text) >= 10


_KINDS: tuple[tuple[PersonalKind, re.Pattern[str], Callable[[str], bool]], ...] = (
    ("email", EMAIL, _any),
    ("iban", _IBAN, _is_account),
    ("card", _CARD, is_card),
    ("phone", _ABROAD, _is_phone),
    ("phone", _AT_HOME, _is_phone),
    ("phone", _AMERICAN, _any),
)


SECRETS_IN_USE: ContextVar[tuple[str, ...]] = ContextVar("SECRETS_IN_USE", default=())
"""Secrets that the running code uses, such as a customer's credential. They are masked in every text."""

_NAMES_OF_KEYS: Final = (
    r"[\w-]{0,40}(?:password|passwort|passwd|passphrase|kennwort|secret|token|api[_-]?key|apikey|access[_-]?key"
    r"|private[_-]?key|credentials?|authorization|cookie|session[_-]?id)"
)
_NAMED: Final = re.compile(
    rf"\b{_NAMES_OF_KEYS}[\"']?\s{{0,3}}[:=]\s{{0,3}}(?:(?:Bearer|Basic|Token)\s{{1,3}})?"
    r"(?:\"(?P<double>[^\"\n]{1,4000})\"|'(?P<single>[^'\n]{1,4000})'|(?P<bare>[^\s\"'&,;)}\]]{1,4000}))",
    re.IGNORECASE,
)
_BEARER: Final = re.compile(r"\b(?:Bearer|Basic)\s{1,3}([\w.~+/=-]{8,4000})", re.IGNORECASE)
_USER_OF_URL: Final = re.compile(r"\b[a-z][a-z\d+.-]{1,20}://([^\s/@\"'<>]{1,300})@", re.IGNORECASE)
_KEY: Final = re.compile(
    r"(?<![\w-])(?:eyJ[\w-]{6,4000}\.[\w-]{4,4000}(?:\.[\w-]{0,4000})?"  # a JWT
    r"|(?:sk|pk|rk|xai|gsk|key|ghp|gho|ghs|glpat|hf|shpat|whsec)[-_][\w-]{12,400}|github_pat_\w{12,400}"
    r"|xox[a-z]-[\w-]{8,400}|(?:AKIA|ASIA)[A-Z\d]{12,60}|AIza[\w-]{20,100})"
)
_PRIVATE: Final = re.compile(
    r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----.{0,20000}?(?:-----END [A-Z ]{0,40}-----|\Z)", re.DOTALL
)
_WORTH_A_LOOK: Final = re.compile(r"\d|[@:=]|Bearer|Basic|[-_]\w{8}|PRIVATE", re.IGNORECASE)


def mask_secrets(text: str, known: Iterable[str] = ()) -> str:
    """Returns the text with personal data and secrets replaced by their kind.

    It replaces mail addresses, phone numbers, account and card numbers, passwords and keys. It replaces names
    only
    if they are in ``known``.

    >>> mask_secrets("no account for ana@web.example, password=hunter2, order 1002")
    'no account for <email>, password=<secret>, order 1002'
    >>> mask_secrets("KeyError: 'Ana Berg'", known=["Ana Berg"])
    "KeyError: '<value>'"
    """
    for secret in SECRETS_IN_USE.get():
        text = text.replace(secret, "<secret>")
    for one in sorted(known, key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(one)}(?!\w)", "<value>", text)
    if _WORTH_A_LOOK.search(text) is None:
        return text
    text = _named(text, _secrets_in(text))
    return _named(
        text, [*personal_in(text), *(("phone", *found.span(1)) for found in ANNOUNCED_PHONE.finditer(text))]
    )


def _named(text: str, found: Iterable[tuple[str, int, int]]) -> str:
    parts: list[str] = []
    at = 0
    for start, kind, end in sorted((start, kind, end) for kind, start, end in found):
        if start >= at:
            parts += [text[at:start], f"<{kind}>"]
        # Overlapping finds are masked once, from the first beginning to the last end.
        at = max(at, end)
    return "".join((*parts, text[at:]))


def _secrets_in(text: str) -> Iterator[tuple[str, int, int]]:
    for found in _NAMED.finditer(text):
        yield "secret", *found.span(found.lastgroup or 0)
    for pattern, group in ((_BEARER, 1), (_USER_OF_URL, 1), (_KEY, 0), (_PRIVATE, 0)):
        for found in pattern.finditer(text):
            yield "secret", *found.span(group)
