"""Makes the JSON schema for models from a function's signature and docstring, and converts arguments to
Python values.

``Customer`` and ``ToolContext`` parameters are injected: they are not in the schema.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from inspect import Parameter, cleandoc, signature, unwrap
from typing import Any, Literal, TypeAlias, cast, get_args, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, create_model
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from assistant.conversation.customer import Customer
from assistant.conversation.values import Json, JsonObject
from assistant.errors import BadArguments
from assistant.tools.tool import ToolContext

InjectedSource: TypeAlias = Literal["customer", "context"]

_SOURCES: Mapping[object, InjectedSource] = {Customer: "customer", ToolContext: "context"}

_BY_NAME: Mapping[str, type] = {"customer": Customer, "context": ToolContext}


def injected_source(annotation: object) -> InjectedSource | None:
    """Returns the source of an injected parameter of this type, or None if a model chooses the parameter's
    value.
    """
    return _SOURCES.get(annotation) if isinstance(annotation, type) else None


def hides_a_source(annotation: Any) -> bool:
    """Whether an injected type is nested in another type, where a model could set it.

    >>> hides_a_source(Customer | None), hides_a_source(list[int])
    (True, False)
    """
    parts = get_args(annotation)
    return any(injected_source(part) is not None or hides_a_source(part) for part in parts)


def typed_parameter(name: str) -> str | None:
    """Returns the correct annotation for a parameter whose name suggests that it is injected, or None for any
    other name.

    >>> typed_parameter("customer"), typed_parameter("day")
    ('customer: Customer, imported from assistant', None)
    """
    meant = _BY_NAME.get(name)
    return f"{name}: {meant.__name__}, imported from assistant" if meant else None


_HEADER = re.compile(r"(Args|Arguments|Returns|Yields|Raises|Source):(.*)")
_ARGUMENT = re.compile(r"(\*{0,2}\w+)\s*(?:\([^)]*\))?\s*:\s*(.*)")


@dataclass(frozen=True, slots=True)
class Docstring:
    """A parsed docstring. ``description`` has no sections. ``arguments`` maps each name to its description,
    in order.
    """

    description: str
    arguments: dict[str, str]


def read_docstring(text: str | None) -> Docstring:
    """Parse a docstring.

    >>> read_docstring('''List invoices.
    ...
    ...     Args:
    ...         days: how far back,
    ...             in days.
    ...
    ...     Source: the ledger.
    ...     ''')
    Docstring(description='List invoices.', arguments={'days': 'how far back, in days.'})
    """
    description: list[str] = []
    arguments: list[str] = []
    into, blank = description, False
    for line in cleandoc(text or "").splitlines():
        header = _HEADER.match(line)
        if header:
            into = arguments if header[1].startswith("Arg") else []
        elif blank and line and not line[0].isspace():
            into = description
        if not header:
            into.append(line)
        blank = not line.strip()
    return Docstring("\n".join(description).strip(), _arguments(arguments))


def _arguments(lines: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    name, indent = "", None
    for line in filter(str.strip, lines):
        depth = len(line) - len(line.lstrip())
        indent = depth if indent is None else indent
        entry = _ARGUMENT.fullmatch(line.strip()) if depth <= indent else None
        if entry:
            name = entry[1]
            found[name] = entry[2].strip()
        elif name:
            found[name] = f"{found[name]} {line.strip()}".strip()
    return found


_NAMED = ("properties", "$defs")


def simplify_schema(schema: JsonObject) -> JsonObject:
    """Remove titles, and remove ``null`` where leaving out the argument means the same.

    >>> simplify_schema({"title": "Day", "anyOf": [{"type": "string"}, {"type": "null"}], "default": None})
    {'type': 'string'}
    >>> simplify_schema({"properties": {"title": {"title": "Title", "type": "string"}}})
    {'properties': {'title': {'type': 'string'}}}
    """
    kept = {key: _tidied(key, value) for key, value in schema.items() if not _is_title(key, value)}
    return _without_null(kept)


def _is_title(key: str, value: Json) -> bool:
    return key == "title" and isinstance(value, str)


def _tidied(key: str, value: Json) -> Json:
    if key in _NAMED and isinstance(value, Mapping):
        return {name: _anything(part) for name, part in value.items()}
    # Defaults, examples and allowed values are data of the tool, so their keys stay.
    return value if key in ("default", "examples", "enum", "const") else _anything(value)


def _anything(value: Json) -> Json:
    if isinstance(value, Mapping):
        return simplify_schema(value)
    if isinstance(value, list):
        return [_anything(part) for part in value]
    return value


def _without_null(schema: dict[str, Json]) -> dict[str, Json]:
    choices = schema.get("anyOf")
    if not isinstance(choices, list) or schema.get("default", 0) is not None:
        return schema
    left = [choice for choice in choices if choice != {"type": "null"}]
    rest = {key: value for key, value in schema.items() if key not in ("anyOf", "default")}
    only = left[0] if len(left) == 1 else None
    return {**only, **rest} if isinstance(only, Mapping) else {**rest, "anyOf": left}


_SHOWN = 80
_WORDED = {"missing": "is missing", "extra_forbidden": "is not one of the tool's parameters"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters:
    """The parameters of one function.

    ``model`` validates arguments. ``names`` maps its fields to the function's parameters, in order.
    ``injected`` maps a parameter to the source of its value.
    """

    schema: JsonObject
    model: type[BaseModel]
    names: Mapping[str, str]
    injected: Mapping[str, InjectedSource]

    @property
    def needs_customer(self) -> bool:
        """Whether the function has a parameter for the customer."""
        return "customer" in self.injected.values()

    def canonical(self, tool: str, arguments: JsonObject) -> JsonObject:
        """Returns the arguments with defaults filled in and each value in its canonical JSON form."""
        filled = self._filled(tool, arguments)
        return cast("JsonObject", filled.model_dump(mode="json", by_alias=True))

    def values(self, tool: str, arguments: JsonObject) -> dict[str, object]:
        """Returns the arguments as Python values, by the function's parameters, without the injected ones."""
        filled = self._filled(tool, arguments)
        return {name: getattr(filled, field) for field, name in self.names.items()}

    def inject(self, customer: Customer, context: ToolContext) -> dict[str, object]:
        """Returns the values of the injected parameters."""
        return {name: customer if source == "customer" else context for name, source in self.injected.items()}

    def _filled(self, tool: str, arguments: JsonObject) -> BaseModel:
        try:
            return self.model.model_validate(dict(arguments))
        except ValidationError as error:
            raise BadArguments(tool, _problems(error.errors(include_url=False))) from error


