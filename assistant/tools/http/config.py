"""The format of an HTTP tools file: its sections, their checks, and the messages about mistakes."""

import json
import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Annotated, Any, Literal, Self, TypeAlias, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    Field,
    JsonValue,
    PositiveInt,
    StringConstraints,
    ValidationError,
    model_validator,
)
from pydantic_core import ErrorDetails

from assistant.conversation.customer import Level
from assistant.conversation.values import Effect, Json, JsonObject
from assistant.prompts.folder import Section
from assistant.tools.arguments import schema_violation

Method: TypeAlias = Literal["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]

_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]{0,99}")
_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_SECRET = re.compile(r"authorization|cookie|(^|-)(api-?key|token|secret|password)$", re.IGNORECASE)


def _variable(written: str) -> str:
    """Check the name of a variable.

    The error does not quote the value, because it may be the secret itself.
    """
    if not _VARIABLE.fullmatch(written):
        raise ValueError(
            "should be the name of an environment variable, such as SHOP_TOKEN, or {customer.token};"
            " never the secret"
        )
    return written


def _secret(written: str) -> str:
    """Returns the name of a variable, or the placeholder for the customer's own token."""
    return written if CUSTOMER_TOKEN in written else _variable(written)


def _whole_secret(written: str) -> str:
    return written if written == CUSTOMER_TOKEN else _variable(written)


def _header(written: str) -> str:
    if not _HEADER.fullmatch(written):
        raise ValueError("should be a header's name, such as X-Shop-Channel")
    return written


def _open_header(written: str) -> str:
    if _SECRET.search(_header(written)):
        raise ValueError(
            'is a header for secrets; write auth = {header = {NAME = "VARIABLE"}}, or {bearer = "VARIABLE"}'
        )
    return written


CUSTOMER_TOKEN = "{customer.token}"  # noqa: S105 - a place's name
"""The placeholder in ``auth`` for the credential of the customer who asks."""

Variable = Annotated[str, AfterValidator(_variable)]
HeaderName = Annotated[str, AfterValidator(_header)]
OpenHeaders = dict[Annotated[str, AfterValidator(_open_header)], str]
_Text = Annotated[str, StringConstraints(min_length=1)]
_Status = Annotated[int, Field(ge=300, le=599)]


class AuthSection(Section):
    """How requests are authenticated: names of environment variables, never their values.

    ``{customer.token}`` is the customer's own credential: as the bearer token, or inside of a header or a
    query parameter.
    """

    bearer: Annotated[str, AfterValidator(_whole_secret)] | None = None
    basic: tuple[Variable, Variable] | None = None
    header: dict[HeaderName, Annotated[str, AfterValidator(_secret)]] = Field(default_factory=dict[str, str])
    query: dict[str, Annotated[str, AfterValidator(_secret)]] = Field(default_factory=dict[str, str])

    @property
    def is_customers(self) -> bool:
        """Whether requests use the customer's own credential."""
        written = (self.bearer or "", *self.header.values(), *self.query.values())
        return any(CUSTOMER_TOKEN in one for one in written)

    @model_validator(mode="after")
    def _each_header_once(self) -> Self:
        signed = [name for name in ("bearer", "basic") if getattr(self, name)]
        names = [*("authorization" for _ in signed), *(name.lower() for name in self.header)]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise ValueError(f"gives the header {twice!r} twice; leave one of them out")
        return self


class ApiSection(Section):
    """The system that all tools of a file call.

    ``name`` is its name for customers ("I can't reach our shop just now"). ``base_url_from`` names an
    environment variable with another address, such as that of a test system. ``max_bytes`` is the longest
    answer that is read.
    """

    base_url: _Text
    base_url_from: Variable | None = None
    name: _Text = "our system"
    auth: AuthSection = Field(default_factory=AuthSection)
    headers: OpenHeaders = Field(default_factory=dict[str, str])
    timeout_s: float = 10.0
    max_bytes: PositiveInt = 1_000_000
    idempotency_header: str = "Idempotency-Key"
    plain_http: bool = False


class ParameterSection(Section):
    """One argument, as in JSON schema; ``required`` unless it has a default."""

    type: Literal["string", "integer", "number", "boolean", "array", "object"] | None = None
    description: str = ""
    enum: Annotated[list[JsonValue], Field(min_length=1)] | None = None
    format: str | None = None
    default: JsonValue = None
    required: bool | None = None
    pattern: str | None = None
    minimum: int | float | None = None
    maximum: int | float | None = None
    min_length: int | None = Field(default=None, alias="minLength")
    max_length: int | None = Field(default=None, alias="maxLength")
    min_items: int | None = Field(default=None, alias="minItems")
    max_items: int | None = Field(default=None, alias="maxItems")
    items: "ParameterSection | None" = None
    properties: "dict[str, ParameterSection] | None" = None

    @property
    def is_required(self) -> bool:
        """Whether a call without this argument is refused."""
        return self.default is None if self.required is None else self.required


