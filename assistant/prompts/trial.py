"""Sample values for a prompt, so that a template's mistakes show when it is loaded, not when it is needed."""

import itertools
from collections.abc import Iterator
from dataclasses import fields
from datetime import date, time
from typing import Literal, get_args, get_origin, get_type_hints

from assistant.conversation.tool_spec import NO_HINT, Hint
from assistant.prompts.prompt import Prompt

_WORDS = "check your billing"


def trials(prompt: type[Prompt]) -> Iterator[Prompt]:
    """Inputs that take a template through its branches: each literal and truth value, texts and no text."""
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
