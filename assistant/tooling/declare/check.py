"""A tool's own answer to the question whether a side effect took place, by a function of the CRM team."""

from collections.abc import Awaitable, Callable, Mapping
from inspect import Parameter, isasyncgenfunction, isgeneratorfunction, signature
from typing import TypeAlias

from assistant.conversation.customer import Customer
from assistant.tooling.context import ToolContext
from assistant.tooling.declare.injected import source_of, typed
from assistant.tooling.declare.parameters import Parameters
from assistant.tooling.declare.signature import type_hints
from assistant.tooling.running.call_through import call_through

Check: TypeAlias = Callable[..., Awaitable[object] | object]
"""Takes any of the tool's own parameters, ``Customer`` and ``ToolContext``; gives what was done, or None."""


def check_problems(function: Check, parameters: Parameters) -> list[str]:
    """What keeps a function from being asked with a call's arguments, and from answering."""
    problems: list[str] = []
    hints = type_hints(function, problems)
    if isgeneratorfunction(function) or isasyncgenfunction(function):
        problems.append("yields; return what was done, or None")
    own = set(parameters.names.values())
    for one in signature(function).parameters.values():
        if one.kind in (Parameter.POSITIONAL_ONLY, Parameter.VAR_POSITIONAL):
            problems.append(f"takes {one.name!r}, which cannot be given by name")
        elif _is_foreign(one, hints, own):
            written = typed(one.name) if one.name not in hints else None
            why = f" without its type; write {written}" if written else ", which the tool does not"
            problems.append(f"takes {one.name!r}{why}")
    return problems


async def ask_check(
    function: Check, values: Mapping[str, object], customer: Customer, context: ToolContext
) -> object:
    """Call it with as much as it takes. Raises whatever it raises."""
    hints = type_hints(function, [])
    injected = {"customer": customer, "context": context}
    given: dict[str, object] = {}
    for one in signature(function).parameters.values():
        source = source_of(hints.get(one.name))
        if source is not None:
            given[one.name] = injected[source]
        elif one.kind is Parameter.VAR_KEYWORD:
            given |= {name: value for name, value in values.items() if name not in given}
        elif one.name in values:
            given[one.name] = values[one.name]
    return await call_through(function, given)


def _is_foreign(one: Parameter, hints: Mapping[str, object], own: set[str]) -> bool:
    if one.kind is Parameter.VAR_KEYWORD or one.default is not Parameter.empty:
        return False
    return one.name not in own and source_of(hints.get(one.name)) is None
