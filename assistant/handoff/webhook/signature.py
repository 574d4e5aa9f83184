"""Signs what goes to the desk, and believes nothing from it that is not signed, and fresh."""

import hmac
from hashlib import sha256

SIGNATURE = "X-Meanwhile-Signature"
TIMESTAMP = "X-Meanwhile-Timestamp"

WINDOW_S = 300
"""So many seconds may lie between two clocks, and a request on its way."""


def signature(secret: str, timestamp: str, body: bytes) -> str:
    """The signature header: HMAC-SHA256 over the timestamp, a full stop and the body.

    >>> signature("s", "1700000000", b"{}")[:15]
    'sha256=e9232c99'
    """
    return f"sha256={hmac.new(secret.encode(), timestamp.encode() + b'.' + body, sha256).hexdigest()}"


def problem(secret: str, headers: tuple[str | None, str | None], body: bytes, now_s: float) -> str | None:
    """What is wrong with a signed request, for its sender; None when nothing is.

    ``headers`` are its timestamp, in Unix seconds, and its signature; ``now_s`` is the time here, in the same.
    """
    timestamp, given = headers
    if timestamp is None or given is None:
        return f"{TIMESTAMP} and {SIGNATURE} must be there"
    if not hmac.compare_digest(signature(secret, timestamp, body).encode(), given.encode()):
        return f"{SIGNATURE} is not that of this timestamp and body"
    if not timestamp.isascii() or not timestamp.isdigit() or abs(now_s - int(timestamp)) > WINDOW_S:
        return f"{TIMESTAMP} {timestamp!r} is more than {WINDOW_S} s from the time it is here"
    return None
