"""What a CRM team can say about a tool, and what is wrong with what it said."""

import re
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from math import isfinite
from typing import TypeAlias, TypeGuard, cast, get_args

from assistant.conversation.customer import Level
from assistant.conversation.tool_spec import Acknowledge, Hint, SortedBy
from assistant.conversation.values import Effect
from assistant.tooling.declare.check import Check
from assistant.tooling.declare.templates import template_problem

_LOCALE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*")

PerLocale: TypeAlias = str | Mapping[str, str]
"""One text in English, or a text for each locale ("en", "de-AT")."""

Hints: TypeAlias = Mapping[str, tuple[str, str] | Hint]
"""A waiting hint in other locales than English: its two forms, ``doing`` and ``will``, by locale."""

Confirm: TypeAlias = bool | PerLocale | Callable[..., Awaitable[str] | str]
"""Whether the customer must agree, and how the question is worded: a template, or a function's clause."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options as they were written. Nothing has been checked: any of them can be of any type.

    ``unknown`` names options that do not exist.
    """

    waiting_hint: str | None = None
    will: str | None = None
    hints: Hints = field(default_factory=dict[str, tuple[str, str] | Hint])
    effect: Effect = "read"
    timeout_s: float = 10.0
    confirm: Confirm = False
    acknowledge: Acknowledge = "auto"
    narration: PerLocale | None = None
    examples: Sequence[str] = ()
    retries: int = 0
    idempotent: bool = False
    check: Check | None = None
    at_once: int | None = None
    sorted_by: SortedBy | None = None
    cache_s: float = 0.0
    instructions: str = ""
    requires: Level | None = None
    credential: bool = False
    identifies: bool = False
    trusted: bool = False
    unknown: tuple[str, ...] = ()


LONGEST_S = 3600
"""No tool may take longer, in seconds: whoever writes more has meant milliseconds."""

OPTION_NAMES = tuple(option.name for option in fields(Options) if option.name != "unknown")


def option_problems(options: Options, parameters: Collection[str]) -> Iterator[str]:
    """What is wrong with the options of a tool with these parameters, by themselves.

    Hints, functions and the terms on which it runs are looked at elsewhere.
    """
    for name in options.unknown:
        yield f"there is no option {name!r}; {_meant(name)} options are: {', '.join(OPTION_NAMES)}"
    yield from _one_of("effect", options.effect, get_args(Effect))
    yield from _one_of("acknowledge", options.acknowledge, get_args(Acknowledge))
    if not _is_duration(options.timeout_s):
        yield f"timeout_s {options.timeout_s!r} should be a number of seconds above 0"
    elif options.timeout_s > LONGEST_S:
        longest = f"at most {LONGEST_S}, an hour: it is in seconds, not in milliseconds"
        yield f"timeout_s {options.timeout_s!r} should be {longest}"
    if not _are_phrases(options.examples):
        yield f"examples {options.examples!r} should be a list of things that customers say"
    if options.narration is not None:
        yield from _template_problems("narration", options.narration, {"value", "arguments"}, parameters)
    if isinstance(options.confirm, str | Mapping):
        written = cast("object", options.confirm)
        yield from _template_problems("confirm", written, {"arguments"}, parameters)


def by_locale(written: PerLocale) -> Mapping[str, str]:
    """A text for each locale; one alone is English.

    >>> by_locale("Done."), by_locale({"de": "Erledigt."})
    ({'en': 'Done.'}, {'de': 'Erledigt.'})
    """
    return {"en": written} if isinstance(written, str) else written


def is_locale(name: object) -> TypeGuard[str]:
    """Whether something is a locale's name, such as "de" or "de-AT"."""
    return isinstance(name, str) and _LOCALE.fullmatch(name) is not None


def _meant(name: str) -> str:
    near = get_close_matches(name, OPTION_NAMES, n=1)
    return f"did you mean {near[0]!r}? The" if near else "the"


def _template_problems(
    option: str, written: object, variables: Collection[str], parameters: Collection[str]
) -> Iterator[str]:
    if not isinstance(written, Mapping):
        if problem := template_problem(written, variables, parameters):
            yield f"{option} {problem}"
        return
    for locale, template in cast("Mapping[object, object]", written).items():
        if not is_locale(locale):
            yield f"{option} {{{locale!r}: ...}} should map a locale such as 'de' to a template"
        elif problem := template_problem(template, variables, parameters):
            yield f"{option}[{locale!r}] {problem}"


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
