"""The findings about past conversations: what today's rules would have stopped or changed, and what cannot be
checked.
"""

from collections import Counter
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from assistant.conversation.calls import Call
from assistant.conversation.customer import ConversationKey, Level
from assistant.conversation.entries import Answer, GuardrailName
from assistant.conversation.outcomes import OutcomeName

Checked: TypeAlias = Literal["conversations", "turns", "readings", "writes", "answers"]
"""The kinds of checks. ``readings`` are answers to a question, ``answers`` are a model's texts for the
customer."""

Unchecked: TypeAlias = Literal[
    "shown_only", "shortened_results", "not_judged", "tool_gone", "tool_differs", "prompts_gone", "files_gone"
]
"""What could be checked only partly, or not.

* ``shown_only``: the model's reply is not stored any more, or was lost in a crash; its shown part was checked.
* ``shortened_results``: an answer was checked against results that are not stored in full any more.
* ``not_judged``: a sentence that those results do not support, although the full results might.
* ``tool_gone``: a write whose tool does not exist any more.
* ``tool_differs``: a write whose tool does not accept those arguments any more.
* ``prompts_gone``: a turn whose original prompts are not stored. It was checked with today's prompts, as all are.
* ``files_gone``: a customer's file whose text is not stored.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where something happened, and to which customer.

    ``level`` is the identification at that time. ``customer`` and ``name`` are the identity, even if it was
    only known later. ``at_ms`` is a Unix time.
    """

    key: ConversationKey
    turn: str
    at_ms: int
    customer: str
    level: Level
    name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NotAgreed:
    """A write that ran after an answer that today's rules do not read as a yes.

    ``outcome`` is None if it is running.
    """

    place: Place
    call: Call
    question: str
    said: str
    reading: Answer
    outcome: OutcomeName | None = None
    kind: Literal["not_agreed"] = "not_agreed"


@dataclass(frozen=True, slots=True, kw_only=True)
class NotAsked:
    """A write that ran without a question, although today the customer must be asked first."""

    place: Place
    call: Call
    said: str
    outcome: OutcomeName | None = None
    kind: Literal["not_asked"] = "not_asked"


@dataclass(frozen=True, slots=True, kw_only=True)
class NotAllowed:
    """A write for a customer whose identification is not sufficient for its tool."""

    place: Place
    call: Call
    requires: Level
    outcome: OutcomeName | None = None
    kind: Literal["not_allowed"] = "not_allowed"


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A sentence that was shown to the customer, and that a guardrail suppresses today."""

    place: Place
    sentence: str
    guardrail: GuardrailName
    kind: Literal["left_out"] = "left_out"


WriteStopped: TypeAlias = NotAgreed | NotAsked | NotAllowed
Finding: TypeAlias = WriteStopped | LeftOut


@dataclass(frozen=True, slots=True, kw_only=True)
class Gain:
    """An improvement: a yes that was not understood, or a sentence that was suppressed. ``text`` is the
    text.
    """

    place: Place
    kind: Literal["understood", "shown"]
    text: str


@dataclass(frozen=True, slots=True)
class Failure:
    """A conversation that could not be checked completely, with the reason."""

    key: ConversationKey
    why: str


@dataclass(slots=True)
class Recalled:
    """All findings of one or of several conversations."""

    findings: list[Finding] = field(default_factory=list[Finding])
    gains: list[Gain] = field(default_factory=list[Gain])
    failures: list[Failure] = field(default_factory=list[Failure])
    checked: Counter[Checked] = field(default_factory=Counter[Checked])
    unchecked: Counter[Unchecked] = field(default_factory=Counter[Unchecked])

    def add(self, other: "Recalled") -> None:
        """Add other findings."""
        self.findings += other.findings
        self.gains += other.gains
        self.failures += other.failures
        self.checked.update(other.checked)
        self.unchecked.update(other.unchecked)
