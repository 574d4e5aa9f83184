"""What a company's site says of a signed-in customer beside who they are: a credential, and claims.

Tools use it to ask the company's systems in the customer's own name. No model, log entry, log line or recorded
conversation holds any of it.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import TypeAlias

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
