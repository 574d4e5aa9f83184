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

UNSPOKEN: Json = {"role": "assistant", "content": "…"}
"""Stands between results and the customer's next words, where the assistant had to speak and did not."""

_UNSPOKEN = json_bytes(UNSPOKEN)


def join(view: View, turns: Iterable[bytes], dialect: Dialect) -> bytes:
    """All messages, joined by commas.

    What stands late in the view is the user's last message: servers want instructions of their own to stand
    first, if they take them at all behind something. One that takes no user's message behind results has
    them there.
    """
    late_is_first = dialect.answers_first
    head = view.instructions if late_is_first else view.system
    late = "" if late_is_first else view.late
    said = filter(None, turns)
    spoken = _bridged(said) if dialect.answers_first else said
    return b",".join([*_one("system", head), *spoken, *_one("user", late)])


def _one(role: str, text: str) -> Iterator[bytes]:
    if not is_blank(text):
        yield json_bytes({"role": role, "content": text})


def _bridged(turns: Iterable[bytes]) -> Iterator[bytes]:
    results_last = False
    for turn in turns:
        if results_last and turn.startswith(_USERS):
            yield _UNSPOKEN
        yield turn
        results_last = turn.startswith(_TOOLS, turn.rindex(_MESSAGE))
