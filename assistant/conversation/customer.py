"""The customer, as verified by the identity port, and the customer's credential.

Tools use the credential to act in the company's systems in the customer's name. It is never in a model's
request, a log entry, a log line or a recorded conversation.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

Claim: TypeAlias = str | int | float | bool
"""A plain value that fits into a header or an address."""


class CustomerCredential:
    """A customer's token for the company's systems, with the customer's claims.

    It is not a dataclass, because ``asdict`` or ``repr`` must not reveal the token.

    Attributes:
        token: the token for the company's systems; "" if the site only passed on claims.
        claims: facts that the site guarantees, by name.
        expires_ms: the Unix time, in milliseconds, from which on none of this is used.
    """

    __slots__ = ("claims", "expires_ms", "token")

    def __init__(self, *, token: str, expires_ms: int, claims: Mapping[str, Claim] | None = None) -> None:
        self.token = token
        self.claims: Mapping[str, Claim] = MappingProxyType(dict(claims or {}))
        self.expires_ms = expires_ms

    def __repr__(self) -> str:
        """Returns a representation without the token and the claims.

        >>> CustomerCredential(token="secret", claims={"plan": "gold"}, expires_ms=5)
        CustomerCredential(expires_ms=5)
        """
        return f"CustomerCredential(expires_ms={self.expires_ms})"

    @property
    def secrets(self) -> tuple[str, ...]:
        """The texts that only the company's systems may get."""
        return (self.token,) if self.token else ()


Level: TypeAlias = Literal["anonymous", "verified", "signed_in"]

LEVELS: tuple[Level, ...] = ("anonymous", "verified", "signed_in")
"""From the lowest level to the highest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Customer:
    """One customer of one tenant. Comes from a verified identity, never from a model.

    ``id`` is the company's own customer number for ``verified`` and ``signed_in``, and a visitor's random id
    for ``anonymous``. ``credential`` is set only while a call of a signed-in customer runs; a tool gets it
    through ``ToolContext``.
    """

    tenant: str
    id: str
    level: Level = "anonymous"
    name: str | None = None
    locale: str = "en"
    credential: CustomerCredential | None = field(default=None, repr=False, compare=False)

    @property
    def known(self) -> bool:
        """Whether the customer is identified, so that tools can look them up."""
        return self.level != "anonymous"

    def is_at_least(self, level: Level) -> bool:
        """Whether the customer's level is this one or higher.

        >>> Customer(tenant="t", id="7", level="verified").is_at_least("signed_in")
        False
        """
        return LEVELS.index(self.level) >= LEVELS.index(level)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationKey:
    """The key of a conversation. It includes tenant and customer, so each store filters by them."""

    tenant: str
    customer: str
    conversation: str

    @property
    def is_sample(self) -> bool:
        """Whether this is an example conversation: no customer had it, so nothing counts or sends it.

        >>> ConversationKey(tenant="shop", customer="sample-ana", conversation="sample-billing-1").is_sample
        True
        """
        return self.conversation.removeprefix(CALL_PREFIX).startswith(SAMPLE_PREFIX)

    def channel(self, *, spoken: bool) -> "Channel":
        """Where a message came from that was spoken or written.

        >>> call = ConversationKey(tenant="shop", customer="call-CA7", conversation="call-CA7")
        >>> call.channel(spoken=True)
        'phone'
        """
        if self.conversation.startswith(CALL_PREFIX):
            return "phone"
        return "voice" if spoken else "chat"


Channel: TypeAlias = Literal["chat", "voice", "phone"]

CHANNELS: tuple[Channel, ...] = ("chat", "voice", "phone")

SAMPLE_PREFIX: Final = "sample-"
"""How the ids of example conversations begin, after ``CALL_PREFIX`` if they are calls. Servers make no such ids."""

SAMPLE_CUSTOMER: Final = "sample-ana"
"""A customer of the example conversations."""

CALL_PREFIX: Final = "call-"
"""How the ids of phone calls begin. No other conversation has such an id, because servers make the others."""
