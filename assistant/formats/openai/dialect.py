"""What servers of chat completions differ in."""

from dataclasses import dataclass
from typing import Literal

from assistant.formats.media import PICTURES


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """How one kind of server wants its messages.

    ``silence`` is what stands for words where the assistant only called tools; ``pictures`` are the MIME types
    that models can be shown. ``answers_first``: after results the assistant has to speak before the customer.
    """

    silence: Literal[""] | None = None
    pictures: frozenset[str] = PICTURES
    answers_first: bool = False


OPENAI = Dialect()
XAI = Dialect(
    silence="",  # xAI refuses a message without content, and takes one in which nothing stands.
    pictures=frozenset({"image/jpeg", "image/png"}),
)
MISTRAL = Dialect(answers_first=True)
