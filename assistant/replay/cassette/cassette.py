"""A cassette: one conversation, everything that came from outside, and what is expected of it."""

from datetime import datetime
from typing import Literal

from pydantic import Field

from assistant.conversation.people import Level
from assistant.replay.cassette.events import Event
from assistant.replay.cassette.expectations import Expectations
from assistant.replay.cassette.replies import Reply
from assistant.replay.cassette.runs import Declared, Run
from assistant.replay.cassette.written import Ms, Object, Text, Written

MEANWHILE = 1
"""The version of the form."""


class Who(Written):
    """The customer, as well as the assistant knows them."""

    tenant: Text = "demo"
    id: Text = "demo"
    level: Level = "verified"
    name: str | None = None
    locale: Text = "en"


class Turn(Written):
    """A message of the customer's, and everything around it.

    The message comes ``after_ms`` after the turn before is complete. With ``at_ms`` it comes so long after the
    message before, whether or not that one has been answered; with ``barge_in_ms`` likewise, and stops what
    is being said.

    ``button``: the message is a button of a read-back. ``replies`` and ``tools`` of all turns are used up in
    their order, wherever they stand: a result that comes late stands with the turn that asked for it.
    """

    customer: Text
    button: Literal["yes", "no"] | None = None
    locale: str | None = None
    after_ms: Ms = 0
    at_ms: Ms | None = None
    barge_in_ms: Ms | None = None
    replies: tuple[Reply, ...] = ()
    tools: tuple[Run, ...] = ()
    meanwhile: tuple[Event, ...] = ()
    expect: Expectations = Field(default_factory=Expectations)


class HeardFrame(Written):
    """A frame that the client was sent, ``at_ms`` after the conversation began."""

    at_ms: Ms
    frame: Object


class Limits(Written):
    """What a turn may take, where it is not the usual."""

    rounds: int = 4
    tools_s: float = 30.0


class Cassette(Written):
    """One conversation.

    Args:
        meanwhile: the version of the form.
        about: what it shows, in a sentence.
        now: when it begins, in the company's time.
        customer: who speaks.
        bundle: the prompts and tools it was recorded on.
        covers: what of the contract, or of which complaint, it is an example.
        limits: what a turn may take.
        confirm_every_write: whether the decision model is trusted with side effects.
        declares: tools of its own.
        turns: what happens.
        expect: what is expected of the conversation as a whole.
        frames: what the client was sent, when it was recorded; empty: not compared.
    """

    meanwhile: Literal[1] = MEANWHILE
    about: Text
    now: datetime
    customer: Who = Field(default_factory=Who)
    bundle: str | None = None
    covers: tuple[str, ...] = ()
    limits: Limits = Field(default_factory=Limits)
    confirm_every_write: bool = False
    declares: tuple[Declared, ...] = ()
    turns: tuple[Turn, ...] = Field(min_length=1)
    expect: Expectations = Field(default_factory=Expectations)
    frames: tuple[HeardFrame, ...] = ()
