"""What kind of thing the assistant has just asked for: such things are dictated slowly, with pauses."""

from typing import Literal, TypeAlias

from assistant.prompts.listening_words import ListeningWords

Expecting: TypeAlias = Literal["anything", "digits", "name", "email"]
"""What may be dictated now. Numbers of every kind, dates of birth and postcodes are digits."""


def expected_after(question: str, words: ListeningWords) -> Expecting:
    """What the assistant's own message asks for; "anything" where it asks for nothing that is dictated."""
    return "anything"
