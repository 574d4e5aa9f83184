"""The options of ``@tool``: the allowed values, and the combinations that are refused."""

import re
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from functools import cache, lru_cache
from inspect import iscoroutinefunction, isfunction, unwrap
from math import isfinite
from typing import Any, TypeAlias, TypeGuard, cast, get_args, get_type_hints

from jinja2 import meta, nodes

from assistant.conversation.customer import LEVELS, Customer, Level
from assistant.conversation.tool_spec import Acknowledge, Approver, Hint, SortedBy, ToolSpec
from assistant.conversation.values import Effect
from assistant.language.numbers import word_list
from assistant.prompts.sandbox import Sandbox, Sources
from assistant.tools.condition import read_condition
from assistant.tools.reconcile import Check, check_problems
from assistant.tools.schema import Parameters

FILTERS = tuple(word_list("day fenced listing lower_first money plain quoted sum time weekday when"))
"""The filters of a narration, in addition to the sandbox's own. Their texts belong to the prompts."""

_SINGLE = re.compile(r"\{\s*((\w+)((?:\.\w+|\[[^][{}]*])*))\s*(?:![rsa])?(?::[^{}]*)?}")
"""Placeholders of other languages that Jinja does not replace: ``{value}``, ``{value.points:.2f}``."""

_OF_MAPPINGS = frozenset(("get", "items", "keys", "values"))


def template_problem(template: object, variables: Collection[str], parameters: Collection[str]) -> str | None:
    """Returns the problem of a Jinja template with these variables, or None if there is none.

    >>> template_problem("You owe {{ value | monney }}.", {"value", "arguments"}, set())
    "does not compile: No filter named 'monney'."
    >>> template_problem("On {{ arguments.dya | day }}.", {"arguments"}, {"day"})
    "asks for the argument 'dya', which the tool does not have; it has: day"
    """
    if not isinstance(template, str) or not template.strip():
        return f"should be a template with something to say, not {template!r}"
    try:
        tree, asked = _compiled(template)
    except Exception as error:
        # A template may come from anyone. If it is nested too deeply, errors other than Jinja's occur.
        return f"does not compile: {error}"
    unknown = sorted(asked - set(variables))
    if unknown:
        return f"asks for {unknown[0]!r}, {_instead(unknown[0], variables, parameters)}"
    strange = next((name for name in _arguments_of(tree) if name not in parameters), None)
    if strange:
        known = ", ".join(parameters) or "none"
        return f"asks for the argument {strange!r}, which the tool does not have; it has: {known}"
    return next(_said_as_they_stand(tree, variables, parameters), None)


def _instead(unknown: str, variables: Collection[str], parameters: Collection[str]) -> str:
    if unknown in parameters:
        return f"which is one of its arguments; write arguments.{unknown}"
    return f"which does not exist; it has: {', '.join(sorted(variables))}"


def _said_as_they_stand(
    tree: nodes.Template, variables: Collection[str], parameters: Collection[str]
) -> Iterator[str]:
    """Yields names in single braces that were probably meant as placeholders."""
    for text in tree.find_all(nodes.TemplateData):
        for found in _SINGLE.finditer(text.data):
            asked, name, _ = found.groups()
            if name in variables or name in parameters:
                written = asked if name in variables else f"arguments.{asked}"
                yield f"has {found[0]!r}, which would be said literally; write {{{{ {written} }}}}"


# Cached: if one tool is edited, all tools are declared again with unchanged templates.
@lru_cache(maxsize=512)
def _compiled(template: str) -> tuple[nodes.Template, frozenset[str]]:
    """Returns the template as a tree, and the names of the variables that it needs."""
    sandbox = _sandbox()
    tree = sandbox.parse(template)
    sandbox.compile(tree)
    return tree, frozenset(meta.find_undeclared_variables(tree) - set(sandbox.globals))


@cache
def _sandbox() -> Sandbox:
    stand_ins: Mapping[str, Callable[..., object]] = dict.fromkeys(FILTERS, str)
    return Sandbox(Sources({}, "tools"), stand_ins, {})


def _arguments_of(tree: nodes.Template) -> Iterator[str]:
    """Yields the names of ``arguments`` that a template uses."""
    for node in tree.find_all(nodes.Getattr):
        if _is_arguments(node.node) and node.attr not in _OF_MAPPINGS:
            yield node.attr
    for item in tree.find_all(nodes.Getitem):
        if _is_arguments(item.node) and isinstance(item.arg, nodes.Const):
            yield str(item.arg.value)


def _is_arguments(node: nodes.Node) -> bool:
    return isinstance(node, nodes.Name) and node.name == "arguments"


_LOCALE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*")

PerLocale: TypeAlias = str | Mapping[str, str]
"""One text in English, or a text for each locale ("en", "de-AT")."""

Hints: TypeAlias = Mapping[str, tuple[str, str] | Hint]
"""A waiting hint in locales other than English: its two forms, ``doing`` and ``will``, by locale."""

