"""What the embedded model makes of a message: calls, words, or both."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import JsonObject
from assistant.models.offline.slots import Slot


@dataclass(frozen=True, slots=True)
class Planned:
    """A call to be made, its required arguments complete."""

    spec: ToolSpec
    arguments: JsonObject


@dataclass(frozen=True, slots=True)
class Ask:
    """A request that lacks ``slot``; ``arguments`` is what is known of it so far."""

    spec: ToolSpec
    slot: Slot
    arguments: JsonObject


@dataclass(frozen=True, slots=True)
class Unsure:
    """It may have been one of these, the likeliest first; what each would come to is known already."""

    options: tuple[Planned | Ask, ...]


@dataclass(frozen=True, slots=True)
class Help:
    """Nothing fits (``unmatched``), or the customer asked what there is."""

    unmatched: bool


About: TypeAlias = Literal["greeting", "thanks", "goodbye", "kept", "listening"]
"""``kept``: the customer wants nothing done after all. ``listening``: a yes to nothing, a hum."""


@dataclass(frozen=True, slots=True)
class Smalltalk:
    """No request at all."""

    about: About


Reply: TypeAlias = Ask | Unsure | Help | Smalltalk


@dataclass(frozen=True, slots=True)
class Decision:
    """Calls in the order they were asked for, and what is to be said: instead of them, or after their results."""

    calls: tuple[Planned, ...] = ()
    reply: Reply | None = None
