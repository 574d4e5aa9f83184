"""What servers of chat completions differ in: how they want messages, and what they want back untouched.

Only listed fields are kept: a server may refuse in a request what it writes in a reply. ``reasoning``, which
some write as well, is for people; no server asks for it.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from assistant.conversation.values import Json
from assistant.formats.call_ids import NINE, SHORT, IdStyle
from assistant.formats.results import PICTURES


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """How one kind of server wants its messages.

    ``ids`` is what calls may be called; ``silence`` stands for words where the assistant only called tools;
    ``pictures`` are the MIME types that models can be shown. ``frames``: the customer has to speak first and last.
    ``answers``: behind results it has to be the assistant who speaks. ``former``: where calls stand and no tool is
    on offer, those that were called have to be named. ``late_last``: instructions may stand behind all that was
    said; who wants them first gets those that stand late there, too. ``insists`` is what calls may not come back
    without, whoever made them.
    """

    ids: IdStyle = SHORT
    silence: Literal[""] | None = None
    pictures: frozenset[str] = PICTURES
    frames: bool = False
    answers: bool = False
    former: bool = False
    late_last: bool = False
    insists: Literal["reasoning", "signature"] | None = None


COMPATIBLE = Dialect()
OPENAI = Dialect(late_last=True)
XAI = Dialect(
    late_last=True,
    silence="",  # xAI refuses a message without content, and takes one in which nothing stands.
    pictures=frozenset({"image/jpeg", "image/png"}),
)
MISTRAL = Dialect(ids=NINE, frames=True, answers=True)
GEMINI = Dialect(insists="signature")
DEEPSEEK = Dialect(insists="reasoning")

_MISTRALS = re.compile(
    r"(?:mi[sx]tral|minis?tral|codestral|devstral|magistral|pixtral|voxtral)", re.IGNORECASE
)
# Whose servers take instructions anywhere. What is served by many is not among them, nor a name of one's own.
_ANYWHERE = re.compile(r"(?:(?:ft:)?gpt-(?!oss)|chatgpt-|o\d(?![a-z\d])|grok-)")
_SIGNED = re.compile(r"gemini-(?:[3-9]|\d\d)")
_REASONED = re.compile(r"(?:deepseek|kimi)-")


@cache
def dialect_of(model: str) -> Dialect:
    """How a model's server wants its messages, by the model's name: some are served everywhere, and everywhere so.

    >>> dialect_of("mistralai/Devstral-Small-2") is MISTRAL, dialect_of("gpt-5") is OPENAI
    (True, True)
    >>> dialect_of("Qwen/Qwen3-32B") is dialect_of("gpt-oss-20b") is COMPATIBLE
    True
    """
    if _MISTRALS.search(model):
        return MISTRAL
    name = model.rpartition("/")[2]
    known = ((_ANYWHERE, OPENAI), (_SIGNED, GEMINI), (_REASONED, DEEPSEEK))
    return next((dialect for names, dialect in known if names.match(name)), COMPATIBLE)


OF_MESSAGES: Sequence[str] = (
    "reasoning_content",  # DeepSeek and Moonshot refuse calls that come back without it
    "reasoning_details",  # OpenRouter and MiniMax: reasoning that is signed or encrypted
    "thinking_blocks",  # litellm: Anthropic's thinking
)
"""Fields of an assistant's message that calls tools."""

OF_CALLS: Sequence[str] = (
    "extra_content",  # Gemini: the signature of the thought behind a call, which it insists on
    "provider_specific_fields",  # litellm: the same
)
"""Fields of one call."""

_GROWING: Mapping[str, str] = {
    "reasoning.text": "text",
    "reasoning.summary": "summary",
    "thinking": "thinking",
}
"""Kinds of parts that come in pieces, and the field of theirs that grows; others come whole."""


def only(names: Sequence[str], value: Mapping[str, Json]) -> dict[str, Json]:
    """The fields of these names that are there, in the order of the names.

    >>> only(OF_CALLS, {"id": "call_1", "extra_content": {"google": {}}})
    {'extra_content': {'google': {}}}
    """
    return {name: value[name] for name in names if value.get(name)}


def joined(before: Json, now: Json) -> Json:
    """A field's value, of what came before, None at first, and what comes now: what is alike grows.

    >>> joined("So ", "be it."), joined({"a": 1}, {"b": 2}), joined(None, [])
    ('So be it.', {'a': 1, 'b': 2}, [])
    """
    match before, now:
        case str(), str():
            return before + now
        case dict(), dict():
            return {**before, **now}
        case list(), list():
            return _parts(before, now)
        case _:
            return now


def _parts(before: Sequence[Json], now: Sequence[Json]) -> list[Json]:
    """Parts follow each other; a piece of the part that came last joins it, until that is signed."""
    parts = list(before)
    for piece in now:
        last = parts[-1] if parts else None
        if isinstance(last, Mapping) and isinstance(piece, Mapping) and _goes_on(last, piece):
            parts[-1] = _grown(last, piece)
        else:
            parts.append(piece)
    return parts


def _goes_on(last: Mapping[str, Json], piece: Mapping[str, Json]) -> bool:
    same = all(last.get(name) == piece.get(name) for name in ("type", "index"))
    return same and piece.get("type") in _GROWING and not last.get("signature")


def _grown(last: Mapping[str, Json], piece: Mapping[str, Json]) -> Json:
    grows = _GROWING[str(piece["type"])]
    told = {name: value for name, value in piece.items() if value is not None}
    return {**last, **told, grows: joined(last.get(grows), piece.get(grows) or "")}
