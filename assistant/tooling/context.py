"""What a tool may know about the call that it serves."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from assistant.conversation.customer import CustomerCredential


class ToolLog(Protocol):
    """A log that already carries the call's id; facts follow as keywords."""

    def info(self, event: str, /, **facts: object) -> object:
        """Something worth knowing happened."""
        ...

    def warning(self, event: str, /, **facts: object) -> object:
        """Something is odd, and the tool goes on."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolContext:
    """Handed to every tool that has a parameter of this type.

    ``key`` is the idempotency key: the same for every attempt at one call, so that a write made twice acts
    once. ``attempt`` counts them, from 1. ``now`` is aware, in the company's time zone; it is the
    conversation's time, not the machine's. ``visitor`` is whom the conversation belongs to, and what is kept of it:
    the id that the door knew the customer by, whoever they have shown to be since; "" outside of conversations.
    ``held`` is what :attr:`credential` gives; None in a tool that is not declared with ``credential=True``.
    """

    key: str
    call_id: str
    now: datetime
    log: ToolLog
    attempt: int = 1
    visitor: str = ""
    held: CustomerCredential | None = field(default=None, repr=False, compare=False)

    @property
    def credential(self) -> CustomerCredential:
        """The customer's own credential, for a tool that is declared with ``credential=True``.

        Never log it, return it, or put it into an error. Raises ``LookupError`` in any other tool.
        """
        if self.held is None:
            raise LookupError("only a tool with @tool(credential=True) gets the customer's credential")
        return self.held
