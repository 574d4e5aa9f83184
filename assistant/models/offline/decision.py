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
class Prove:
    """Nobody knows yet who it is: ``spec`` finds out, once nothing is ``lacking`` beside ``arguments``."""

    spec: ToolSpec
    lacking: tuple[Slot, ...]
    arguments: JsonObject


@dataclass(frozen=True, slots=True)
class Help:
    """Nothing fits (``unmatched``), or the customer asked what there is.

    ``person`` is the call that asks for a person, where there are people to ask for.
    """

    unmatched: bool
    person: Planned | None = None


@dataclass(frozen=True, slots=True)
class Recall:
    """One thing of a result, told alone: what stands in it under the ``asked`` keys; all of it for none.

    ``place`` is where it stands in the result, from 1; 0 where it was not asked for by its place. ``past``: it was
    asked what it was, not what it is now.
    """

    item: JsonObject
    asked: tuple[str, ...] = ()
    place: int = 0
    past: bool = False


About: TypeAlias = Literal["greeting", "thanks", "goodbye", "kept", "listening"]
"""``kept``: the customer wants nothing done after all. ``listening``: a yes to nothing, a hum."""


@dataclass(frozen=True, slots=True)
class Smalltalk:
    """No request at all."""

    about: About


Reply: TypeAlias = Ask | Unsure | Prove | Recall | Help | Smalltalk


@dataclass(frozen=True, slots=True)
class Decision:
    """Calls in the order they were asked for, and what is to be said: instead of them, or after their results.

    ``open`` is an earlier question that the customer has not answered yet: they asked something else in between.
    """

    calls: tuple[Planned, ...] = ()
    reply: Reply | None = None
    open: Ask | Unsure | Prove | None = None

    @property
    def question(self) -> Ask | Unsure | Prove | None:
        """What the customer may answer next."""
        return self.reply if isinstance(self.reply, Ask | Unsure | Prove) else self.open
