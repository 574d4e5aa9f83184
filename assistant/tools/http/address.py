"""Addresses of requests: no argument can leave the path segment or parameter that it stands in.

Also recognises paths that depend on who is signed in, such as "/me" or "/my/reservations".
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import quote, unquote, urlsplit

_LONGEST = 500
"""Characters of one segment: no order has a longer number."""


@dataclass(frozen=True, slots=True)
class Base:
    """Where a system is: ``https://host:port`` and the path below which everything lies, without a slash last."""

    origin: str
    path: str = ""

    @property
    def is_open(self) -> bool:
        """Whether what is sent there can be read on the way."""
        address = urlsplit(self.origin)
        return address.scheme == "http" and not _is_this_machine(address.hostname or "")


def read_base(written: str) -> Base:
    """Read a base address.

    >>> read_base("https://shop.example/v1/")
    Base(origin='https://shop.example', path='/v1')

    Raises:
        ValueError: it is none; the text is not quoted, since somebody may have put a password into it.
    """
    try:
        address = urlsplit(written)
        port = "" if address.port is None else f":{address.port}"
    except ValueError as error:
        raise ValueError("is no address; write it as 'https://shop.example/v1'") from error
    host = f"[{address.hostname}]" if ":" in (address.hostname or "") else address.hostname
    if address.username is not None or address.password is not None:
        raise ValueError("has a user or password in it; name their variables in auth = {basic = [...]}")
    if address.scheme not in ("http", "https") or not host or address.query or address.fragment:
        raise ValueError("is no address of an API; write it as 'https://shop.example/v1'")
    if not address.path.isascii() or set(address.path) & set("{} \\"):
        raise ValueError("takes no places and no spaces; write places into the tools' own paths")
    return Base(f"{address.scheme}://{host}{port}", address.path.rstrip("/"))


def path_of(segments: Iterable[str]) -> str:
    """Join segments, each in its encoded form.

    >>> path_of(["orders", "10/17 a?b"])
    '/orders/10%2F17%20a%3Fb'

    Raises:
        ValueError: one is empty, or would be read as the way up or as another structure.
    """
    return "".join(f"/{_segment(segment)}" for segment in segments)


def query_of(parameters: Sequence[tuple[str, str]]) -> str:
    """The query with its question mark; "" without parameters.

    >>> query_of([("q", "a&b=c"), ("day", "2026-11-24")])
    '?q=a%26b%3Dc&day=2026-11-24'
    """
    pairs = "&".join(f"{quote(name, safe='')}={quote(value, safe='')}" for name, value in parameters)
    return f"?{pairs}" if pairs else ""


def _segment(value: str) -> str:
    if not value.strip():
        raise ValueError("is empty")
    if len(value) > _LONGEST:
        raise ValueError(f"has more than {_LONGEST} characters")
    # Some servers decode twice, and some take the other slash for a slash.
    for read in (value, unquote(value), unquote(unquote(value))):
        if not read.isprintable():
            raise ValueError("has signs that cannot be printed")
        if {".", ".."} & set(read.replace("\\", "/").split("/")):
            raise ValueError("cannot be part of an address")
    return quote(value, safe="")


def _is_this_machine(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


_WHOLE = frozenset(
    ("me", "my", "mine", "self", "myself", "own", "whoami", "userinfo", "mein", "meine", "ich")
)
"""The caller in the first person, as a part of a path by itself."""

_FIRST = frozenset(("my", "own", "mein", "meine"))
_CURRENT = re.compile(
    r"(current|authenticated|logged_in)_(customer|user|account|member|client|patient|guest)"
)


def is_own_path(path: str) -> bool:
    """Whether a path names whoever signs in: with one key for all customers it is the same person for each.

    >>> [is_own_path(path) for path in ("/me", "/v1/users/@me/orders", "/my-orders/{id}", "/currentUser")]
    [True, True, True, True]
    >>> [is_own_path(path) for path in ("/orders/{me}", "/memos", "/weather/current", "/ownership")]
    [False, False, False, False]
    """
    return any(map(_is_own, path.split("/")))


def _is_own(segment: str) -> bool:
    if "{" in segment:
        return False
    apart = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", segment).lower()
    words = [word for word in re.split(r"[^a-z0-9]+", apart) if word]
    if not words:
        return False
    if len(words) == 1:
        return words[0] in _WHOLE
    return words[0] in _FIRST or _CURRENT.fullmatch("_".join(words)) is not None
