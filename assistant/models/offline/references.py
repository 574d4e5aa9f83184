"""Numbers that name a thing: of an order, an invoice, an appointment."""

import re
from dataclasses import dataclass
from typing import Final

_REFERENCE: Final = re.compile(
    r"(?:(?P<noun>[a-z]+)\s+)?(?:(?:number|num|nr|no|id|ref|reference)\.?:?\s*(?:is\s+)?)?"
    r"(?P<value>#?\s?(?=[a-z-]*\d)(?:[a-z]{1,5}-?)?\d[\d-]*)(?![\w@])",
    re.IGNORECASE,
)
_JOINTS: Final = frozenset(
    {"is", "its", "number", "no", "nr", "id", "the", "my", "and", "or", "about", "for"}
)


@dataclass(frozen=True, slots=True)
class Reference:
    """A number, the noun before it ("" for none), and where the number stands.

    ``marked`` says that it can be nothing but a name: it has a hash, letters, or four figures and more.
    """

    value: str
    noun: str
    start: int
    end: int
    marked: bool


def find_references(text: str) -> tuple[Reference, ...]:
    """Find the numbers in a text that may name something, in its order.

    >>> [(one.value, one.noun) for one in find_references("cancel order 10455 and pay invoice no. INV-2031")]
    [('10455', 'order'), ('INV-2031', 'invoice')]
    >>> [(one.value, one.marked) for one in find_references("order #77, at 3")]
    [('77', True), ('3', False)]
    """
    return tuple(_read(match) for match in _REFERENCE.finditer(text))


def _read(match: re.Match[str]) -> Reference:
    value = match["value"].lstrip("# ").rstrip("-")
    noun = (match["noun"] or "").lower()
    figures = sum(character.isdecimal() for character in value)
    marked = match["value"].startswith("#") or not value.isdecimal() or figures >= 4
    return Reference(
        value=value,
        noun="" if noun in _JOINTS else noun.removesuffix("s"),
        start=match.end() - len(match["value"].lstrip("# ")),
        end=match.end(),
        marked=marked,
    )
