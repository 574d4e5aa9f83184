"""JSON types, and a few names that all packages share."""

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

Json: TypeAlias = bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"] | None
"""Any JSON value. Containers are never changed after they have become part of an entry."""

JsonObject: TypeAlias = Mapping[str, Json]

MessageKind: TypeAlias = Literal["acknowledgement", "status", "response"]
"""The kind of an assistant's message. It is only known when the message is complete."""

Effect: TypeAlias = Literal["read", "write"]

HowTurnEnded: TypeAlias = Literal["answered", "awaiting_confirmation", "interrupted", "apologised"]
