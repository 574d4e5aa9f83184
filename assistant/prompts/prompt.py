"""A prompt: a typed input with the name of its template, and with sample values.

With sample values, mistakes in a template are found when it is loaded, not when it is used.
"""

import itertools
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from datetime import UTC, date, datetime, time
from typing import Any, ClassVar, Literal, get_args, get_origin, get_type_hints

from pydantic import TypeAdapter, ValidationError

from assistant.conversation.tool_spec import NO_HINT, Hint
from assistant.errors import PromptError


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """The values of one template. Frozen and hashable: equal inputs give equal texts.

    ``template`` is the file's name in the prompts folder. The template gets the fields by name, and ``voice``
    (:class:`assistant.prompts.voice.Voice`).
    """

    template: ClassVar[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Instruction(Prompt):
    """A text for models. It keeps the template's line breaks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Utterance(Prompt):
    """A text for customers: one paragraph, even if the template has several lines."""


_WORDS = "check your billing"


def sample_prompts(prompt: type[Prompt]) -> Iterator[Prompt]:
    """Yields inputs that reach all branches of a template: each literal and truth value, with and without
    texts.
    """
    hints = get_type_hints(prompt)
    names = [field.name for field in fields(prompt)]
    for values in itertools.product(*(_samples(hints[name]) for name in names)):
        yield prompt(**dict(zip(names, values, strict=True)))


def _samples(hint: object) -> tuple[object, ...]:
    if hint is bool:
        return True, False
    if hint is int:
        return 1, 2, 99
    if hint is str:
        return _WORDS, ""
    if hint is Hint:
        return Hint(doing="checking your billing", will=_WORDS), NO_HINT
    if hint is date:
        return (date(2026, 11, 24),)
    if hint is datetime:
        return (datetime(2026, 11, 24, 14, 5, tzinfo=UTC),)
    if hint is time:
        return (time(9, 30),)
    if get_origin(hint) is Literal:
        return get_args(hint)
    match get_origin(hint), get_args(hint):
        case type() as kind, (one, last) if kind is tuple and last is ...:
            first = _samples(one)[0]
            return (first,), (first, first, first)
        case type() as kind, parts if kind is tuple:
            return (tuple(_samples(part)[0] for part in parts),)
        case _:
            raise TypeError(f"a prompt's field cannot be of type {hint!r}")


def inputs_of(prompt: type[Prompt]) -> Mapping[str, str]:
    """Returns the names of the values that the template gets, each with its type."""
    hints = get_type_hints(prompt)
    return {field.name: _kind(hints[field.name]) for field in fields(prompt)}


def sample_prompt(prompt: type[Prompt], given: Mapping[str, str] | None = None) -> Prompt:
    """Returns a sample of the prompt, in which these values replace sample values.

    Lists and groups are JSON (``["one", "two"]``). A list of one text may be the text itself.

    Raises:
        PromptError: the prompt has no such value, or the value cannot be parsed.
    """
    values: dict[str, object] = {}
    hints = get_type_hints(prompt)
    known = inputs_of(prompt)
    for name, text in (given or {}).items():
        if name not in known:
            raise PromptError(f"{name!r} is not given to {prompt.template}; it has: {_listed(known)}")
        values[name] = _read(text, hints[name], f"{name}={text!r}: should be {known[name]}")
    trial = next(sample_prompts(prompt))
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
    named = {
        bool: "true or false",
        str: "text",
        date: "a date such as 2026-11-24",
        datetime: "a time such as 2026-11-24T14:05",
    }
    return named.get(hint, "a group of values") if isinstance(hint, type) else "a value"


def _listed(known: Mapping[str, str]) -> str:
    return ", ".join(known) or "nothing"
