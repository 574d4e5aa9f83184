"""Texts for logs: without what would tell somebody's address, number, password or key."""

import re
from collections.abc import Iterable, Iterator
from contextvars import ContextVar
from typing import Final

from assistant.text.personal import ANNOUNCED_PHONE, personal_in

SECRETS_IN_USE: ContextVar[tuple[str, ...]] = ContextVar("SECRETS_IN_USE", default=())
"""Secrets that the code running now holds, such as a customer's credential: masked wherever they stand."""

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


def masked(text: str, known: Iterable[str] = ()) -> str:
    """The text with what is personal or secret in it named instead of said.

    Found are mail addresses, numbers of phones, accounts and cards, passwords and keys; names are not, except
    those that are ``known`` to be in it.

    >>> masked("no account for ana@web.example, password=hunter2, order 1002")
    'no account for <email>, password=<secret>, order 1002'
    >>> masked("KeyError: 'Ana Berg'", known=["Ana Berg"])
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
        # What was found twice is masked from the first beginning to the last end.
        at = max(at, end)
    return "".join((*parts, text[at:]))


def _secrets_in(text: str) -> Iterator[tuple[str, int, int]]:
    for found in _NAMED.finditer(text):
        yield "secret", *found.span(found.lastgroup or 0)
    for pattern, group in ((_BEARER, 1), (_USER_OF_URL, 1), (_KEY, 0), (_PRIVATE, 0)):
        for found in pattern.finditer(text):
            yield "secret", *found.span(group)
