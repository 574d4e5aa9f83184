"""The clause of a confirmation question ("cancel your eye test on Tuesday").

A template makes it from the call's arguments, or from data that the ``confirm=`` function returns.
"""

import re
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from inspect import Parameter, signature
from typing import Final, cast

from assistant.conversation.customer import Customer
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import Json, JsonObject
from assistant.language.sanitize import quoted
from assistant.prompts.book import PromptBook
from assistant.prompts.locale import language
from assistant.prompts.narration import Narration
from assistant.tools.concurrency import call_function, running_for
from assistant.tools.schema import Parameters, injected_source, type_hints, typed_parameter

_WHEN: Final = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?\S{0,12})?|\d\d:\d\d(?::\d\d)?")

ConfirmFunction = Callable[..., Awaitable[object] | object]


def read_back_problems(function: ConfirmFunction, parameters: Parameters) -> list[str]:
    """Returns the reasons why a ``confirm=`` function cannot be called with the tool's arguments."""
    problems: list[str] = []
    hints = type_hints(function, problems)
    taken = signature(function).parameters.values()
    expected = set(parameters.names.values())
    named = {
        one.name for one in taken if one.kind in (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
    }
    customers = {name for name in named if injected_source(hints.get(name)) == "customer"}
    if any(one.kind is Parameter.VAR_KEYWORD for one in taken):
        named |= expected
    problems += [f"takes {name!r}{_foreign(name, hints)}" for name in sorted(named - customers - expected)]
    problems += [
        f"does not take {name!r}; it needs all of the tool's own" for name in sorted(expected - named)
    ]
    return problems


def _foreign(name: str, hints: Mapping[str, object]) -> str:
    if injected_source(hints.get(name)) == "context" or (name == "context" and name not in hints):
        return ", and a read-back is given no ToolContext; take it out"
    written = typed_parameter(name) if name not in hints else None
    return f" without its type; write {written}" if written else ", which the tool does not"


async def call_confirm(function: ConfirmFunction, values: dict[str, object], customer: Customer) -> object:
    """Call the ``confirm=`` function. The exceptions of the function pass through."""
    hints = type_hints(function, [])
    whom = {name: customer for name, hint in hints.items() if injected_source(hint) == "customer"}
    with running_for(customer.tenant):
        return await call_function(function, {**values, **whom})


def checked_clause(returned: object) -> str:
    """Returns the returned value, if it is a clause. Raises ``TypeError`` otherwise."""
    if not isinstance(returned, str) or not returned.strip():
        raise TypeError(f"confirm's function gave {returned!r} instead of a clause")
    return returned.strip()


def clause_of(
    templates: Mapping[str, str],
    spec: ToolSpec,
    arguments: JsonObject,
    locale: str,
    book: PromptBook,
    value: Json = None,
) -> str | None:
    """Returns the clause that a tool's template makes for a call; None if there is no template in the
    customer's language.

    A clause in another language would not fit into the sentence. Texts in the arguments are quoted, unless
    the tool's own schema lists them. ``value`` is what the ``confirm=`` function returned.
    """
    template = templates.get(locale) or templates.get(language(locale))
    if template is None:
        return None
    said = {
        name: value if is_own(value, spec, name) else quoted_data(value) for name, value in arguments.items()
    }
    return Narration(book).render(template, value=value, arguments=said, locale=locale)


def quoted_data(value: Json) -> Json:
    """Returns a value for a question: each text in it is quoted; dates and times stay unchanged."""
    match value:
        case str():
            return value if _WHEN.fullmatch(value) else quoted(value)
        case Mapping():
            return {quoted(name.replace("_", " ")): quoted_data(one) for name, one in value.items()}
        case list() | tuple():
            return [quoted_data(one) for one in value]
        case _:
            return value


def is_own(value: Json, spec: ToolSpec, name: str) -> bool:
    """Whether the tool's schema lists the value for this argument, so that it does not come from third parties."""
    listed = _listed(_schema(spec, name))
    return not spec.foreign and any(value == one and type(value) is type(one) for one, _ in listed)


def own_label(value: Json, spec: ToolSpec, name: str) -> str:
    """Returns the label of a listed value: see :func:`enum_label`."""
    return enum_label(value, _schema(spec, name))


def _schema(spec: ToolSpec, name: str) -> JsonObject:
    properties = spec.parameters.get("properties", {})
    schema = properties.get(name) if isinstance(properties, Mapping) else None
    return schema if isinstance(schema, Mapping) else {}


def enum_label(value: Json, schema: JsonObject) -> str:
    """Returns the label of a listed value: its ``title`` next to its ``const`` in the schema, or the value as
    words.

    >>> sizes = {"oneOf": [{"const": "S1", "title": "small"}, {"const": "S2", "title": "large"}]}
    >>> enum_label("S1", sizes), enum_label("next_day", {"enum": ["next_day", "pick_up"]})
    ('small', 'next day')
    """
    title = next((title for listed, title in _listed(schema) if value == listed and title), "")
    return title or str(value).replace("_", " ")


def _listed(schema: JsonObject) -> Iterator[tuple[Json, str]]:
    """Yields the values that a schema lists, each with its title, or with "" if it has none."""
    choices = [schema, *cast("list[JsonObject]", [*_items(schema, "anyOf"), *_items(schema, "oneOf")])]
    for choice in choices:
        if "const" in choice:
            yield choice["const"], str(choice.get("title", "")) if choice is not schema else ""
        yield from ((value, "") for value in _items(choice, "enum"))


def _items(schema: JsonObject, key: str) -> Sequence[Json]:
    found = schema.get(key)
    return found if isinstance(found, list | tuple) else ()
