"""What a prompt is given, in words, and from words."""

import json
from collections.abc import Mapping
from dataclasses import fields
from datetime import date
from typing import Any, Literal, get_args, get_origin, get_type_hints

from pydantic import TypeAdapter, ValidationError

from assistant.errors import PromptError
from assistant.prompts.prompt import Prompt
from assistant.prompts.trial import trials


def inputs_of(prompt: type[Prompt]) -> Mapping[str, str]:
    """Each value that the template is given, with the kind of it."""
    hints = get_type_hints(prompt)
    return {field.name: _kind(hints[field.name]) for field in fields(prompt)}


def sample(prompt: type[Prompt], given: Mapping[str, str] | None = None) -> Prompt:
    """A trial of the prompt, with these values in the place of the trial's own.

    Lists and groups are written as JSON (``["one", "two"]``); a list of one text may be the text itself.

    Raises:
        PromptError: there is no such value, or it cannot be read.
    """
    values: dict[str, object] = {}
    hints = get_type_hints(prompt)
    known = inputs_of(prompt)
    for name, text in (given or {}).items():
        if name not in known:
            raise PromptError(f"{name!r} is not given to {prompt.template}; it has: {_listed(known)}")
        values[name] = _read(text, hints[name], f"{name}={text!r}: should be {known[name]}")
    trial = next(trials(prompt))
    rest = {field.name: getattr(trial, field.name) for field in fields(prompt)}
    return prompt(**{**rest, **values})


def _read(text: str, hint: Any, what: str) -> object:
    several = get_origin(hint) is tuple
    try:
        value: object = json.loads(text) if text[:1] in ("[", "{") else [text] if several else text
        return TypeAdapter[object](hint).validate_python(value)
    except (ValueError, ValidationError) as error:
        raise PromptError(what) from error


def _kind(hint: object) -> str:
    if get_origin(hint) is Literal:
        return " or ".join(map(repr, get_args(hint)))
    if get_origin(hint) is tuple:
        return "a list"
    named = {bool: "true or false", str: "text", date: "a date such as 2026-11-24"}
    return named.get(hint, "a group of values") if isinstance(hint, type) else "a value"


def _listed(known: Mapping[str, str]) -> str:
    return ", ".join(known) or "nothing"
