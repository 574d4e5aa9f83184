"""A mark that nobody outside can know, to stand around what must not be able to end itself."""

import hashlib
import hmac
from typing import Final

FENCE_LENGTH: Final = 12
"""Hex digits: far too many to be guessed in a conversation, few enough to cost a model next to nothing."""


def fence(secret: bytes, conversation: str, call: str) -> str:
    """The mark around one call's result: ``FENCE_LENGTH`` hex digits, the same whenever it is asked for.

    So a request that is made again is the same to the letter, for caches and recordings. Whoever wrote the
    result may have seen the marks of other calls and other conversations; they tell nothing about this one.

    Args:
        secret: the house's own, never empty.
        conversation: the conversation's id.
        call: what names the call in its conversation. Calls are numbered anew in every turn: give the turn too.

    Raises:
        ValueError: there is no secret, so anybody could make the mark.

    >>> fence(b"a secret", "v1", "t1/c1.1") == fence(b"a secret", "v1", "t1/c1.1")
    True
    >>> fence(b"a secret", "v1", "t1/c1.1") == fence(b"a secret", "v1", "t2/c1.1")
    False
    """
    if not secret:
        raise ValueError("a fence needs a secret: with none, whoever writes a result could make its mark")
    # The length keeps "a" + "bc" from being "ab" + "c".
    named = f"fence {len(conversation)} {conversation} {call}".encode(errors="surrogatepass")
    return hmac.new(secret, named, hashlib.sha256).hexdigest()[:FENCE_LENGTH]
