"""Reads a function's signature: its parameters' types and words become a JSON schema."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from inspect import Parameter, signature, unwrap
from typing import Any, cast, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, create_model
from pydantic.fields import FieldInfo

from assistant.conversation.values import JsonObject
from assistant.tooling.declare.docstring import Docstring
from assistant.tooling.declare.injected import Source, hides_a_source, source_of, typed
from assistant.tooling.declare.parameters import Parameters
from assistant.tooling.declare.schema import tidy

_CONFIG = ConfigDict(
    extra="forbid",
    validate_default=True,
    allow_inf_nan=False,
    # Models write an order's number as a number, and leave a blank at the end of a name.
    coerce_numbers_to_str=True,
    str_strip_whitespace=True,
)
_UNNAMED = (Parameter.POSITIONAL_ONLY, Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)


@dataclass(slots=True)
class _Reading:
    """What has been read so far."""

    fields: dict[str, tuple[Any, FieldInfo]] = field(default_factory=dict[str, tuple[Any, FieldInfo]])
    names: dict[str, str] = field(default_factory=dict[str, str])
    injected: dict[str, Source] = field(default_factory=dict[str, Source])
    problems: list[str] = field(default_factory=list[str])


def read_signature(function: Callable[..., object], docstring: Docstring) -> tuple[Parameters, list[str]]:
    """A function's parameters, and what is wrong with them; the wrong ones are left out."""
    reading = _Reading()
    hints = type_hints(function, reading.problems)
    for number, parameter in enumerate(signature(function).parameters.values()):
        problem = _read(parameter, hints, docstring.arguments.get(parameter.name), reading, number)
        if problem:
            reading.problems.append(f"parameter {parameter.name!r} {problem}")
    reading.problems.extend(_documented_in_vain(function, docstring))
    # A parameter may have any name, a model's field may not: "schema", "copy" or "_id" would clash.
    fields = cast("dict[str, Any]", reading.fields)
    model: type[BaseModel] = create_model("Arguments", __config__=_CONFIG, **fields)
    schema = tidy(cast("JsonObject", model.model_json_schema(by_alias=True)))
    parameters = Parameters(schema=schema, model=model, names=reading.names, injected=reading.injected)
    return parameters, reading.problems


def type_hints(function: Callable[..., object], problems: list[str]) -> Mapping[str, object]:
    """The types of a function's parameters; what cannot be read is added to ``problems``."""
    try:
        return get_type_hints(unwrap(function), include_extras=True)
    except Exception as error:
        # Whatever stands in a string annotation is run here: anything can be raised.
        problems.append(
            f"has a type hint that cannot be read ({error}); import its names at the top of the file"
        )
        return {}


def _read(
    parameter: Parameter, hints: Mapping[str, object], words: str | None, reading: _Reading, number: int
) -> str | None:
    """Take one parameter in; what is wrong with it, if anything."""
    if parameter.kind in _UNNAMED:
        return "cannot be given by name; a tool takes named parameters only"
    if parameter.name not in hints:
        unread = parameter.annotation is not Parameter.empty
        written = typed(parameter.name) or f"{parameter.name}: str, or whatever it is"
        return None if unread else f"has no type; write {written}"
    annotation = hints[parameter.name]
    if source := source_of(annotation):
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
    """Whether a model would fill what belongs to the assistant, by its type or by its name."""
    if hides_a_source(annotation):
        return "would let a model choose the customer; write 'Customer' or 'ToolContext' alone"
    # A context may be anything: a model may well be asked for the one of a complaint.
    return f"would let a model choose the customer; write {typed(name)}" if name == "customer" else None


def _type_problem(annotation: Any, default: object) -> str | None:
    if isinstance(default, FieldInfo):
        return "has a Field as its default; write Annotated[type, Field(...)] and a plain default"
    try:
        adapter: TypeAdapter[object] = TypeAdapter(annotation)
        adapter.json_schema()
    except Exception:
        # pydantic and the annotation's own hooks raise what they like.
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
