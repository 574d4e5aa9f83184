"""Addresses of attachments: sealed by this server, each for one file of one conversation, for a week or so."""

import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256

import orjson

from assistant.conversation.customer import ConversationKey
from assistant.ports import Clock

PATH = "v1/attachments/"

DAYS = 7
"""So long an address is good at least. Each new account of the conversation has fresh ones."""

_DAY_MS = 24 * 3600 * 1000
_TAG = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a file stands: in the outcome that the entry ``seq`` holds, the ``index``-th of its media, from 0."""

    key: ConversationKey
    seq: int
    index: int


class Addresses:
    """Writes and reads addresses.

    A browser asks for a picture without any word on who asks: whoever has the address has the picture. So it
    cannot be guessed or changed, it ends, and nothing can be read in it: a customer's number would stand in the
    logs of every proxy on the way.

    Within one day the address of a file stays the same, so that a browser that has it need not fetch it again.

    Args:
        secret: the house's own; whoever changes it ends every address.
        clock: what the end is measured by.
    """

    def __init__(self, secret: bytes, clock: Clock) -> None:
        self._clock = clock
        self._sealing = hmac.digest(secret, b"attachments: sealed with", sha256)
        self._hiding = hmac.digest(secret, b"attachments: hidden with", sha256)

    def of(self, place: Place) -> str:
        """The address, as seen from the server's own."""
        key = place.key
        last_day = self._today() + DAYS
        written = orjson.dumps([key.tenant, key.customer, key.conversation, place.seq, place.index, last_day])
        seal = self._seal(written)
        return PATH + _shown(seal + self._hidden(written, seal))

    def read(self, sealed: str) -> Place | None:
        """What an address that was cut off behind ``PATH`` stands for; None: it is not ours, or has ended."""
        try:
            whole = urlsafe_b64decode(sealed + "=" * (-len(sealed) % 4))
        except ValueError:
            return None
        if _shown(whole) != sealed:
            return None  # signs that mean nothing stand in it
        seal, hidden = whole[:_TAG], whole[_TAG:]
        written = self._hidden(hidden, seal)
        if not hmac.compare_digest(self._seal(written), seal):
            return None
        tenant, customer, conversation, seq, index, last_day = orjson.loads(written)
        if last_day < self._today():
            return None
        key = ConversationKey(tenant=tenant, customer=customer, conversation=conversation)
        return Place(key=key, seq=seq, index=index)

    def _today(self) -> int:
        return self._clock.now_ms() // _DAY_MS

    def _seal(self, written: bytes) -> bytes:
        return hmac.digest(self._sealing, written, sha256)[:_TAG]

    def _hidden(self, text: bytes, seal: bytes) -> bytes:
        """The text made unreadable, or readable again. No two texts have one seal, nor so the same mask."""
        return bytes(a ^ b for a, b in zip(text, self._mask(seal), strict=False))

    def _mask(self, seal: bytes) -> Iterator[int]:
        number = 0
        while True:
            yield from hmac.digest(self._hiding, seal + number.to_bytes(4, "big"), sha256)
            number += 1


def _shown(sealed: bytes) -> str:
    return urlsafe_b64encode(sealed).decode().rstrip("=")
