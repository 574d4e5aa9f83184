"""What a tool chain is: it writes calls and results as text, reads calls from text, and runs them."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Protocol, TypeAlias

import structlog

from assistant.conversation.calls import Call, call_id
from assistant.conversation.outcomes import CallEmpty, CallFailed, CallStatus, CallSucceeded, Media, Outcome
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import Json, JsonObject
from assistant.errors import NO_REASON, AssistantError
from assistant.formats.sections import TextFormat
from assistant.formats.turns import CallIds

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Named:
    """A call begins, and its tool is known.

    ``number`` counts the calls of the text, from 0. ``id`` is what the text calls it, as far as that is known.
    """

    number: int
    tool: str
    id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A call that is complete. ``id`` is what the text calls it, "" where it does not."""

    number: int
    tool: str
    arguments: JsonObject = field(default_factory=dict[str, Json])
    id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable:
    """Something that was meant as a call, and cannot be read as one.

    ``tool`` is "" where not even that is known; ``problem`` says what is wrong with it, ``where`` near which
    line and column of the call, both from 1; ``text`` is the call, as it was written.
    """

    number: int
    tool: str
    problem: str
    where: tuple[int, int]
    text: str

    @property
    def for_model(self) -> str:
        """What a model needs in order to write it better."""
        line, column = self.where
        shown = self.text if len(self.text) <= _SHOWN else f"{self.text[:_SHOWN]}..."
        return f"{self.problem} (line {line}, column {column}): {shown}"


Read: TypeAlias = Named | Asked | Unreadable


class CallReader(Protocol):
    """Reads the calls of one text while it comes.

    ``over``: something stands there that belongs to no call; nothing after it is read.
    """

    over: bool

    def push(self, text: str) -> list[Read]:
        """Some more of the text; gives what is known now."""
        ...

    def end(self, *, cut: bool = False) -> list[Read]:
        """The text is complete, or ``cut`` off in the middle; gives what is known only now."""
        ...


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


Run: TypeAlias = Callable[[Call], Awaitable[Outcome]]
"""Makes one call. Whatever it raises becomes a failed call."""


class ToolChain(Protocol):
    """Calls as JSON, as YAML, or in a form of your own, beside one text format."""

    @property
    def text_format(self) -> TextFormat:
        """What results are written in."""
        ...

    def reader(self, tools: Sequence[ToolSpec], *, strict: bool = False) -> CallReader:
        """Reads the calls of one text, for these tools; ``strict``: words before the first call end it as well."""
        ...

    def parse(self, text: str, tools: Sequence[ToolSpec]) -> tuple[Asked | Unreadable, ...]:
        """The calls that stand in a text, in their order, and what was meant as calls and cannot be read.

        Never raises, whatever the text is.
        """
        ...

    def write(self, calls: Sequence[Call], ids: CallIds | None = None) -> str:
        """Calls as a model is to write them; with their ids, which tell them from calls to be made."""
        ...

    def results(self, outcomes: Sequence[CallStatus], code: str = "", seen: Collection[str] = ()) -> str:
        """How calls stand, as sections of the text format within one observation; "" for none.

        ``code`` stands in the name of the observation: see :func:`assistant.formats.sections.nonce`. ``seen`` are
        the types of media that the model is shown beside them.
        """
        ...

    async def run(self, text: str, tools: Sequence[ToolSpec], run: Run, *, code: str = "") -> Chained:
        """Make the calls that stand in a text, all at once; what came of them, in the order of the calls.

        Never raises for a call that fails; cancelling cancels them all.
        """
        ...


def media_in(outcomes: tuple[Outcome, ...]) -> tuple[Media, ...]:
    """Everything that came besides values, in the order of the calls."""
    return tuple(one for each in outcomes if isinstance(each, CallSucceeded) for one in each.media)


_SHOWN = 400

UNKNOWN: Final = "call"
"""Stands in for the name of a tool that cannot be read."""


_NOT_READ = "I could not work out the details"
_BROKE = NO_REASON


async def run_all(asked: Sequence[Asked | Unreadable], run: Run) -> tuple[Outcome, ...]:
    """What came of each, in their order; what could not be read has failed."""
    return tuple(await asyncio.gather(*(_outcome(one, run) for one in asked)))


def call_of(asked: Asked | Unreadable) -> Call:
    """The call that is meant, named by its place; one without arguments where they cannot be read."""
    call = Call(id=call_id(1, asked.number + 1), tool=asked.tool or UNKNOWN)
    return replace(call, arguments=asked.arguments) if isinstance(asked, Asked) else call


async def _outcome(asked: Asked | Unreadable, run: Run) -> Outcome:
    call = call_of(asked)
    if isinstance(asked, Unreadable):
        return CallFailed(call=call, say=_NOT_READ, for_model=asked.for_model)
    try:
        return await run(call)
    except AssistantError as error:
        return CallFailed(call=call, say=error.say, for_model=error.for_model)
    except Exception as error:
        log.exception("tool raised", call=call.id, tool=call.tool)
        return CallFailed(call=call, say=_BROKE, for_model=f"{type(error).__name__} in the tool")
