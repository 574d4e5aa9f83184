"""What servers of chat completions differ in."""

import re
from dataclasses import dataclass
from functools import cache
from typing import Literal

from assistant.formats.call_ids import NINE, SHORT, IdStyle
from assistant.formats.media import PICTURES


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
