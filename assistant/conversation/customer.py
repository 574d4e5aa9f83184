"""Who is talking: the customer as the identity port vouches for them, and their own credential.

Tools use the credential to ask the company's systems in the customer's own name. No model, log entry, log line or
recorded conversation holds any of it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, TypeAlias

Claim: TypeAlias = str | int | float | bool
"""A plain value: what fits into a header or an address."""


class CustomerCredential:
    """One customer's own token for the company's systems, with the claims that came with it.

    It is no dataclass: a conversion such as ``asdict`` or ``repr`` must not write the token out.

    Attributes:
        token: what is sent to the company's systems; "" when the site gave claims alone.
        claims: facts that the site vouches for, by name.
        expires_ms: the Unix time, in milliseconds, from which none of this is used any more.
    """

    __slots__ = ("claims", "expires_ms", "token")

    def __init__(self, *, token: str, expires_ms: int, claims: Mapping[str, Claim] | None = None) -> None:
        self.token = token
        self.claims: Mapping[str, Claim] = MappingProxyType(dict(claims or {}))
        self.expires_ms = expires_ms

    def __repr__(self) -> str:
        """Without the token and the claims.

        >>> CustomerCredential(token="secret", claims={"plan": "gold"}, expires_ms=5)
        CustomerCredential(expires_ms=5)
        """
        return f"CustomerCredential(expires_ms={self.expires_ms})"

    @property
    def secrets(self) -> tuple[str, ...]:
        """The texts that nothing but the company's systems may see."""
        return (self.token,) if self.token else ()


Level: TypeAlias = Literal["anonymous", "verified", "signed_in"]

LEVELS: tuple[Level, ...] = ("anonymous", "verified", "signed_in")
"""From the least known to the best."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Customer:
    """One customer of one tenant. Comes from a verified identity, never from a model.

    ``id`` is the company's own customer number for ``verified`` and ``signed_in``, and a visitor's
    random id for ``anonymous``. ``credential`` is there only while one of this customer's calls runs, and only for
    a customer who is signed in; a tool gets it through ``ToolContext``.
    """

    tenant: str
    id: str
    level: Level = "anonymous"
    name: str | None = None
    locale: str = "en"
    credential: CustomerCredential | None = field(default=None, repr=False, compare=False)

    @property
    def known(self) -> bool:
        """Whether tools may look this customer up."""
        return self.level != "anonymous"

    def is_at_least(self, level: Level) -> bool:
        """Whether this customer is known as well as that, or better.

        >>> Customer(tenant="t", id="7", level="verified").is_at_least("signed_in")
        False
        """
        return LEVELS.index(self.level) >= LEVELS.index(level)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationKey:
    """Where a conversation lives. Tenant and customer lead, so no store can forget to filter by them."""

    tenant: str
    customer: str
    conversation: str
