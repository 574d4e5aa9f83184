"""A cassette: one conversation, everything that came from outside, and the expectations.

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
            the client connects again with its state. ``restart``: the server stops and starts again.
            ``typing``: the customer starts to type. ``agent_accepts``: a human agent takes the conversation
            over, ``agent_says`` something, ``agent_ends`` it; ``agent_declines``: no one is available.
            ``wants_assistant``: the customer ends the handoff. ``heard_up_to``: the assistant speaks, and the
            customer has heard it up to these words; ``""`` means nothing yet.
        at_ms: milliseconds after the customer's message.
        after: use it instead of ``at_ms``: the event happens as soon as the customer has been shown these
            words in this turn. Upper and lower case must match.
        for_ms: how long the client is disconnected.
        words: the agent's name, the agent's message, or the reason why no one is available; with
            ``heard_up_to``, the last words that the customer heard.
        message: with ``heard_up_to``: the number of the turn's message that has the words, from 1. Default:
            the newest.
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
            raise ValueError("an entry has one event; write two entries")
        return _unfolded(found, named[0])

    @model_validator(mode="after")
    def _one_moment(self) -> "Event":
        if (self.at_ms is None) == (self.after is None):
            raise ValueError("write either at_ms, or after with words that are shown in this turn")
        if self.for_ms and self.happens != "disconnect":
            raise ValueError(f"for_ms is the length of a disconnect; leave it out of a {self.happens}")
        if (self.words is not None) != (self.happens in _WORDS) or (self.words == "" and self.by_a_person):
            raise ValueError(_missing_words(self.happens))
        if self.message is not None and self.happens != "heard_up_to":
            raise ValueError(f"message belongs to heard_up_to; leave it out of a {self.happens}")
        return self

    @property
    def by_a_person(self) -> bool:
        """Whether an agent causes the event."""
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
    return f"words belong to an agent's events and to heard_up_to; leave them out of a {happens}"


FORMAT = 2
"""The number of the format. It changes if a key changes. A file with another number is refused."""


def _moment(given: object) -> object:
    if isinstance(given, datetime) or (isinstance(given, str) and re.match(r"\d{4}-\d\d-\d\d", given)):
        return given
    raise ValueError("expected a date and a time, such as 2026-11-23 09:00:00+01:00")


Moment: TypeAlias = Annotated[datetime, BeforeValidator(_moment)]
"""A date and a time."""


class Who(CassettePart):
    """The customer, as far as the assistant knows them.

    Args:
        tenant: the company's tenant that the customer belongs to.
        id: the customer's id; for an anonymous customer, the visitor's id.
        level: how certain the customer's identity is.
        name: the customer's name, if it is known.
        locale: the language of the page that the customer uses.
        credential: whether the company's site has passed on a credential for tools that act in the customer's
            name.
        claims: the site's statements about a signed-in customer. They are not in the log, so a recording has
            none.
    """

    tenant: Text = "demo"
    id: Text = "demo"
    level: Level = "verified"
    name: str | None = None
    locale: Text = "en"
    credential: bool = True
    claims: dict[str, Claim] = Field(default_factory=dict[str, Claim])


class Turn(CassettePart):
    """A message of the customer, and everything that belongs to it.

    The message arrives ``after_ms`` after the end of the turn before. With ``at_ms`` it arrives at that time
    after the message before, whether or not that one has been answered. ``barge_in_ms`` does the same and
    also stops the answer. ``replies`` and ``results`` of all turns are used in order, whichever turn they are
    written in: a late result is written with the turn that requested it.

    Args:
        customer: the customer's text.
        button: whether the text is the label of a button of a read-back, which the customer presses.
        spoken: whether the customer says the text aloud; with ``button``, whether they press a key on a phone.
        heard_up_to: the assistant speaks its answers. These are the last words that the customer heard before
            this message, with the same upper and lower case; ``""`` if the newest message had not begun.
        locale: the page's language from this turn on.
        after_ms: milliseconds after the end of the turn before.
        at_ms: milliseconds after the message before, whether or not that one has been answered.
        barge_in_ms: like ``at_ms``; the assistant also stops speaking.
        policies: the names of the company's policies that the message is about. Policies of a tool that is
            called need not be listed.
        replies: the replies of the models, in the order of the requests.
        results: the runs of the tools, in the order in which they began.
        meanwhile: other events during the answer.
        expect: the expectations of this turn.
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
            raise ValueError(f"a message has one time; keep one of {' and '.join(given)}")
        return self


class HeardFrame(CassettePart):
    """A frame that was sent to the client, ``at_ms`` after the beginning of the conversation. Short: ``[300,
    {...}]``.

    Args:
        at_ms: milliseconds after the beginning of the conversation.
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
    """The limits of a turn, if they differ from the defaults.

    Args:
        rounds: how many times the models may ask for calls.
        tools_s: the time limit for all calls of a round together, in seconds.
        silence_s: how long a model may send nothing before the assistant says something instead, in seconds.
        calls_s: how long calls may run before the assistant says something in the meantime, in seconds.
    """

    rounds: int = Field(default=4, ge=1)
    tools_s: float = Field(default=30.0, gt=0)
    silence_s: float = Field(default=2.5, gt=0)
    calls_s: float = Field(default=4.0, gt=0)


class People(CassettePart):
    """The human agents who can take over the conversation.

    Args:
        available: false: a customer who asks for an agent is told immediately that no one is available.
        wait_s: how long to wait for an agent to accept, in seconds.
    """

    available: bool = True
    wait_s: float = Field(default=120.0, gt=0, le=3000)


def _written_out(schema: dict[str, Any]) -> None:
    """Make ``format`` required in the JSON schema: a file must have it, only Python code may leave it out."""
    schema["required"].append("format")


class Cassette(CassettePart):
    """One conversation.

    Args:
        format: the number of the format. A file with another number, or with none, is refused.
        about: one sentence that says what the cassette shows.
        now: the time at which the conversation begins, in the company's time zone.
        customer: the customer.
        bundle: the hash of the prompts and tools of the recording.
        tags: your own labels for the kind of conversation, such as "lost connection". They have no effect.
        limits: the limits of a turn.
        new_message: whether a message during an answer waits for its end, or interrupts it.
        agents: the human agents who can take over the conversation. Left out: there are none.
        confirm_every_write: true: the customer is asked before each change. false: only before the changes of
            tools that require a confirmation.
        tools: tools that exist only in this cassette.
        turns: the messages of the customer, in order.
        expect: the expectations of the conversation as a whole.
        frames: the frames that the client received when it was recorded. Empty: they are not compared.
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
            raise ValueError("there is no message before the first one; write after_ms, or no time")
        return turns

    @model_validator(mode="after")
    def _has_people(self) -> "Cassette":
        events = [event for turn in self.turns for event in turn.meanwhile]
        if self.agents is None and (one := next((each for each in events if each.by_a_person), None)):
            raise ValueError(f"{one.happens} needs an agent, and there are none; write agents: {{}}")
        return self

    @field_validator("frames")
    @classmethod
    def _in_order(cls, frames: tuple[HeardFrame, ...]) -> tuple[HeardFrame, ...]:
        for before, after in pairwise(frames):
            if after.at_ms < before.at_ms:
                raise ValueError(
                    f"frames must be in order of time, but {after.at_ms} is before {before.at_ms}"
                )
        return frames