Confirm: TypeAlias = bool | PerLocale | Callable[..., Awaitable[object] | object]
"""Whether the customer must agree, and how the question is made: a template, or a function (see ``tool``)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options as written. They are not checked yet, so each can have any type.

    ``unknown`` are the names of options that do not exist.
    """

    waiting_hint: str | None = None
    will: str | None = None
    hints: Hints = field(default_factory=dict[str, tuple[str, str] | Hint])
    effect: Effect = "read"
    timeout_s: float = 10.0
    long: bool = False
    confirm: Confirm = False
    confirmation: PerLocale | None = None
    acknowledge: Acknowledge = "auto"
    narration: PerLocale | None = None
    examples: Sequence[str] = ()
    retries: int = 0
    idempotent: bool = False
    reconcile: Check | None = None
    max_concurrency: int | None = None
    sorted_by: SortedBy | None = None
    cache_ttl_s: float = 0.0
    instructions: str = ""
    requires: Level | None = None
    credential: bool = False
    identifies: bool = False
    trusted: bool = False
    approve: Approver | None = None
    when: str = ""
    unknown: tuple[str, ...] = ()


LONGEST_S = 3600
"""The longest time limit in seconds. A larger number was probably meant as milliseconds."""

LONGEST_LONG_S = 90 * 86_400
"""The longest time limit of a long tool: 90 days."""


def default_timeout_s(*, long: bool) -> float:
    """Returns the default time limit: 10 s, or a week for a long tool."""
    return 7 * 86_400.0 if long is True else 10.0


OPTION_NAMES = tuple(option.name for option in fields(Options) if option.name != "unknown")


def option_problems(options: Options, parameters: Collection[str]) -> Iterator[str]:
    """Yields the mistakes in the options of a tool with these parameters.

    Hints, functions and the execution policy are checked elsewhere.
    """
    for name in options.unknown:
        yield f"there is no option {name!r}; {_meant(name)} options are: {', '.join(OPTION_NAMES)}"
    yield from _one_of("effect", options.effect, get_args(Effect))
    yield from _one_of("acknowledge", options.acknowledge, get_args(Acknowledge))
    if not _is_duration(options.timeout_s):
        yield f"timeout_s {options.timeout_s!r} should be a number of seconds above 0"
    elif options.long is True:
        if options.timeout_s > LONGEST_LONG_S:
            yield f"timeout_s {options.timeout_s!r} should be at most {LONGEST_LONG_S}, which is 90 days"
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
    if options.confirmation is not None:
        if not isfunction(cast("object", options.confirm)):
            yield "confirmation words what confirm's function returns; write confirm=function, or confirm=template"
        yield from _template_problems(
            "confirmation", options.confirmation, {"value", "arguments"}, parameters
        )
    writes, long = options.effect == "write", options.long is True
    yield from approval_problems(
        options.approve, options.when, writes=writes, long=long, parameters=parameters
    )


def approval_problems(
    approve: object, when: object, *, writes: bool, long: bool, parameters: Collection[str]
) -> Iterator[str]:
    """Yields the mistakes in ``approve`` and ``when`` of a tool with these parameters."""
    if approve is None:
        if when:
            yield "when says which calls staff must approve; add approve='staff', or leave when out"
        return
    if approve not in get_args(Approver):
        yield f"approve {approve!r} should be 'staff', or left out"
    if not writes:
        yield "approve is for a tool that changes something; add effect='write', or leave approve out"
    if long:
        yield "approve does not go with long; leave one of them out"
    if not isinstance(when, str):
        yield f"when {when!r} should be a condition such as 'arguments.amount > 100', as a text"
    elif when.strip():
        yield from _condition_problems(when, parameters)


def _condition_problems(when: str, parameters: Collection[str]) -> Iterator[str]:
    try:
        condition = read_condition(when)
    except ValueError as error:
        yield f"when: {error}"
        return
    if condition.tools:
        yield f"when {when!r} uses results of other tools; it may use arguments, claims and customer"
    for name in sorted(condition.arguments - set(parameters)):
        known = ", ".join(parameters) or "none"
        yield f"when uses the argument {name!r}, which the tool does not have; it has: {known}"


def with_options(spec: ToolSpec, options: Options) -> ToolSpec:
    """Returns the declaration with these options, which must have no problems."""
    narrations = dict(by_locale(options.narration)) if options.narration is not None else {}
    return replace(
        spec,
        effect=options.effect,
        timeout_s=float(options.timeout_s),
        confirm=bool(options.confirm),
        acknowledge=options.acknowledge,
        narration=narrations.pop("en", None),
        narrations=narrations,
        examples=tuple(options.examples),
        approve=options.approve,
        approve_when=options.when.strip(),
    )


def by_locale(written: PerLocale) -> Mapping[str, str]:
    """Returns a text for each locale. A single text is English.

    >>> by_locale("Done."), by_locale({"de": "Erledigt."})
    ({'en': 'Done.'}, {'de': 'Erledigt.'})
    """
    return {"en": written} if isinstance(written, str) else written


def is_locale(name: object) -> TypeGuard[str]:
    """Whether this has the form of a locale's name, such as "de" or "de-AT"."""
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


