"""How a server is reached: a child process of ours, or an address."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

_REFERENCE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Child:
    """A process that is started here and spoken to over its standard input and output.

    ``env`` names variables of our own environment that it is given, ``plain`` gives it others as they stand.
    ``folder`` is where it runs.
    """

    command: str
    args: tuple[str, ...] = ()
    env: tuple[str, ...] = ()
    plain: tuple[tuple[str, str], ...] = ()
    folder: Path

    @property
    def names(self) -> tuple[str, ...]:
        """The variables that must be set."""
        return self.env


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """A server that runs already; ``headers`` are sent with every request, ``${NAME}`` filled in."""

    url: str
    headers: tuple[tuple[str, str], ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The variables that must be set."""
        return tuple(dict.fromkeys(name for _, value in self.headers for name in references(value)))


Reach: TypeAlias = Child | Address


def references(value: str) -> Iterator[str]:
    """The variables that a value refers to.

    >>> list(references("Bearer ${CRM_TOKEN}"))
    ['CRM_TOKEN']
    """
    return (found[1] for found in _REFERENCE.finditer(value))


def filled(value: str, environment: Mapping[str, str]) -> str:
    """The value with every reference in it replaced.

    >>> filled("Bearer ${CRM_TOKEN}", {"CRM_TOKEN": "abc"})
    'Bearer abc'
    """
    return _REFERENCE.sub(lambda found: environment[found[1]], value)
