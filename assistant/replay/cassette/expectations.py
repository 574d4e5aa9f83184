"""What is expected of a turn, or of the whole conversation."""

from typing import Literal, TypeAlias

from pydantic import Field

from assistant.conversation.outcomes import OutcomeName
from assistant.conversation.values import HowTurnEnded, MessageKind
from assistant.replay.cassette.written import Ms, Object, Text, Written

Check: TypeAlias = Literal["accounted", "grounded", "no_repetition", "say_do", "language"]
"""What is looked at in every turn without being asked for.

* ``accounted``: each call has one outcome, and the response speaks of each
* ``grounded``: numbers, dates and names in a response stand in results or in the conversation
* ``no_repetition``: the response does not say again what the acknowledgement said
* ``say_do``: what is claimed was done, what is promised is under way
* ``language``: the customer is answered in their language
"""


class Hears(Written):
    """A message that the customer hears; of those expected each comes after the one before.

    ``text`` is all of it, ``text_contains`` and ``text_matches`` (a regular expression) a part, in upper or
    lower case. ``within_ms`` counts from the customer's message to the first words; ``complete_within_ms`` to
    the last.
    """

    kind: MessageKind | None = None
    text: str | None = None
    text_contains: tuple[Text, ...] = ()
    text_matches: str | None = None
    within_ms: Ms | None = None
    complete_within_ms: Ms | None = None
    interrupted: bool | None = None


class Never(Written):
    """What must not come: a message of this kind or with these words, a tool that runs, a frame of this type."""

    kind: MessageKind | None = None
    text_contains: str | None = None
    text_matches: str | None = None
    tool: str | None = None
    frame: str | None = None


class ExpectedCall(Written):
    """A call, in the order they were decided. ``arguments``: None for any; else all of them, exactly."""

    tool: Text
    arguments: Object | None = None
    outcome: OutcomeName | None = None
    within_ms: Ms | None = None


class Expectations(Written):
    """Everything that is expected. What is left out is not looked at, but for the checks.

    Args:
        scene: the whole turn, as a test would write it down: messages with their kinds, calls, outcomes.
        hears: messages, in this order; others may come between them.
        never: what must not come.
        calls: exactly these calls and no others, in the order they were decided; ``()`` for none.
        overlap: tools that all ran at the same moment.
        how: how the turn ended.
        silence_ms: the longest time without anything new for the customer.
        withheld: how many sentences the guards kept back.
        without: checks that are left out here.
    """

    scene: str | None = None
    hears: tuple[Hears, ...] = ()
    never: tuple[Never, ...] = ()
    calls: tuple[ExpectedCall, ...] | None = None
    overlap: tuple[tuple[str, ...], ...] = ()
    how: HowTurnEnded | None = None
    silence_ms: Ms | None = None
    withheld: dict[Literal["repetition", "say_do"], int] | None = None
    without: tuple[Check, ...] = Field(default=())