def _problems(errors: list[ErrorDetails]) -> list[str]:
    """Returns one line for each argument.

    A value that fits none of several types is one problem, not several.
    """
    first: dict[str, str] = {}
    for error in errors:
        argument, *inside = map(str, error["loc"])
        first.setdefault(argument, ".".join((argument, *inside)) + f" {_fault(error)}")
    return list(first.values())


def _fault(error: ErrorDetails) -> str:
    if error["type"] == "missing":
        return _WORDED["missing"]
    fault = _WORDED.get(error["type"]) or f"does not fit: {error['msg']}"
    return f"{fault} (given: {_shown(error['input'])})"


def _shown(value: Json) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


_CONFIG = ConfigDict(
    extra="forbid",
    validate_default=True,
    allow_inf_nan=False,
    # Models write an order's number as a number, and leave a space at the end of a name.
    coerce_numbers_to_str=True,
    str_strip_whitespace=True,
)
_UNNAMED = (Parameter.POSITIONAL_ONLY, Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)


@dataclass(slots=True)
class _Reading:
    """The parameters and problems that were found so far."""

    fields: dict[str, tuple[Any, FieldInfo]] = field(default_factory=dict[str, tuple[Any, FieldInfo]])
    names: dict[str, str] = field(default_factory=dict[str, str])
    injected: dict[str, InjectedSource] = field(default_factory=dict[str, InjectedSource])
    problems: list[str] = field(default_factory=list[str])


