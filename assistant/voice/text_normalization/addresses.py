"""Addresses of pages and of mail, as one says them."""

import re
from typing import Final

from assistant.voice.text_normalization.numbers import digits
from assistant.voice.text_normalization.tables import phrases_of

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
