"""As much of a document as a turn can carry."""

from typing import Final, cast

import orjson

from assistant.conversation.documents import Document
from assistant.conversation.values import Json, JsonObject

LONGEST: Final = 12_000
"""Characters at a time: some three thousand tokens, of which a turn can carry a few."""

_LAST_WORD: Final = 200


def excerpt(document: Document, start: int = 0) -> JsonObject:
    """The text from ``start`` on: ``source``, ``ref``, ``text``, ``start``, ``of``, and ``next`` if more follows.

    ``of`` is the length of the whole. A result that fits as a whole is given as the data that it is, as ``value``.

    >>> document = Document(ref="r", tenant="t", customer="", kind="upload", title="a.txt", text="short")
    >>> dict(excerpt(document))
    {'source': 'a.txt', 'ref': 'r', 'text': 'short', 'start': 0, 'of': 5}
    """
    head: dict[str, Json] = {"source": document.title, "ref": document.ref}
    text = document.text
    if (
        document.kind == "result"
        and start == 0
        and len(text) <= LONGEST
        and (data := _data(text)) is not None
    ):
        return {**head, "value": data}
    end = _end(text, start)
    more: dict[str, Json] = {"next": end} if end < len(text) else {}
    return {**head, "text": text[start:end], "start": start, "of": len(text), **more}


def _end(text: str, start: int) -> int:
    """Where to stop: behind a word, if there is one near."""
    end = start + LONGEST
    if end >= len(text):
        return len(text)
    space = max(text.rfind(sign, end - _LAST_WORD, end) for sign in " \n")
    return space + 1 if space > start else end


def _data(text: str) -> Json:
    """What a text says as JSON; None where it is none, or says nothing."""
    try:
        return cast("Json", orjson.loads(text))
    except orjson.JSONDecodeError:
        return None
