"""The codes and reasons with which the server closes a websocket. ``docs/reference/protocol.md`` explains
them.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Close:
    """A close code and its reason, for the client's developer."""

    code: int
    reason: str


TOO_BIG = Close(1009, "the frame is larger than this server takes")
BROKEN = Close(1011, "something broke on our side; come back and resume")
MOVED = Close(1012, "another server continues this conversation; come back and resume")
NO_HELLO = Close(4400, "the first frame must be a valid hello")
TOKEN_INVALID = Close(4401, "the token does not open this conversation; begin without one")
USER_REFUSED = Close(
    4403, "the site's word for its customer was not taken; come back without, or with a new one"
)
NOT_AN_OPERATOR = Close(4401, "not the operators' token")
HELLO_LATE = Close(4408, "no hello came in time")
TOO_SLOW = Close(4409, "reading too slowly; come back and resume")
TOO_MANY = Close(4429, "too many frames; wait a minute, then resume")
