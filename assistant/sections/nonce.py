"""Codes in the names of sections, which nobody can guess who writes what stands inside."""

import hashlib
import hmac

_LENGTH = 8


def nonce(secret: bytes, *parts: str) -> str:
    """The code for these parts, such as a conversation's id and those of its calls: 8 hex digits, always the same.

    >>> nonce(b"secret", "c1", "t1_c1_1") == nonce(b"secret", "c1", "t1_c1_1") != nonce(b"secret", "c1t1_c1_1")
    True
    """
    # The lengths keep apart what the same letters, cut elsewhere, would run together.
    told = "".join(f"{len(part)} {part} " for part in parts)
    return hmac.new(secret, told.encode(errors="replace"), hashlib.sha256).hexdigest()[:_LENGTH]


def coded(name: str, code: str) -> str:
    """A section's name with its code; the plain name where there is none.

    >>> coded("observation", "3f9a1c2b"), coded("observation", "")
    ('observation-3f9a1c2b', 'observation')
    """
    return f"{name}-{code}" if code else name
