"""What happens while an answer is on its way: a stop, a line that is cut, a server that starts again, a person."""

from typing import Literal, TypeAlias, get_args

from pydantic import Field, model_validator

from assistant.replay.cassette.short_forms import Given, mapping
from assistant.replay.cassette.written import Ms, Text, Written

ByAPerson: TypeAlias = Literal["accepts", "person_says", "person_ends", "declines"]

_TRUE = ("stop", "restart", "typing", "wants_assistant", "person_ends")
_WORDS = ("accepts", "person_says", "declines", "heard_up_to")
_SHORT = (*_TRUE, *_WORDS, "disconnect_ms")
_FOR_EXAMPLE = {
    "accepts": "accepts: Maja",
    "person_says": "person_says: Hello",
    "declines": "declines: all are busy",
    "heard_up_to": 'heard_up_to: "On Tuesday"',
}


class Event(Written):
    """Something that happens once, at a moment of its turn or after it.

    Short: ``{stop: true, at_ms: 900}``, ``{disconnect_ms: 2000, after: "You're"}``, ``{restart: true, at_ms: 4}``,
    ``{accepts: Maja, at_ms: 5000}``, ``{person_says: "Hello, this is Maja.", at_ms: 6000}``,
    ``{heard_up_to: "On Tuesday", at_ms: 900}``.

    Args:
        happens: ``stop``: the customer presses stop. ``disconnect``: the line is cut, and after ``for_ms`` the
            client is back with what it had. ``restart``: the server ends in the middle and starts again.
            ``typing``: the customer begins to type. ``accepts``: a person of the company takes the conversation
            over, ``person_says`` something, ``person_ends`` it; ``declines``: nobody can come.
            ``wants_assistant``: the customer sends the person away. ``heard_up_to``: what the assistant says is
            spoken, and was heard up to these words; ``""`` is nothing yet.
        at_ms: so long after the customer's message.
        after: instead of ``at_ms``: as soon as the customer has been shown these words in this turn, in just
            this case of letters.
        for_ms: how long the client is away.
        words: of a person: their name, what they say, or why nobody can come; or the last words that were heard.
        message: of words that were heard: which of the turn's messages has them, from 1; left out: the newest.
    """

    happens: Literal["stop", "disconnect", "restart", "typing", "wants_assistant", "heard_up_to"] | ByAPerson
    at_ms: Ms | None = None
    after: Text | None = None
    for_ms: Ms = 0
    words: str | None = None
    message: int | None = Field(default=None, ge=1)

    @model_validator(mode="before")
    @classmethod
    def _long(cls, given: object) -> object:
        found = mapping(given)
        named = [key for key in _SHORT if found is not None and key in found]
        if found is None or not named:
            return given
        if len(named) > 1 or "happens" in found:
            raise ValueError("one thing happens at a time; write two entries")
        return _unfolded(found, named[0])

    @model_validator(mode="after")
    def _one_moment(self) -> "Event":
        if (self.at_ms is None) == (self.after is None):
            raise ValueError("write at_ms, or after with the words that were just shown; one of the two")
        if self.for_ms and self.happens != "disconnect":
            raise ValueError(f"for_ms is how long a line is cut; a {self.happens} has no length")
        if (self.words is not None) != (self.happens in _WORDS) or (self.words == "" and self.by_a_person):
            raise ValueError(_missing_words(self.happens))
        if self.message is not None and self.happens != "heard_up_to":
            raise ValueError(f"message is which one was heard; a {self.happens} has none")
        return self

    @property
    def by_a_person(self) -> bool:
        """Whether it is something that a person of the company does."""
        return self.happens in get_args(ByAPerson)


def _unfolded(found: Given, key: str) -> Given:
    rest = {name: value for name, value in found.items() if name != key}
    if key == "disconnect_ms":
        return {"happens": "disconnect", "for_ms": found[key], **rest}
    if key in _WORDS:
        if not isinstance(found[key], str):
            raise ValueError(f"write {_FOR_EXAMPLE[key]}")
        return {"happens": key, "words": found[key], **rest}
    if found[key] is not True:
        raise ValueError(f"write {key}: true, or leave the entry out")
    return {"happens": key, **rest}


def _missing_words(happens: str) -> str:
    if happens in _WORDS:
        return f"{happens} needs words; write {_FOR_EXAMPLE[happens]}"
    return f"words are a person's; a {happens} has none"
