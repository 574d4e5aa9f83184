"""A piece of what is said, as sound, and which words of a message it says."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Clip:
    """One clause or sentence on its way to the customer's ear.

    ``number`` counts from 1 on each line. It says the characters from ``start`` up to ``end`` of the message
    ``message_id``, in the words ``text``. A sound that is no speech has no message and no words.
    """

    number: int
    message_id: str | None
    start: int
    end: int
    text: str
