"""How a server is reached: a child process of ours, or an address."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from assistant.tooling.http.config import AuthSection
from assistant.tooling.http.service import credentials


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
    """A server that runs already; ``headers`` are sent with every request, and what ``auth`` names.

    ``customer_auth`` is what calls for a customer sign in with, in the place of ``auth``.
    """

    url: str
    headers: tuple[tuple[str, str], ...] = ()
    auth: AuthSection = field(default_factory=AuthSection)
    customer_auth: AuthSection | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The variables that must be set."""
        own = credentials(self.customer_auth, {}).missing if self.customer_auth is not None else ()
        return tuple(dict.fromkeys((*credentials(self.auth, {}).missing, *own)))


Reach: TypeAlias = Child | Address
