"""A remote system: its address, its credentials, and the pooled connections to it.

Secrets stay in the environment until a request is sent.
"""

from base64 import b64encode
from collections.abc import AsyncGenerator, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, TypeAlias
from urllib.parse import quote

from assistant.tools.http.address import Base
from assistant.tools.http.config import CUSTOMER_TOKEN, AuthSection

if TYPE_CHECKING:
    import aiohttp


Where: TypeAlias = Literal["header", "query"]


@dataclass(frozen=True, slots=True)
class Credential:
    """One secret part of a request: a header or a query parameter, made of these variables.

    ``template`` stands for the customer's own token: the text that it is put into.
    """

    where: Where
    name: str
    variables: tuple[str, ...] = ()
    form: Literal["plain", "bearer", "basic"] = "plain"
    template: str = ""


@dataclass(frozen=True, slots=True)
class Credentials:
    """All secret parts of the requests to one system, and the environment that they are taken from."""

    parts: tuple[Credential, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    token: str = field(default="", repr=False)

    @property
    def of_customer(self) -> bool:
        """Whether requests carry the customer's own token."""
        return any(part.template for part in self.parts)

    def for_customer(self, token: str) -> "Credentials":
        """The same for the requests of one customer, whose token this is."""
        return replace(self, token=token)

    @property
    def missing(self) -> tuple[str, ...]:
        """The variables that are not set, or hold what is no secret: a line's end within, for one."""
        return tuple(name for name in self._variables() if not self._secret(name))

    def of(self, where: Where) -> dict[str, str]:
        """The secret headers, or query parameters, by name. Every variable must be set."""
        return {part.name: self._value(part) for part in self.parts if part.where == where}

    def without_secrets(self, text: str) -> str:
        """The text with every secret taken out, in whatever form it was sent."""
        secrets = [self.token, *(self._secret(name) for name in self._variables())]
        secrets += [self._value(part).rpartition(" ")[2] for part in self.parts if part.form == "basic"]
        secrets += [quote(secret, safe="") for secret in secrets]
        for secret in sorted(filter(None, secrets), key=len, reverse=True):
            text = text.replace(secret, "[secret]")
        return text

    def _secret(self, name: str) -> str:
        """What is set, without the line's end that files have; "" when no header could hold it."""
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
    """What a file's ``auth`` asks for; of the environment only what it names is kept."""
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
    """One pool of kept-alive connections, for all tools that were given it.

    Belongs to the event loop in which it is used first. Whoever made it may close it; else it is closed with
    that loop, or when the last tool that has it is forgotten.
    """

    __slots__ = ("_held", "_session")

    def __init__(self) -> None:
        self._held: AsyncGenerator[aiohttp.ClientSession] | None = None
        self._session: aiohttp.ClientSession | None = None

    async def session(self) -> "aiohttp.ClientSession":
        """The open session."""
        if self._session is None or self._session.closed:
            # Loops close the generators that were begun in them: tools have no end of their own to close it at.
            self._held = _held()
            self._session = await anext(self._held)
        return self._session

    async def close(self) -> None:
        """Give the connections back. They are opened anew if somebody asks again."""
        held, self._held, self._session = self._held, None, None
        if held is not None:
            await held.aclose()


async def _held() -> "AsyncGenerator[aiohttp.ClientSession]":
    import aiohttp

    session = aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(keepalive_timeout=30.0, ttl_dns_cache=300),
        timeout=aiohttp.ClientTimeout(total=None),  # Time-outs are ours: see the Clock.
        cookie_jar=aiohttp.DummyCookieJar(),
        skip_auto_headers=("User-Agent",),
    )
    try:
        yield session
    finally:
        await session.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """``name`` is what customers hear of it; ``max_bytes`` the longest answer that is read."""

    name: str
    base: Base
    credentials: Credentials
    connections: Connections
    max_bytes: int
