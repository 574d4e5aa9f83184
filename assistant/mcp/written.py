"""What operators and CRM teams can write into ``mcp.toml``."""

import re
from collections.abc import Mapping
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, StrictBool, model_validator

from assistant.conversation.customer import Level
from assistant.conversation.tool_spec import Acknowledge
from assistant.conversation.values import Effect
from assistant.prompts.toml_files import Section
from assistant.tooling.http.config import AuthSection, OpenHeaders, Variable

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SECRET = re.compile(r"key|secret|passw|token|credential", re.IGNORECASE)
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


def _no_secret(plain: Mapping[str, str]) -> Mapping[str, str]:
    for name in plain:
        if not _VARIABLE.fullmatch(name):
            raise ValueError(f"{name!r} is no variable's name; write one such as REGION")
        if _SECRET.search(name):
            raise ValueError(f"{name!r} looks like a secret; name it in env = [{name!r}] and set it in .env")
    return plain


def _address(url: str) -> str:
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        host, parts = None, urlsplit("")
    near = host in _LOOPBACK and parts.scheme == "http"
    if not host or not (near or parts.scheme == "https"):
        raise ValueError(
            f"{url!r} should be 'https://...', or 'http://127.0.0.1:PORT/...' for a server on this machine"
        )
    if parts.username is not None or parts.password is not None:
        raise ValueError(
            "has a user or password in it; name the variables that hold them in auth = {basic = [...]}"
        )
    return url


def _companys(auth: AuthSection) -> AuthSection:
    if auth.is_customers:
        raise ValueError(
            "is for connecting, before any customer is there; write {customer.token} into customer_auth"
        )
    return _in_headers(auth)


def _customers(auth: AuthSection) -> AuthSection:
    if not auth.is_customers:
        raise ValueError('should carry the customer\'s own token: {bearer = "{customer.token}"}')
    return _in_headers(auth)


def _in_headers(auth: AuthSection) -> AuthSection:
    if auth.query:
        raise ValueError(
            "a server's secrets are sent as headers; write bearer, basic or header instead of query"
        )
    return auth


FILLINGS = ("customer.id", "customer.name", "customer.locale", "customer.token", "call.key")
_CLAIM = "customer.claims."


def _filling(written: str) -> str:
    if written in FILLINGS or (written.removeprefix(_CLAIM).isidentifier() and written.startswith(_CLAIM)):
        return written
    raise ValueError(f"{written!r} should be one of: {', '.join(FILLINGS)}, {_CLAIM}NAME")


Filling = Annotated[str, AfterValidator(_filling)]
"""Where an argument's value comes from that no model may choose."""


def is_of_sign_in(filling: str) -> bool:
    """Whether it comes from what the site says of a signed-in customer."""
    return filling == "customer.token" or filling.startswith(_CLAIM)


Seconds = Annotated[float, Field(gt=0, le=24 * 3600, allow_inf_nan=False)]


class HintWritten(Section):
    """A waiting hint in another locale than English."""

    doing: str
    will: str


class ToolWritten(Section):
    """What is known here about one of a server's tools; everything that is left out is taken carefully."""

    waiting_hint: str = ""
    will: str | None = None
    hints: Mapping[str, HintWritten] = {}
    effect: Effect | None = None
    confirm: StrictBool | str | Mapping[str, str] | None = None
    acknowledge: Acknowledge = "auto"
    requires: Level | None = None
    timeout_s: Seconds | None = None
    cache_s: float = Field(default=0, ge=0, allow_inf_nan=False)
    retries: int = Field(default=0, ge=0, le=10)
    idempotent: StrictBool = False
    at_once: int | None = Field(default=None, ge=1)
    narration: str | Mapping[str, str] | None = None
    examples: tuple[str, ...] = ()
    instructions: str = ""
    trusted: StrictBool = False
    rename: str | None = Field(default=None, pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,63}$")
    fill: Mapping[str, Filling] = {}
    offered: StrictBool = True


class ServerWritten(Section):
    """One server: a ``command`` to start, or the ``url`` of one that runs."""

    command: str | None = Field(default=None, min_length=1)
    args: tuple[str, ...] = ()
    env: tuple[Variable, ...] = ()
    env_plain: Annotated[Mapping[str, str], AfterValidator(_no_secret)] = {}
    url: Annotated[str, AfterValidator(_address)] | None = None
    headers: OpenHeaders = Field(default_factory=dict[str, str])
    auth: Annotated[AuthSection, AfterValidator(_companys)] = AuthSection()
    customer_auth: Annotated[AuthSection, AfterValidator(_customers)] | None = None
    timeout_s: Seconds = 10.0
    start_s: Seconds = 20.0
    tools: Mapping[str, ToolWritten] = {}

    @model_validator(mode="after")
    def _one_way(self) -> "ServerWritten":
        if (self.command is None) == (self.url is None):
            raise ValueError("should have either a command or a url")
        of_others = (
            {"args", "env", "env_plain"} if self.command is None else {"headers", "auth", "customer_auth"}
        )
        if strange := sorted(self.model_fields_set & of_others):
            has, not_has = ("a url", "a command") if self.command is None else ("a command", "a url")
            raise ValueError(f"has {has}, and {strange[0]} is for one with {not_has}")
        return self


ServerName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]{0,31}$")]


class FileWritten(Section):
    """The whole file."""

    servers: Mapping[ServerName, ServerWritten] = {}
