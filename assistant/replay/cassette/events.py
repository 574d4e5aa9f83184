"""What happens while an answer is on its way: a stop, a line that is cut, a server that starts again."""

from typing import Literal

from assistant.replay.cassette.written import Ms, Written


class Event(Written):
    """Something that happens once, at a moment of its turn.

    Args:
        happens: ``stop``: the customer presses stop. ``disconnect``: the line is cut, and after ``for_ms`` the
            client is back with what it had. ``restart``: the server ends in the middle and starts again.
        at_ms: so long after the customer's message.
        after: instead of ``at_ms``: as soon as the customer has been shown these words in this turn.
        for_ms: how long the client is away.
    """

    happens: Literal["stop", "disconnect", "restart"]
    at_ms: Ms | None = None
    after: str | None = None
    for_ms: Ms = 0
