"""In what servers that speak chat completions differ."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """One server's manners.

    ``said_by_assistant`` are fields of an assistant's message that OpenAI does not have, ``said_of_calls`` such
    of a call. ``pictures`` are the formats that it can see.
    """

    said_by_assistant: frozenset[str] = frozenset()
    said_of_calls: frozenset[str] = frozenset()
    pictures: tuple[str, ...] = ("png", "jpeg", "gif", "webp")


OPENAI = Dialect()
XAI = Dialect(said_by_assistant=frozenset({"reasoning_content"}), pictures=("png", "jpeg"))
DEEPSEEK = Dialect(said_by_assistant=frozenset({"reasoning_content"}))
GEMINI = Dialect(said_of_calls=frozenset({"extra_content"}))
