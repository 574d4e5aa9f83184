"""JSON types, and a few names that all packages share."""

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

Json: TypeAlias = bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"] | None
"""Any JSON value; containers are never changed once they are part of an entry."""

JsonObject: TypeAlias = Mapping[str, Json]

MessageKind: TypeAlias = Literal["acknowledgement", "status", "response"]
"""What an assistant's message was, known only when it is complete."""

Effect: TypeAlias = Literal["read", "write"]

HowTurnEnded: TypeAlias = Literal["answered", "awaiting_confirmation", "interrupted", "apologised"]
