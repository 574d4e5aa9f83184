"""What happens while an answer is on its way: a stop, a line that is cut, a server that starts again."""

from typing import Literal

from pydantic import model_validator

from assistant.replay.cassette.short_forms import mapping
from assistant.replay.cassette.written import Ms, Text, Written

_SHORT = ("stop", "disconnect_ms", "restart")


class Event(Written):
    """Something that happens once, at a moment of its turn.

    Short: ``{stop: true, at_ms: 900}``, ``{disconnect_ms: 2000, after: "You're"}``, ``{restart: true, at_ms: 4}``.

    Args:
        happens: ``stop``: the customer presses stop. ``disconnect``: the line is cut, and after ``for_ms`` the
            client is back with what it had. ``restart``: the server ends in the middle and starts again.
        at_ms: so long after the customer's message.
        after: instead of ``at_ms``: as soon as the customer has been shown these words in this turn, in just
            this case of letters.
        for_ms: how long the client is away.
    """

    happens: Literal["stop", "disconnect", "restart"]
    at_ms: Ms | None = None
    after: Text | None = None
    for_ms: Ms = 0

    @model_validator(mode="before")
    @classmethod
    def _long(cls, given: object) -> object:
        found = mapping(given)
        named = [key for key in _SHORT if found is not None and key in found]
        if found is None or not named:
            return given
        if len(named) > 1 or "happens" in found:
            raise ValueError("one thing happens at a time; write two entries")
        (key,) = named
        rest = {name: value for name, value in found.items() if name != key}
        if key == "disconnect_ms":
            return {"happens": "disconnect", "for_ms": found[key], **rest}
        if found[key] is not True:
            raise ValueError(f"write {key}: true, or leave the entry out")
        return {"happens": key, **rest}

    @model_validator(mode="after")
    def _one_moment(self) -> "Event":
        if (self.at_ms is None) == (self.after is None):
            raise ValueError("write at_ms, or after with the words that were just shown; one of the two")
        if self.for_ms and self.happens != "disconnect":
            raise ValueError(f"for_ms is how long a line is cut; a {self.happens} has no length")
        return self
