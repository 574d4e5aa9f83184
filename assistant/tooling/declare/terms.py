"""What is wrong with the terms on which a tool runs: how often, how many at a time, and for whom."""

from collections.abc import Callable, Iterator, Mapping
from inspect import isfunction, unwrap
from math import isfinite
from typing import Any, get_args, get_type_hints

from assistant.conversation.customer import LEVELS, Customer
from assistant.conversation.tool_spec import SortedBy
from assistant.tooling.declare.check import check_problems
from assistant.tooling.declare.options import Options
from assistant.tooling.declare.parameters import Parameters

MOST_RETRIES = 5


def term_problems(options: Options, parameters: Parameters, function: Callable[..., object]) -> Iterator[str]:
    """What is wrong with each of the terms; where nothing is, what is wrong with them together."""
    wrong = [*_wrong_values(options)]
    yield from wrong or [*_wrong_together(options), *_wrong_identity(options, function)]
    if options.check is None:
        return
    if not isfunction(options.check):
        yield f"check {options.check!r} should be a function that gives what was done, or None"
        return
    for problem in check_problems(options.check, parameters):
        yield f"check's function {options.check.__name__!r} {problem}"


def _wrong_values(options: Options) -> Iterator[str]:
    for name in ("idempotent", "credential", "identifies", "trusted"):
        value = getattr(options, name)
        if not isinstance(value, bool):
            yield f"{name} {value!r} should be True or False"
    if not _is_whole(options.retries, 0, MOST_RETRIES):
        yield f"retries {options.retries!r} should be a whole number from 0 to {MOST_RETRIES}"
    if options.at_once is not None and not _is_whole(options.at_once, 1, None):
        yield f"at_once {options.at_once!r} should be a whole number from 1, or None for any number"
    if not _is_span(options.cache_s):
        yield f"cache_s {options.cache_s!r} should be a number of seconds, 0 for none"
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
    if writes and options.cache_s:
        yield f"cache_s {options.cache_s!r} would answer a write without doing it; leave it out"
    if not writes and options.idempotent:
        yield "idempotent says that a write may be repeated, and a read always may; leave it out"
    if options.credential and options.requires not in (None, "signed_in"):
        yield (
            f"credential is of a customer who is signed in on the site; leave requires={options.requires!r} out"
        )
    if options.credential and options.identifies:
        yield "credential is of a customer who is known already; leave identifies out"
    if not writes and options.check is not None:
        yield "check tells whether a write took place; add effect='write', or leave check out"


def _wrong_identity(options: Options, function: Callable[..., object]) -> Iterator[str]:
    if not options.identifies:
        return
    if options.effect == "write":
        yield "identifies is for a tool that looks up who the customer is; leave effect='write' out"
    if options.requires not in (None, "anonymous"):
        yield f"identifies is for customers who are not known yet; leave requires={options.requires!r} out"
    if options.cache_s:
        yield "identifies tells each try from the others; leave cache_s out"
    types = _types(function)
    if types is not None and not _is_customer_or_none(types.get("return")):
        gives = "gives something else" if "return" in types else "does not say what it gives"
        yield f"{gives}; a tool with identifies=True is written '-> Customer | None'"


def _types(function: Callable[..., object]) -> Mapping[str, object] | None:
    """What is annotated of a function, its "return" among it; None where that cannot be read."""
    try:
        return get_type_hints(unwrap(function))
    except Exception:
        # It is told with the parameters that it cannot be read.
        return None


def _is_customer_or_none(annotation: Any) -> bool:
    return annotation is Customer or set(get_args(annotation)) == {Customer, type(None)}


def _is_whole(value: object, least: int, most: int | None) -> bool:
    return type(value) is int and value >= least and (most is None or value <= most)


def _is_span(value: object) -> bool:
    return isinstance(value, int | float) and type(value) is not bool and isfinite(value) and value >= 0
