"""What came of a text in which calls stood: for the model, for the customer, and for the program."""

from dataclasses import dataclass
from typing import TypeAlias

from assistant.conversation.calls import Call
from assistant.conversation.outcomes import CallEmpty, CallSucceeded, Media, Outcome


@dataclass(frozen=True, slots=True)
class TextPart:
    """A part of a message that is text."""

    text: str


ContentPart: TypeAlias = TextPart | Media


@dataclass(frozen=True, slots=True, kw_only=True)
class Raw:
    """The outcomes as data, in the order of the calls: ``results`` are those that worked, ``errors`` the others."""

    outcomes: tuple[Outcome, ...] = ()

    @property
    def calls(self) -> tuple[Call, ...]:
        """What was called, also what failed."""
        return tuple(one.call for one in self.outcomes)

    @property
    def results(self) -> tuple[Outcome, ...]:
        """The outcomes of calls that worked, empty ones among them."""
        return tuple(one for one in self.outcomes if isinstance(one, CallSucceeded | CallEmpty))

    @property
    def errors(self) -> tuple[Outcome, ...]:
        """The outcomes of calls that did not."""
        return tuple(one for one in self.outcomes if not isinstance(one, CallSucceeded | CallEmpty))


@dataclass(frozen=True, slots=True, kw_only=True)
class Chained:
    """``text`` is complete, its wrapper included; "" where nothing was called. ``media`` came with the results."""

    text: str = ""
    media: tuple[Media, ...] = ()
    raw: Raw = Raw()

    def as_content_parts(self) -> tuple[ContentPart, ...]:
        """The parts of a message to a model: the text, if there is any, then the media."""
        return (*((TextPart(self.text),) if self.text else ()), *self.media)


def media_in(outcomes: tuple[Outcome, ...]) -> tuple[Media, ...]:
    """Everything that came besides values, in the order of the calls."""
    return tuple(one for each in outcomes if isinstance(each, CallSucceeded) for one in each.media)
