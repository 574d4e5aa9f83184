"""Reads a Google-style docstring: what a model is told of a tool and of its arguments."""

import re
from dataclasses import dataclass
from inspect import cleandoc

_HEADER = re.compile(r"(Args|Arguments|Returns|Yields|Raises|Source):(.*)")
_ARGUMENT = re.compile(r"(\*{0,2}\w+)\s*(?:\([^)]*\))?\s*:\s*(.*)")


@dataclass(frozen=True, slots=True)
class Docstring:
    """``description`` is without the sections; ``arguments`` maps a name to what it means, in their order."""

    description: str
    arguments: dict[str, str]


def read_docstring(text: str | None) -> Docstring:
    """Take a docstring apart.

    >>> read_docstring('''List invoices.
    ...
    ...     Args:
    ...         days: how far back,
    ...             in days.
    ...
    ...     Source: the ledger.
    ...     ''')
    Docstring(description='List invoices.', arguments={'days': 'how far back, in days.'})
    """
    description: list[str] = []
    arguments: list[str] = []
    into, blank = description, False
    for line in cleandoc(text or "").splitlines():
        header = _HEADER.match(line)
        if header:
            into = arguments if header[1].startswith("Arg") else []
        elif blank and line and not line[0].isspace():
            into = description
        if not header:
            into.append(line)
        blank = not line.strip()
    return Docstring("\n".join(description).strip(), _arguments(arguments))


def _arguments(lines: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    name, indent = "", None
    for line in filter(str.strip, lines):
        depth = len(line) - len(line.lstrip())
        indent = depth if indent is None else indent
        entry = _ARGUMENT.fullmatch(line.strip()) if depth <= indent else None
        if entry:
            name = entry[1]
            found[name] = entry[2].strip()
        elif name:
            found[name] = f"{found[name]} {line.strip()}".strip()
    return found
