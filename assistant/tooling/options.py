"""What a CRM team can say about a tool, and what is wrong with what it said."""

import re
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from math import isfinite
from typing import TypeAlias, cast, get_args

from assistant.conversation.tool_spec import Acknowledge
from assistant.conversation.values import Effect
from assistant.tooling.templates import template_problem

PerLocale: TypeAlias = str | Mapping[str, str]
"""One text in English, or a text for each locale ("en", "de-AT")."""

Confirm: TypeAlias = bool | str | Callable[..., Awaitable[str] | str]
"""Whether the customer must agree, and how the question is worded: a template, or a function's clause."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options as they were written. Nothing has been checked: any of them can be of any type.

    ``unknown`` names options that do not exist.
    """

    waiting_hint: PerLocale | None = None
    will: PerLocale | None = None
    effect: Effect = "read"
    timeout_s: float = 10.0
    confirm: Confirm = False
    acknowledge: Acknowledge = "auto"
    narration: str | None = None
    examples: Sequence[str] = ()
    unknown: tuple[str, ...] = ()


OPTION_NAMES = tuple(option.name for option in fields(Options) if option.name != "unknown")


def option_problems(options: Options, parameters: Collection[str]) -> Iterator[str]:
    """What is wrong with the options of a tool with these parameters, hints and read-back functions aside."""
    for name in options.unknown:
        yield f"there is no option {name!r}; the options are: {', '.join(OPTION_NAMES)}"
    yield from _one_of("effect", options.effect, get_args(Effect))
    yield from _one_of("acknowledge", options.acknowledge, get_args(Acknowledge))
    if not _is_duration(options.timeout_s):
        yield f"timeout_s {options.timeout_s!r} should be a number of seconds above 0"
    if not _are_phrases(options.examples):
        yield f"examples {options.examples!r} should be a list of things that customers say"
    if options.narration is not None:
        problem = template_problem(options.narration, {"value", "arguments"}, parameters)
        if problem:
            yield f"narration {problem}"
    if isinstance(options.confirm, str):
        problem = template_problem(options.confirm, {"arguments"}, parameters)
        if problem:
            yield f"confirm {problem}"


def _one_of(name: str, value: object, allowed: Sequence[str]) -> Iterator[str]:
    if value not in allowed:
        yield f"{name} {value!r} should be {' or '.join(map(repr, allowed))}"


def _is_duration(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value) and value > 0


def _are_phrases(examples: object) -> bool:
    if not isinstance(examples, list | tuple):
        return False
    phrases = cast("Sequence[object]", examples)
    return all(isinstance(phrase, str) and re.search(r"\w", phrase) for phrase in phrases)