class ToolSection(Section):
    """One tool: the request, how its answer is read, and the same options as for a tool in Python.

    The options are checked by the module for all tools; here any value is accepted.
    """

    description: _Text
    method: Method = "GET"
    path: Annotated[str, StringConstraints(pattern=r"^/")]
    query: dict[str, JsonValue] = Field(default_factory=dict[str, JsonValue])
    body: JsonValue = None
    body_as: Literal["json", "form"] = "json"
    headers: OpenHeaders = Field(default_factory=dict[str, str])
    auth: AuthSection | None = None
    params: dict[str, ParameterSection] = Field(default_factory=dict[str, ParameterSection])
    result: _Text | None = None
    fields: list[str] | dict[str, str] = Field(default_factory=list[str])
    empty_on: tuple[_Status, ...] = ()
    errors: dict[_Status, str | dict[str, str]] = Field(default_factory=dict[int, str | dict[str, str]])
    waiting_hint: object = None
    will: object = None
    hints: object = Field(default_factory=dict[str, object])
    effect: Effect | None = None
    timeout_s: object = None
    confirm: object = False
    acknowledge: object = "auto"
    narration: object = None
    examples: object = ()
    requires: Level | None = None
    approve: object = None
    when: object = ""
    idempotent: bool = False
    retries: Annotated[int, Field(ge=0, le=5)] = 0
    cache_ttl_s: Annotated[float, Field(ge=0)] = 0.0
    max_concurrency: PositiveInt | None = None
    instructions: str = ""
    trusted: bool = False
    draft: bool = False


Problem: TypeAlias = tuple[tuple[str, ...], str]
"""The path of a key in a tool's section, and its problem as the end of a sentence that begins with the
key."""

_WORDS = {"type", "description", "enum", "format", "default", "pattern"}
_LIMITS = {"minimum", "maximum", "min_length", "max_length", "min_items", "max_items"}


def schema_of(parameters: Mapping[str, ParameterSection]) -> dict[str, Json]:
    """Returns an object schema with these properties and no others."""
    required: list[Json] = [name for name, one in parameters.items() if one.is_required]
    return {
        "type": "object",
        "properties": {name: _property(one) for name, one in parameters.items()},
        **({"required": required} if required else {}),
        "additionalProperties": False,
    }


def parameter_problems(parameters: Mapping[str, ParameterSection]) -> Iterator[Problem]:
    """Yields the problems with which a model could not understand a tool's parameters, or which make checks
    impossible.
    """
    for name, one in parameters.items():
        way = ("params", name)
        if not name.isidentifier() or len(name) > 64:
            yield way, f"parameter {name!r} should have a name of letters, digits and underscores"
        if not one.description:
            yield (*way, "description"), f"parameter {name!r} is not explained; give it a description"
        if problem := _schema_problem(_property(one)):
            yield way, f"parameter {name!r} {problem}"


def _schema_problem(schema: JsonObject) -> str | None:
    from jsonschema import Draft202012Validator, SchemaError

    try:
        Draft202012Validator.check_schema(dict(schema))
    except SchemaError as error:
        return f"is no JSON schema: {error.message}"
    default = schema.get("default")
    problem = None if default is None else schema_violation(schema, default)
    return f"has a default that does not fit: {problem}" if problem else None


def _property(one: ParameterSection) -> dict[str, Json]:
    schema: dict[str, Json] = one.model_dump(by_alias=True, exclude_none=True, include=_WORDS | _LIMITS)
    if not one.description:
        schema.pop("description", None)
    if one.items is not None:
        schema["items"] = _property(one.items)
    if one.properties is not None:
        inner = schema_of(one.properties)
        schema.update({key: inner[key] for key in inner if key != "type"})
    return schema


_Section = TypeVar("_Section", bound=Section)

_SHOWN = 80
_INNER: dict[str, type[BaseModel]] = {"params": ParameterSection, "auth": AuthSection}


def section_problems(written: object, model: type[_Section]) -> _Section | list[Problem]:
    """Returns the section, or all its problems.

    Values of ``[api]`` are not quoted, because they may be secrets.
    """
    try:
        return model.model_validate(written)
    except ValidationError as error:
        quoted = not issubclass(model, ApiSection)
        told: dict[tuple[str, ...], str] = {}
        for details in error.errors(include_url=False):
            way = _way(details, model)
            # A value that fits none of several types is one problem, not several.
            told.setdefault(way, _worded(details, way, model, quoted=quoted))
        return list(told.items())


def _way(details: ErrorDetails, model: type[BaseModel]) -> tuple[str, ...]:
    """Returns the path of keys, without the names of types that pydantic adds."""
    loc = [str(part) for part in details["loc"]]
    if loc[:1] in (["params"], ["auth"]) or not loc:
        return tuple(part for part in loc if part != "[key]")
    kept = loc[:2] if loc[0] in ("query", "headers", "errors") else loc[:1]
    return tuple(kept) if kept[0] in model.model_fields or details["type"] == "extra_forbidden" else (loc[0],)


def _worded(details: ErrorDetails, way: tuple[str, ...], model: type[BaseModel], *, quoted: bool) -> str:
    name = ".".join(way) or "section"
    match details["type"]:
        case "missing":
            return f"{name} is missing"
        case "extra_forbidden":
            return _unknown(way, model)
        case "model_type":
            return f"{name} should be a table of keys and values"
        case "value_error":
            return f"{name} {details['msg'].removeprefix('Value error, ')}"
        case "string_pattern_mismatch":
            return f"{name} should begin with '/'{_given(details['input']) if quoted else ''}"
        case _:
            said = details["msg"].removeprefix("Input ")
            return f"{name} {said[:1].lower()}{said[1:]}{_given(details['input']) if quoted else ''}"


def _unknown(way: tuple[str, ...], model: type[BaseModel]) -> str:
    inner = _INNER.get(way[0], model) if len(way) > 1 else model
    key = way[-1] if way else ""
    known = [field.alias or name for name, field in inner.model_fields.items()]
    close = get_close_matches(key, known, n=1)
    meant = f"did you mean {close[0]!r}?" if close else f"the keys are: {', '.join(known)}"
    return f"there is no key {key!r}; {meant}"


def _given(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return f" (given: {text if len(text) <= _SHOWN else text[:_SHOWN] + '…'})"
