"""A cassette: one conversation, everything that came from outside, and what is expected of it.

An event happens while an answer is in progress: a stop, a lost connection, a restart of the server, an
agent's action.
"""

import re
from datetime import datetime
from itertools import pairwise
from typing import Annotated, Any, Literal, TypeAlias, get_args

from pydantic import BeforeValidator, ConfigDict, Field, field_validator, model_validator

from assistant.conversation.customer import Claim, Level
from assistant.replay.cassette_base import CassettePart, Ms, Object, RawMapping, Text, as_mapping, as_pair
from assistant.replay.expectations import Expectations
from assistant.replay.replies import Declared, Reply, Run

ByAPerson: TypeAlias = Literal["agent_accepts", "agent_says", "agent_ends", "agent_declines"]

_TRUE = ("stop", "restart", "typing", "wants_assistant", "agent_ends")
_WORDS = ("agent_accepts", "agent_says", "agent_declines", "heard_up_to")
_SHORT = (*_TRUE, *_WORDS, "disconnect_ms")
_FOR_EXAMPLE = {
    "agent_accepts": "agent_accepts: Maja",
    "agent_says": "agent_says: Hello",
    "agent_declines": "agent_declines: all are busy",
    "heard_up_to": 'heard_up_to: "On Tuesday"',
}


