"""A remote system: its address, its credentials, and its connection pool.

No argument can leave its path segment or parameter. Secrets stay in the environment until a request is sent.
"""

import re
from base64 import b64encode
from collections.abc import AsyncGenerator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from ipaddress import ip_address
from typing import TYPE_CHECKING, Literal, TypeAlias
from urllib.parse import quote, unquote, urlsplit

from assistant.tools.http.config import CUSTOMER_TOKEN, AuthSection

if TYPE_CHECKING:
    import aiohttp


_LONGEST = 500
"""The most characters of one path segment; order numbers are shorter."""


@dataclass(frozen=True, slots=True)
class Base:
    """The address of a system: ``https://host:port`` and a base path, without a slash at the end."""

    origin: str
    path: str = ""

    @property
    def is_open(self) -> bool:
        """Whether requests are sent unencrypted."""
        address = urlsplit(self.origin)
        return address.scheme == "http" and not _is_this_machine(address.hostname or "")


def read_base(written: str) -> Base:
    """Parse a base address.

    >>> read_base("https://shop.example/v1/")
    Base(origin='https://shop.example', path='/v1')

    Raises:
        ValueError: it is not an address. The text is not quoted, because it may contain a password.
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
    """Join segments, each encoded.

    >>> path_of(["orders", "10/17 a?b"])
    '/orders/10%2F17%20a%3Fb'

    Raises:
        ValueError: a segment is empty, or would change the structure of the path.
    """
    return "".join(f"/{_segment(segment)}" for segment in segments)


def query_of(parameters: Sequence[tuple[str, str]]) -> str:
    """Returns the query with its question mark, or "" if there are no parameters.

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
    # Some servers decode twice, and some treat a backslash as a slash.
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
"""Path segments that mean the caller, if they stand alone."""

_FIRST = frozenset(("my", "own", "mein", "meine"))
_CURRENT = re.compile(
    r"(current|authenticated|logged_in)_(customer|user|account|member|client|patient|guest)"
)


def is_own_path(path: str) -> bool:
    """Whether a path means the signed-in user. With one key for all customers, that would be the same user
    for each customer.

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


Where: TypeAlias = Literal["header", "query"]


@dataclass(frozen=True, slots=True)
class Credential:
    """One secret part of a request: a header or a query parameter, made from these variables.

    ``template`` is the text into which the customer's own token is inserted.
    """

    where: Where
    name: str
    variables: tuple[str, ...] = ()
    form: Literal["plain", "bearer", "basic"] = "plain"
    template: str = ""


@dataclass(frozen=True, slots=True)
class Credentials:
    """All secret parts of the requests to one system, and the environment that contains them."""

    parts: tuple[Credential, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    token: str = field(default="", repr=False)

    @property
    def of_customer(self) -> bool:
        """Whether requests contain the customer's own token."""
        return any(part.template for part in self.parts)

    def for_customer(self, token: str) -> "Credentials":
        """Returns the same credentials, with one customer's token."""
        return replace(self, token=token)

    @property
    def missing(self) -> tuple[str, ...]:
        """The variables that are not set, or whose value cannot be sent as a secret, for example because it
        contains a line break.
        """
        return tuple(name for name in self._variables() if not self._secret(name))

    def of(self, where: Where) -> dict[str, str]:
        """Returns the secret headers, or query parameters, by name. All variables must be set."""
        return {part.name: self._value(part) for part in self.parts if part.where == where}

    def without_secrets(self, text: str) -> str:
        """Returns the text without secrets, in all forms in which they are sent."""
        secrets = [self.token, *(self._secret(name) for name in self._variables())]
        secrets += [self._value(part).rpartition(" ")[2] for part in self.parts if part.form == "basic"]
        secrets += [quote(secret, safe="") for secret in secrets]
        for secret in sorted(filter(None, secrets), key=len, reverse=True):
            text = text.replace(secret, "[secret]")
        return text

    def _secret(self, name: str) -> str:
        """Returns the value without the line break at its end, or "" if no header could contain it."""
        value = self.environment.get(name, "").strip()
        return value if value.isprintable() else ""

    def _variables(self) -> Iterator[str]:
        return iter(dict.fromkeys(name for part in self.parts for name in part.variables))

    def _value(self, part: Credential) -> str:
        if part.template:
            return part.template.replace(CUSTOMER_TOKEN, self.token)
        values = [self._secret(name) for name in part.variables]
        match part.form:
            case "plain":
                return values[0]
            case "bearer":
                return f"Bearer {values[0]}"
            case "basic":
                return f"Basic {b64encode(':'.join(values).encode()).decode()}"


def credentials(auth: AuthSection, environment: Mapping[str, str]) -> Credentials:
    """Returns the credentials that a file's ``auth`` names. Other environment variables are not kept."""
    parts: list[Credential] = []
    if auth.bearer == CUSTOMER_TOKEN:
        parts.append(Credential("header", "Authorization", template=f"Bearer {CUSTOMER_TOKEN}"))
    elif auth.bearer:
        parts.append(Credential("header", "Authorization", (auth.bearer,), "bearer"))
    if auth.basic:
        parts.append(Credential("header", "Authorization", auth.basic, "basic"))
    parts += [_part("header", name, written) for name, written in auth.header.items()]
    parts += [_part("query", name, written) for name, written in auth.query.items()]
    named = {name for part in parts for name in part.variables}
    return Credentials(tuple(parts), {name: environment[name] for name in named & environment.keys()})


def _part(where: Where, name: str, written: str) -> Credential:
    if CUSTOMER_TOKEN in written:
        return Credential(where, name, template=written)
    return Credential(where, name, (written,))


class Connections:
    """A pool of kept-alive connections that several tools share.

    It belongs to the event loop that first uses it. Its owner may close it; otherwise it is closed with that
    loop, or when its last tool is garbage-collected.
    """

    __slots__ = ("_held", "_session")

    def __init__(self) -> None:
        self._held: AsyncGenerator[aiohttp.ClientSession] | None = None
        self._session: aiohttp.ClientSession | None = None

    async def session(self) -> "aiohttp.ClientSession":
        """Returns the open session."""
        if self._session is None or self._session.closed:
            # An async generator, because the loop closes it at its end; tools have no end at which they
            # could.
            self._held = _held()
            self._session = await anext(self._held)
        return self._session

    async def close(self) -> None:
        """Close the connections. They are opened again when needed."""
        held, self._held, self._session = self._held, None, None
        if held is not None:
            await held.aclose()


async def _held() -> "AsyncGenerator[aiohttp.ClientSession]":
    import aiohttp

    session = aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(keepalive_timeout=30.0, ttl_dns_cache=300),
        timeout=aiohttp.ClientTimeout(total=None),  # Timeouts use the Clock instead.
        cookie_jar=aiohttp.DummyCookieJar(),
        skip_auto_headers=("User-Agent",),
    )
    try:
        yield session
    finally:
        await session.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """A system. ``name`` is its name for customers; ``max_bytes`` is the longest answer that is read."""

    name: str
    base: Base
    credentials: Credentials
    connections: Connections
    max_bytes: int