def read_signature(function: Callable[..., object], docstring: Docstring) -> tuple[Parameters, list[str]]:
    """Returns a function's parameters, and their mistakes. Wrong parameters are left out."""
    reading = _Reading()
    hints = type_hints(function, reading.problems)
    for number, parameter in enumerate(signature(function).parameters.values()):
        problem = _read(parameter, hints, docstring.arguments.get(parameter.name), reading, number)
        if problem:
            reading.problems.append(f"parameter {parameter.name!r} {problem}")
    reading.problems.extend(_documented_in_vain(function, docstring))
    # A parameter may have any name, but a pydantic field may not: "schema", "copy" or "_id" would clash.
    fields = cast("dict[str, Any]", reading.fields)
    model: type[BaseModel] = create_model("Arguments", __config__=_CONFIG, **fields)
    schema = simplify_schema(cast("JsonObject", model.model_json_schema(by_alias=True)))
    parameters = Parameters(schema=schema, model=model, names=reading.names, injected=reading.injected)
    return parameters, reading.problems


def type_hints(function: Callable[..., object], problems: list[str]) -> Mapping[str, object]:
    """Returns the types of a function's parameters; unreadable ones are added to ``problems``."""
    try:
        return get_type_hints(unwrap(function), include_extras=True)
    except Exception as error:
        # Annotations that are strings are evaluated here, which may raise anything.
        problems.append(
            f"has a type hint that cannot be read ({error}); import its names at the top of the file"
        )
        return {}


def _read(
    parameter: Parameter, hints: Mapping[str, object], words: str | None, reading: _Reading, number: int
) -> str | None:
    """Add one parameter. Returns its mistake, if any."""
    if parameter.kind in _UNNAMED:
        return "cannot be given by name; a tool takes named parameters only"
    if parameter.name not in hints:
        unread = parameter.annotation is not Parameter.empty
        written = typed_parameter(parameter.name) or f"{parameter.name}: str, or its actual type"
        return None if unread else f"has no type; write {written}"
    annotation = hints[parameter.name]
    if source := injected_source(annotation):
        reading.injected[parameter.name] = source
        return None
    problem = _chosen(parameter.name, annotation) or _type_problem(annotation, parameter.default)
    if problem:
        return problem
    described = words or _own_description(annotation)
    default: Any = ... if parameter.default is Parameter.empty else parameter.default
    info: FieldInfo = Field(default, alias=parameter.name, description=described)
    reading.fields[f"argument_{number}"] = (annotation, info)
    reading.names[f"argument_{number}"] = parameter.name
    return None if described else "is not explained; add it to the docstring's 'Args:' section"


def _chosen(name: str, annotation: object) -> str | None:
    """Returns the mistake if a model would set a value that belongs to the assistant, judged by type or name."""
    if hides_a_source(annotation):
        return "would let a model choose the customer; write 'Customer' or 'ToolContext' alone"
    # A parameter named "context" may be a normal argument, for example the context of a complaint.
    return (
        f"would let a model choose the customer; write {typed_parameter(name)}"
        if name == "customer"
        else None
    )


def _type_problem(annotation: Any, default: object) -> str | None:
    if isinstance(default, FieldInfo):
        return "has a Field as its default; write Annotated[type, Field(...)] and a plain default"
    try:
        adapter: TypeAdapter[object] = TypeAdapter(annotation)
        adapter.json_schema()
    except Exception:
        # pydantic and the annotation's own hooks may raise anything.
        return f"has a type that JSON cannot carry ({annotation}); use plain types or a pydantic model"
    if default is Parameter.empty:
        return None
    try:
        adapter.dump_python(adapter.validate_python(default), mode="json")
    except Exception:
        return f"has a default that does not fit its type ({default!r}); change one of them"
    return None


def _own_description(annotation: object) -> str | None:
    details = getattr(annotation, "__metadata__", ())
    return next((one.description for one in details if isinstance(one, FieldInfo) and one.description), None)


def _documented_in_vain(function: Callable[..., object], docstring: Docstring) -> Iterator[str]:
    for name in docstring.arguments:
        if name not in signature(function).parameters:
            yield f"explains an argument {name!r} that it does not have; take it out of 'Args:'"