class Event(CassettePart):
    """Something that happens once, during a turn or after it.

    Short: ``{stop: true, at_ms: 900}``, ``{disconnect_ms: 2000, after: "You're"}``, ``{restart: true, at_ms: 4}``,
    ``{agent_accepts: Maja, at_ms: 5000}``, ``{agent_says: "Hello, this is Maja.", at_ms: 6000}``,
    ``{heard_up_to: "On Tuesday", at_ms: 900}``.

    Args:
        happens: ``stop``: the customer presses stop. ``disconnect``: the connection is lost, and after ``for_ms``
            the client connects again with what it had. ``restart``: the server stops and starts again.
            ``typing``: the customer starts to type. ``agent_accepts``: a human agent takes the conversation
            over, ``agent_says`` something, ``agent_ends`` it; ``agent_declines``: no one is available.
            ``wants_assistant``: the customer ends the handoff. ``heard_up_to``: the assistant speaks, and the
            customer has heard it up to these words; ``""`` is nothing yet.
        at_ms: milliseconds after the customer's message.
        after: instead of ``at_ms``: as soon as the customer has been shown these words in this turn. Upper and
            lower case count.
        for_ms: how long the client is disconnected.
        words: the agent's name, what the agent says, or why no one is available; or the last words that were heard.
        message: with heard_up_to: which of the turn's messages has the words, from 1; left out: the newest.
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
        found = as_mapping(given)
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
        """Whether an agent does it."""
        return self.happens in get_args(ByAPerson)


def _unfolded(found: RawMapping, key: str) -> RawMapping:
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


FORMAT = 2
"""The number of the format. It changes when a key changes. A file with another number is refused."""


def _moment(given: object) -> object:
    if isinstance(given, datetime) or (isinstance(given, str) and re.match(r"\d{4}-\d\d-\d\d", given)):
        return given
    raise ValueError("a date and a time should stand here, such as 2026-11-23 09:00:00+01:00")


Moment: TypeAlias = Annotated[datetime, BeforeValidator(_moment)]
"""A date and a time."""


class Who(CassettePart):
    """The customer, as far as the assistant knows them.

    Args:
        tenant: whose customer it is.
        id: the customer's number; a visitor's where the level is anonymous.
        level: how sure it is who they are.
        name: what they are called, if that is known.
        locale: the language of the page that they write on.
        credential: whether their site has given along what tools need that act in a signed-in customer's own name.
        claims: what the site says of a signed-in customer. They are not in the log, so a recording leaves them out.
    """

    tenant: Text = "demo"
    id: Text = "demo"
    level: Level = "verified"
    name: str | None = None
    locale: Text = "en"
    credential: bool = True
    claims: dict[str, Claim] = Field(default_factory=dict[str, Claim])


class Turn(CassettePart):
    """A message of the customer, and everything around it.

    The message comes ``after_ms`` after the end of the turn before. With ``at_ms`` it comes this long after
    the message before, whether or not that one has been answered; ``barge_in_ms`` does the same and stops the
    answer. ``button``: the message is a button of a read-back. ``heard_up_to``: the assistant's answer is
    spoken, and was heard up to these words when the message comes. ``replies`` and ``results`` of all turns
    are used in order, in whichever turn they are written: a late result is written with the turn that
    requested it.

    Args:
        customer: what the customer writes.
        button: the message is a button of a read-back.
        spoken: it is said aloud; or, with a button, keyed in on a phone.
        heard_up_to: the last words of the assistant's that were heard by then, in just this case of letters; ``""``
            where the newest message was only about to be spoken.
        locale: the page's language from here on.
        after_ms: how long after the turn before is complete.
        at_ms: milliseconds after the message before, whether or not that one has been answered.
        barge_in_ms: as at_ms, and what is being said stops.
        policies: the names of the company's policies that the message is about; those about a tool that is called
            need no line.
        replies: what the models answer, in the order in which they are asked.
        results: what the tools did, in the order in which they began.
        meanwhile: what else happens while the answer is on its way.
        expect: what is expected of this turn.
    """

    customer: Text
    button: Literal["yes", "no"] | None = None
    spoken: bool = False
    heard_up_to: str | None = None
    locale: str | None = None
    after_ms: Ms = 0
    at_ms: Ms | None = None
    barge_in_ms: Ms | None = None
    policies: tuple[str, ...] = ()
    replies: tuple[Reply, ...] = ()
    results: tuple[Run, ...] = ()
    meanwhile: tuple[Event, ...] = ()
    expect: Expectations = Field(default_factory=Expectations)

    @model_validator(mode="after")
    def _comes_once(self) -> "Turn":
        moments = {"after_ms": self.after_ms or None, "at_ms": self.at_ms, "barge_in_ms": self.barge_in_ms}
        given = [name for name, value in moments.items() if value is not None]
        if len(given) > 1:
            raise ValueError(f"a message comes once; keep one of {' and '.join(given)}")
        return self


class HeardFrame(CassettePart):
    """A frame that was sent to the client, ``at_ms`` after the beginning of the conversation. Short: ``[300,
    {...}]``.

    Args:
        at_ms: how long after the conversation began.
        frame: the frame, as it was sent.
    """

    at_ms: Ms
    frame: Object

    @model_validator(mode="before")
    @classmethod
    def _long(cls, given: object) -> object:
        if (found := as_pair(given)) is not None:
            return {"at_ms": found[0], "frame": found[1]}
        if isinstance(given, list | tuple):
            told = 'a frame is [300, {"type": "..."}]'
            raise ValueError(told)  # noqa: TRY004 - pydantic collects ValueErrors
        return given


class Limits(CassettePart):
    """The limits of a turn that differ from the defaults.

    Args:
        rounds: how often the models may ask for calls.
        tools_s: how long all calls of a round may take together, in seconds.
        silence_s: how long a model may say nothing before something is said for it, in seconds.
        calls_s: the same for calls that run.
    """

    rounds: int = Field(default=4, ge=1)
    tools_s: float = Field(default=30.0, gt=0)
    silence_s: float = Field(default=2.5, gt=0)
    calls_s: float = Field(default=4.0, gt=0)


class People(CassettePart):
    """The agents to whom a customer can be handed over.

    Args:
        available: false: a customer who asks for an agent hears at once that no one is available.
        wait_s: how long an agent may take to accept, in seconds.
    """

    available: bool = True
    wait_s: float = Field(default=120.0, gt=0, le=3000)


def _written_out(schema: dict[str, Any]) -> None:
    """A file says its format; only Python may leave it out."""
    schema["required"].append("format")


class Cassette(CassettePart):
    """One conversation.

    Args:
        format: the number of the format; a file with another number, or with none, is refused.
        about: what it shows, in a sentence.
        now: when it begins, in the company's time zone.
        customer: the customer.
        bundle: the prompts and tools it was recorded on.
        tags: your own labels for what it is an example of, such as "lost connection"; they have no effect.
        limits: the limits of a turn.
        new_message: a message that comes during an answer waits for its end, or interrupts it.
        agents: the human agents that a customer can be handed over to; left out: there are none.
        confirm_every_write: true: the customer is asked before every change; false: only before those of tools that
            ask by themselves.
        tools: tools that exist only in this cassette.
        turns: what happens.
        expect: what is expected of the conversation as a whole.
        frames: what the client received when it was recorded; empty: not compared.
    """

    model_config = ConfigDict(json_schema_extra=_written_out)

    format: Literal[2] = FORMAT
    about: Text
    now: Moment
    customer: Who = Field(default_factory=Who)
    bundle: str | None = None
    tags: tuple[str, ...] = ()
    limits: Limits = Field(default_factory=Limits)
    new_message: Literal["queue", "interrupt"] = "queue"
    agents: People | None = None
    confirm_every_write: bool = False
    tools: tuple[Declared, ...] = ()
    turns: tuple[Turn, ...] = Field(min_length=1)
    expect: Expectations = Field(default_factory=Expectations)
    frames: tuple[HeardFrame, ...] = ()

    @field_validator("turns")
    @classmethod
    def _begins(cls, turns: tuple[Turn, ...]) -> tuple[Turn, ...]:
        if turns and (turns[0].at_ms is not None or turns[0].barge_in_ms is not None):
            raise ValueError("the first message has none before it; write after_ms, or nothing")
        return turns

    @model_validator(mode="after")
    def _has_people(self) -> "Cassette":
        events = [event for turn in self.turns for event in turn.meanwhile]
        if self.agents is None and (one := next((each for each in events if each.by_a_person), None)):
            raise ValueError(f"{one.happens} is what a person does, and there are none; write agents: {{}}")
        return self

    @field_validator("frames")
    @classmethod
    def _in_order(cls, frames: tuple[HeardFrame, ...]) -> tuple[HeardFrame, ...]:
        for before, after in pairwise(frames):
            if after.at_ms < before.at_ms:
                raise ValueError(f"frames come in their order, and {after.at_ms} is before {before.at_ms}")
        return frames
