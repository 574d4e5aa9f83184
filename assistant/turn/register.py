"""Which way of beginning fits what the customer said."""

import re

from assistant.prompts.acknowledgement import Register
from assistant.prompts.words import RegisterWords, plain_words


def register_of(message: str, *, round_: int, has_write: bool, words: RegisterWords) -> Register:
    """Read the register from the message, by rules.

    ``round_`` counts from 1. ``has_write`` says that a side effect is being announced. A message that asks
    for one counts too: its call may come later in the stream than the first thing that is announced.
    """
    if round_ > 1:
        return "later"
    if message in words.complaint:
        return "complaint"
    if has_write or message in words.action:
        return "effect"
    return "question" if _asks(message, words) else "request"


def _asks(message: str, words: RegisterWords) -> bool:
    """Whether a sentence of the message is a question: by its first words, or else by its mark."""
    return any(
        sentence.endswith("?") or words.question.begins(without_greeting(sentence, words))
        for sentence in re.split(r"(?<=[.!?;])\s+", message.strip())
    )


def without_greeting(sentence: str, words: RegisterWords) -> str:
    """What is left of a sentence once its greetings are off: "hi, can you ..." begins with "can you"."""
    rest = plain_words(sentence)
    while words.polite.begins(rest):
        said = words.polite.found_in(rest)[0]
        rest = rest.removeprefix(said).lstrip(" ,.:-")
    return rest
