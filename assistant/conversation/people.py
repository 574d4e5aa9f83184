"""Who is talking: the customer, as the identity port vouches for them."""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from assistant.conversation.credential import CustomerCredential

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