MOST_RETRIES = 5


def execution_policy_problems(
    options: Options, parameters: Parameters, function: Callable[..., object]
) -> Iterator[str]:
    """Yields the mistakes in the options of the execution policy; if there are none, the mistakes in their
    combination.
    """
    wrong = [*_wrong_values(options)]
    yield from wrong or [
        *_wrong_together(options),
        *_wrong_identity(options, function),
        *_wrong_long(options, function),
    ]
    if options.reconcile is None:
        return
    if not isfunction(options.reconcile):
        yield f"reconcile {options.reconcile!r} should be a function that gives what was done, or None"
        return
    for problem in check_problems(options.reconcile, parameters):
        yield f"reconcile's function {options.reconcile.__name__!r} {problem}"


def _wrong_values(options: Options) -> Iterator[str]:
    for name in ("idempotent", "credential", "identifies", "trusted", "long"):
        value = getattr(options, name)
        if not isinstance(value, bool):
            yield f"{name} {value!r} should be True or False"
    if not _is_whole(options.retries, 0, MOST_RETRIES):
        yield f"retries {options.retries!r} should be a whole number from 0 to {MOST_RETRIES}"
    if options.max_concurrency is not None and not _is_whole(options.max_concurrency, 1, None):
        yield f"max_concurrency {options.max_concurrency!r} should be a whole number from 1, or None for any number"
    if not _is_span(options.cache_ttl_s):
        yield f"cache_ttl_s {options.cache_ttl_s!r} should be a number of seconds, 0 for none"
    if not isinstance(options.instructions, str):
        yield f"instructions {options.instructions!r} should be a text for the model that tells the result"
    if options.sorted_by not in (None, *get_args(SortedBy)):
        orders = " or ".join(repr(order) for order in get_args(SortedBy))
        yield f"sorted_by {options.sorted_by!r} should be {orders}, or left out"
    if options.requires is not None and options.requires not in LEVELS:
        yield f"requires {options.requires!r} should be {' or '.join(map(repr, LEVELS))}"


def _wrong_together(options: Options) -> Iterator[str]:
    writes = options.effect == "write"
    if writes and options.retries and not options.idempotent:
        yield (
            f"retries {options.retries} would repeat a write; add idempotent=True if the same key acts only"
            " once, or leave retries out"
        )
    if writes and options.sorted_by is not None:
        yield f"sorted_by {options.sorted_by!r} is for a lookup that gives a list; leave it out"
    if writes and options.cache_ttl_s:
        yield f"cache_ttl_s {options.cache_ttl_s!r} would answer a write without doing it; leave it out"
    if not writes and options.idempotent:
        yield "idempotent says that a write may be repeated, and a read always may; leave it out"
    if options.credential and options.requires not in (None, "signed_in"):
        yield (
            f"credential is of a customer who is signed in on the site; leave requires={options.requires!r} out"
        )
    if options.credential and options.identifies:
        yield "credential is of a customer who is known already; leave identifies out"
    if not writes and options.reconcile is not None:
        yield "reconcile tells whether a write took place; add effect='write', or leave reconcile out"


def _wrong_long(options: Options, function: Callable[..., object]) -> Iterator[str]:
    if not options.long:
        return
    if not iscoroutinefunction(unwrap(function)):
        yield "long is for async functions, because a thread cannot be stopped; write async def"
    if options.credential:
        yield "credential ends long before a long tool may; leave credential or long out"
    if options.identifies:
        yield "identifies answers at once; leave long out"
    if options.cache_ttl_s:
        yield "cache_ttl_s is for lookups that the customer waits for; leave it or long out"


def _wrong_identity(options: Options, function: Callable[..., object]) -> Iterator[str]:
    if not options.identifies:
        return
    if options.effect == "write":
        yield "identifies is for a tool that looks up who the customer is; leave effect='write' out"
    if options.requires not in (None, "anonymous"):
        yield f"identifies is for customers who are not known yet; leave requires={options.requires!r} out"
    if options.cache_ttl_s:
        yield "identifies tells each try from the others; leave cache_ttl_s out"
    types = _types(function)
    if types is not None and not _is_customer_or_none(types.get("return")):
        gives = "gives something else" if "return" in types else "does not say what it gives"
        yield f"{gives}; a tool with identifies=True is written '-> Customer | None'"


def _types(function: Callable[..., object]) -> Mapping[str, object] | None:
    """Returns the type annotations of a function, including "return", or None if they cannot be read."""
    try:
        return get_type_hints(unwrap(function))
    except Exception:
        # The mistake is reported with the parameters.
        return None


def _is_customer_or_none(annotation: Any) -> bool:
    return annotation is Customer or set(get_args(annotation)) == {Customer, type(None)}


def _is_whole(value: object, least: int, most: int | None) -> bool:
    return type(value) is int and value >= least and (most is None or value <= most)


def _is_span(value: object) -> bool:
    return isinstance(value, int | float) and type(value) is not bool and isfinite(value) and value >= 0
