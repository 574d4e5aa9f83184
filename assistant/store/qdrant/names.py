"""What collections and points are called. Everybody comes to the same names from the same things."""

import hashlib
import re

DOCUMENTS = "meanwhile_documents"
"""The collection of whole documents, one point each, without vectors."""

PASSAGES = "meanwhile_passages_"
"""How the collections of passages begin, one for each embedder."""


def passages_of(embedder: str, width: int) -> str:
    """The collection of one embedder's vectors: those of two are never compared.

    >>> passages_of("offline", 384)
    'meanwhile_passages_offline_384_f47f3df4'
    """
    readable = re.sub(r"[^a-z0-9]+", "-", embedder.lower()).strip("-")[:60]
    return f"{PASSAGES}{readable}_{width}_{fingerprint(embedder)[:8]}"


def point_of(*parts: str | int) -> str:
    """The id of the point for these parts, in the form of a UUID, as Qdrant wants it.

    >>> point_of("acme", "document:1")
    '23d393a4-178b-f2fe-5efa-7d1d894df339'
    """
    digits = fingerprint(*parts)
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:32]))


def fingerprint(*parts: str | int | bytes | None) -> str:
    """32 hexadecimal digits; the same for the same parts only."""
    told = hashlib.sha256()
    for part in parts:
        written = part if isinstance(part, bytes) else str(part).encode()
        told.update(b"%d:" % len(written))  # or ("a", "bc") would be ("ab", "c")
        told.update(written)
    return told.hexdigest()[:32]
