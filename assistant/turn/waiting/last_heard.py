"""When a conversation's model and its customer were last heard of."""

from dataclasses import dataclass
from math import inf


@dataclass(slots=True)
class LastHeard:
    """Moments of the clock's ``monotonic()``, in seconds; kept beside the log, for nobody needs them later.

    ``model``: a piece of a reply came, shown or not. ``typing``: a client said that the customer is typing.
    ``alone_since``: from then on no client has been connected; infinity while one is.
    """

    model: float = -inf
    typing: float = -inf
    alone_since: float = inf
