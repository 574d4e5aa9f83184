"""A customer whom a model plays, and how their part of a conversation ends."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from assistant.errors import AssistantError

MOST_MESSAGES = 8

How: TypeAlias = Literal["done", "circles", "most_messages"]
"""Why a customer says nothing more: they have what they want or gave it up, they began to say the same again
and again, or they have said as much as they may."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedCustomer:
    """Who writes, and what for.

    Args:
        persona: who they are and how they write: "an impatient man who writes in fragments".
        goal: what they want, and when they would give it up.
        facts: all that they can tell, by name; what they do not want may be among it.
        most_messages: so many messages at most.
    """

    persona: str
    goal: str
    facts: Mapping[str, str] = field(default_factory=dict[str, str])
    most_messages: int = MOST_MESSAGES


@dataclass(frozen=True, slots=True)
class Left:
    """The customer says nothing more."""

    how: How


class SimulatorFailed(AssistantError):
    """Whoever plays the customer did not: the conversation says nothing about the assistant."""
