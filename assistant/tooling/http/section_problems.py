"""Checks a section against what may stand in it, and words what does not fit."""

import json
from difflib import get_close_matches
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from assistant.prompts.toml_files import Section
from assistant.tooling.http.schema import Problem
from assistant.tooling.http.sections import ApiSection, AuthSection, ParameterSection

_Section = TypeVar("_Section", bound=Section)

_SHOWN = 80
_INNER: dict[str, type[BaseModel]] = {"params": ParameterSection, "auth": AuthSection}


def section_problems(written: object, model: type[_Section]) -> _Section | list[Problem]:
    """The section, or everything that is wrong with it. Of ``[api]`` no value is quoted: it may be a secret."""
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
    """The keys on the way, without the names of types that pydantic puts between them."""
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
