"""The parameters that a model neither sees nor fills: who is asking, and in which call."""

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias, get_args

from assistant.conversation.customer import Customer
from assistant.tooling.context import ToolContext

Source: TypeAlias = Literal["customer", "context"]

_SOURCES: Mapping[object, Source] = {Customer: "customer", ToolContext: "context"}

_BY_NAME: Mapping[str, type] = {"customer": Customer, "context": ToolContext}


def source_of(annotation: object) -> Source | None:
    """Where a parameter of this type gets its value; None: from the model."""
    return _SOURCES.get(annotation) if isinstance(annotation, type) else None


def hides_a_source(annotation: Any) -> bool:
    """Whether an injected type stands inside another one, where a model could fill it.

    >>> hides_a_source(Customer | None), hides_a_source(list[int])
    (True, False)
    """
    parts = get_args(annotation)
    return any(source_of(part) is not None or hides_a_source(part) for part in parts)


def typed(name: str) -> str | None:
    """How a parameter is written that by its name should be injected; None for any other name.

    >>> typed("customer"), typed("day")
    ('customer: Customer, imported from assistant', None)
    """
    meant = _BY_NAME.get(name)
    return f"{name}: {meant.__name__}, imported from assistant" if meant else None
