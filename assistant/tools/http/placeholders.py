"""Texts with places in braces, such as "/orders/{order_number}", and what fills them."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias, final

from assistant.conversation.customer import Customer
from assistant.conversation.values import Json, JsonObject

GIVEN = ("customer.id", "customer.name", "customer.locale", "customer.tenant", "call.key")
"""What can be filled in beside a tool's own arguments; none of it comes from a model."""

_TOKENS = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")


@dataclass(frozen=True, slots=True)
class Place:
    """A place to be filled with the value of this name."""

    name: str


Pattern: TypeAlias = tuple[str | Place, ...]
"""A text in pieces: what stands there, and places between."""


@final
class Missing:
    """No value: the argument was left out."""


MISSING: Final = Missing()


def parse(text: str) -> Pattern:
    """Read a text; a brace that is meant as one is written twice.

    >>> parse("/orders/{number}"), parse("{{no place}}")
    (('/orders/', Place(name='number')), ('{no place}',))

    Raises:
        ValueError: a brace stands alone.
    """
    pieces: list[str | Place] = []
    literal, at = "", 0
    for token in _TOKENS.finditer(text):
        literal += text[at : token.start()]
        at = token.end()
        if token[0] in ("{{", "}}"):
            literal += token[0][0]
        elif token[1] is None:
            raise ValueError(
                f"has a {token[0]!r} alone; write {{name}} for a place, {token[0] * 2} for a brace"
            )
        else:
            pieces += [literal] if literal else []
            pieces.append(Place(token[1].strip()))
            literal = ""
    literal += text[at:]
    return (*pieces, literal) if literal or not pieces else tuple(pieces)


def places(template: Json) -> Iterator[tuple[str, bool]]:
    """The names in a template, however deep, each with whether it stands alone in its text."""
    if isinstance(template, str):
        pattern = parse(template)
        yield from ((piece.name, len(pattern) == 1) for piece in pattern if isinstance(piece, Place))
    elif isinstance(template, Mapping):
        for part in template.values():
            yield from places(part)
    elif isinstance(template, list):
        for part in template:
            yield from places(part)


CLAIM = "customer.claims."
"""Begins the name of a place for a fact that the site vouches for, such as "customer.claims.plan"."""

TOKEN = "customer.token"  # noqa: S105 - a place's name
"""Stands in ``auth`` alone: anywhere else a system would keep it in its logs."""


def is_given(name: str) -> bool:
    """Whether a place is filled by the assistant, not by a model.

    >>> is_given("customer.claims.plan"), is_given("customer.claims."), is_given("customer.token")
    (True, False, False)
    """
    return name in GIVEN or (name.startswith(CLAIM) and name.removeprefix(CLAIM).isidentifier())


def given(customer: Customer, key: str) -> dict[str, Json]:
    """What is filled in for this customer and call."""
    held = customer.credential
    claims = {f"{CLAIM}{name}": value for name, value in held.claims.items()} if held is not None else {}
    name = {} if customer.name is None else {"customer.name": customer.name}
    return {
        "customer.id": customer.id,
        "customer.locale": customer.locale,
        "customer.tenant": customer.tenant,
        "call.key": key,
        **name,
        **claims,
    }


def fill(template: Json, values: JsonObject) -> Json | Missing:
    """The template with its values. Whatever has a place without a value is left out, up to its key.

    >>> fill({"note": "{note}", "lines": [{"sku": "{sku}", "label": "no. {sku}"}]}, {"sku": 7})
    {'lines': [{'sku': 7, 'label': 'no. 7'}]}
    """
    if isinstance(template, str):
        return _fill_text(parse(template), values)
    if isinstance(template, Mapping):
        filled = {key: fill(part, values) for key, part in template.items()}
        return {key: value for key, value in filled.items() if not isinstance(value, Missing)}
    if isinstance(template, list):
        parts = [fill(part, values) for part in template]
        return [value for value in parts if not isinstance(value, Missing)]
    return template


def _fill_text(pattern: Pattern, values: JsonObject) -> Json | Missing:
    if any(isinstance(piece, Place) and piece.name not in values for piece in pattern):
        return MISSING
    if len(pattern) == 1 and isinstance(pattern[0], Place):
        return values[pattern[0].name]
    return "".join(piece if isinstance(piece, str) else text_of(values[piece.name]) for piece in pattern)


def text_of(value: Json) -> str:
    """A plain value within a text.

    >>> text_of(True), text_of(2.5), text_of("a b")
    ('true', '2.5', 'a b')
    """
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
