"""The messages of a chat completion's request, joined: the instructions, the turns, and what stands last."""

from collections.abc import Iterable, Iterator

from assistant.conversation.values import Json
from assistant.conversation.views import View
from assistant.formats.blank import is_blank
from assistant.formats.json_text import json_bytes
from assistant.formats.openai.dialect import Dialect

_MESSAGE = b'{"role":"'  # stands in no text: there its quotes are escaped
_USERS = _MESSAGE + b"user"
_TOOLS = _MESSAGE + b"tool"

_ASSISTANTS = _MESSAGE + b"assistant"

UNSPOKEN: Json = {"role": "assistant", "content": "…"}
"""Stands between results and the customer's next words, where the assistant had to speak and did not."""

_UNSPOKEN = json_bytes(UNSPOKEN)
_UNASKED = json_bytes({"role": "user", "content": "…"})


def join(view: View, turns: Iterable[bytes], dialect: Dialect) -> bytes:
    """All messages, joined by commas.

    What stands late in the view is a message of the system's, too: as one of the user's it would have no more
    weight than what a customer pretends, and be answered. Servers that want all instructions to stand first have
    it there.
    """
    system, late = (view.system, view.late) if dialect.late_last else (view.instructions, "")
    said = filter(None, turns)
    if dialect.answers:
        said = _answered(said)
    if dialect.frames:
        said = _framed(list(said))
    return b",".join([*_one("system", system), *said, *_one("system", late)])


def _one(role: str, text: str) -> Iterator[bytes]:
    if not is_blank(text):
        yield json_bytes({"role": role, "content": text})


def _answered(turns: Iterable[bytes]) -> Iterator[bytes]:
    """With something in the assistant's place wherever the customer speaks behind results."""
    last = b""
    for turn in turns:
        if last.startswith(_TOOLS) and turn.startswith(_USERS):
            yield _UNSPOKEN
        yield turn
        last = _last(turn)


def _framed(turns: list[bytes]) -> list[bytes]:
    """With something in the customer's place where nobody but the assistant speaks first or last."""
    if not turns:
        return turns
    first = [_UNASKED] if turns[0].startswith(_ASSISTANTS) else []
    return [*first, *turns, *([_UNASKED] if _last(turns[-1]).startswith(_ASSISTANTS) else [])]


def _last(turn: bytes) -> bytes:
    return turn[turn.rindex(_MESSAGE) :]
