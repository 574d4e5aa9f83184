"""The format of ``mcp.toml``, and the transports of its servers."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, TypeAlias
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, Field, StrictBool, ValidationError, model_validator
from pydantic_core import ErrorDetails

from assistant.conversation.customer import Level
from assistant.conversation.tool_spec import Acknowledge, Approver
from assistant.conversation.values import Effect
from assistant.prompts.folder import Section
from assistant.tools.declaration_errors import (
    Mistake,
    declaration_error,
    line_of,
    load_toml,
    source_location,
    toml_lines,
)
from assistant.tools.http.config import AuthSection, OpenHeaders, Variable
from assistant.tools.http.service import credentials

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


def _company_auth(auth: AuthSection) -> AuthSection:
    if auth.is_customers:
        raise ValueError(
            "is for connecting, before any customer is there; write {customer.token} into customer_auth"
        )
    return _in_headers(auth)


def _customer_auth(auth: AuthSection) -> AuthSection:
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
"""The source of an argument's value that no model may choose."""


def is_of_sign_in(filling: str) -> bool:
    """Whether the value comes from the site's data about a signed-in customer."""
    return filling == "customer.token" or filling.startswith(_CLAIM)


Seconds = Annotated[float, Field(gt=0, le=24 * 3600, allow_inf_nan=False)]


class HintConfig(Section):
    """A waiting hint in a locale other than English."""

    doing: str
    will: str


class ToolConfig(Section):
    """The settings of one tool of a server. Values that are left out have the safest default."""

    waiting_hint: str = ""
    will: str | None = None
    hints: Mapping[str, HintConfig] = {}
    effect: Effect | None = None
    confirm: StrictBool | str | Mapping[str, str] | None = None
    acknowledge: Acknowledge = "auto"
    requires: Level | None = None
    approve: Approver | None = None
    when: str = ""
    timeout_s: Seconds | None = None
    cache_ttl_s: float = Field(default=0, ge=0, allow_inf_nan=False)
    retries: int = Field(default=0, ge=0, le=10)
    idempotent: StrictBool = False
    max_concurrency: int | None = Field(default=None, ge=1)
    narration: str | Mapping[str, str] | None = None
    examples: tuple[str, ...] = ()
    instructions: str = ""
    trusted: StrictBool = False
    rename: str | None = Field(default=None, pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,63}$")
    fill: Mapping[str, Filling] = {}
    offered: StrictBool = True


class ServerConfig(Section):
    """One server: a ``command`` to start it, or the ``url`` of a running server."""

    command: str | None = Field(default=None, min_length=1)
    args: tuple[str, ...] = ()
    env: tuple[Variable, ...] = ()
    env_plain: Annotated[Mapping[str, str], AfterValidator(_no_secret)] = {}
    url: Annotated[str, AfterValidator(_address)] | None = None
    headers: OpenHeaders = Field(default_factory=dict[str, str])
    auth: Annotated[AuthSection, AfterValidator(_company_auth)] = AuthSection()
    customer_auth: Annotated[AuthSection, AfterValidator(_customer_auth)] | None = None
    timeout_s: Seconds = 10.0
    start_s: Seconds = 20.0
    tools: Mapping[str, ToolConfig] = {}

    @model_validator(mode="after")
    def _one_way(self) -> "ServerConfig":
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


class McpConfig(Section):
    """The whole file."""

    servers: Mapping[ServerName, ServerConfig] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessTransport:
    """A process that we start and connect to through standard input and output.

    ``env`` names variables of our environment that it receives; ``plain`` has other variables with their
    values. ``folder`` is its working directory.
    """

    command: str
    args: tuple[str, ...] = ()
    env: tuple[str, ...] = ()
    plain: tuple[tuple[str, str], ...] = ()
    folder: Path

    @property
    def names(self) -> tuple[str, ...]:
        """The environment variables that must be set."""
        return self.env


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpTransport:
    """A running server; ``headers`` and ``auth`` are sent with each request.

    For a customer's calls, ``customer_auth`` replaces ``auth``.
    """

    url: str
    headers: tuple[tuple[str, str], ...] = ()
    auth: AuthSection = field(default_factory=AuthSection)
    customer_auth: AuthSection | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The environment variables that must be set."""
        own = credentials(self.customer_auth, {}).missing if self.customer_auth is not None else ()
        return tuple(dict.fromkeys((*credentials(self.auth, {}).missing, *own)))


TransportConfig: TypeAlias = ProcessTransport | HttpTransport


MCP_FILE = "mcp.toml"


def read_config(folder: Path) -> McpConfig:
    """Returns the contents of the folder's ``mcp.toml``, or an empty configuration if the folder has no such
    file.

    Raises:
        DeclarationError: one line for each mistake: ``file:line: problem; what to do``.
    """
    file = folder / MCP_FILE
    if not file.exists():
        return McpConfig()
    loaded = load_toml(file, 'write [servers.NAME], and below it each setting as key = "value"')
    if isinstance(loaded, Mistake):
        raise declaration_error([loaded])
    source, written = loaded
    try:
        return McpConfig.model_validate(written)
    except ValidationError as error:
        raise declaration_error([*_mistakes(error, file, source)]) from error


def _mistakes(error: ValidationError, file: Path, source: str) -> Iterator[Mistake]:
    lines = toml_lines(source)
    for problem in error.errors(include_url=False):
        path = _written_path(problem["loc"])
        yield Mistake(
            source_location(file, line_of(path, lines)), f"{'.'.join(path)}: {_problem_text(problem, path)}"
        )


def _written_path(loc: Sequence[int | str]) -> list[str]:
    """Returns the path of a mistake in the file, without list positions and class names, which pydantic adds."""
    path: list[str] = []
    for number, part in enumerate(loc):
        if isinstance(part, int) or part == "[key]" or (number > 4 and part in _KINDS):
            continue
        path.append(part)
    return path


_KINDS = frozenset(("bool", "str", "dict[str,str]", "mapping[str,str]"))


def _problem_text(problem: ErrorDetails, path: Sequence[str]) -> str:
    if problem["type"] == "extra_forbidden":
        return _unknown(path)
    message = problem["msg"].removeprefix("Value error, ")
    if problem["type"] == "value_error":
        return message
    if problem["type"] == "string_pattern_mismatch":
        rule = "letters, digits and underscores" if path[-1] == "rename" else "small letters, digits, - and _"
        return f"{problem['input']!r} should begin with a letter, and be made of {rule}"
    return f"{message[:1].lower()}{message[1:]}, not {problem['input']!r}"


def _unknown(path: Sequence[str]) -> str:
    known = sorted(_section(path).model_fields)
    close = get_close_matches(path[-1], known, n=1)
    cure = f"did you mean {close[0]!r}?" if close else f"the settings here are: {', '.join(known)}"
    return f"there is no such setting; {cure}"


def _section(path: Sequence[str]) -> type[BaseModel]:
    """Returns the class of the section that contains the last key of a path."""
    match path:
        case [_]:
            return McpConfig
        case [_, _, "auth", _]:
            return AuthSection
        case [_, _, _]:
            return ServerConfig
        case [_, _, _, _, _]:
            return ToolConfig
        case _:
            return HintConfig
