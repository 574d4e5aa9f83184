"""Pieces of a conversation, joined into one that Anthropic takes."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from assistant.formats.anthropic.messages import CLOSING, OPENING, Piece, Role
from assistant.formats.anthropic.tools import TO_HERE
from assistant.formats.json_text import json_bytes

# Stands where the customer has to speak and did not: before an assistant that spoke first, and behind one
# that spoke last, which newer models would refuse to go on from.
_UNSPOKEN = OPENING["user"] + '{"type":"text","text":"…"}'.encode() + CLOSING


# In the last block of a message, right before what closes it.
_TO_HERE = b',"cache_control":' + json_bytes(TO_HERE) + b"}"


def kept(pieces: Sequence[Piece]) -> list[Piece]:
    """The same, marked at the end: the provider keeps it, and the next request, which begins so, costs less."""
    marked = list(pieces)
    for place in range(len(marked) - 1, -1, -1):
        if text := marked[place].text:
            marked[place] = replace(marked[place], text=text[: -len(CLOSING) - 1] + _TO_HERE + CLOSING)
            break
    return marked


def join(pieces: Iterable[Piece]) -> Piece:
    """All messages as one piece: the user's is the first and the last, and the roles take turns."""
    joined: list[bytes] = []
    tools: frozenset[str] = frozenset()
    last: Role | None = None
    for piece in pieces:
        if not piece.text:
            continue
        if last is None and piece.first == "assistant":
            joined.append(_UNSPOKEN)
        if last == piece.first:
            joined[-1] = joined[-1][: -len(CLOSING)] + b"," + piece.text[len(OPENING[piece.first]) :]
        else:
            joined.append(piece.text)
        last = piece.last
        if piece.tools:
            tools |= piece.tools
    if last != "user":
        joined.append(_UNSPOKEN)
    return Piece(b",".join(joined), "user", "user", tools)
