"""The findings of today's rules about the past: what they would have stopped or changed, and what cannot be
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
"""What was checked: ``readings`` are answers to a question, ``answers`` are what a model said to a customer."""

Unchecked: TypeAlias = Literal[
    "shown_only", "shortened_results", "not_judged", "tool_gone", "tool_differs", "prompts_gone", "files_gone"
]
"""What could be checked in part only, or not at all.

* ``shown_only``: the model's reply is no longer kept, or a crash lost it, so what was shown of it was checked.
* ``shortened_results``: an answer was checked against results that are no longer kept in full.
* ``not_judged``: a sentence that those results do not support, while the full ones might.
* ``tool_gone``: a write whose tool does not exist any more.
* ``tool_differs``: a write whose tool does not accept those arguments any more.
* ``prompts_gone``: a turn whose prompts of then are not kept. It was checked with the prompts of today, as all are.
* ``files_gone``: a customer's file whose text is not kept.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where and to whom something happened.

    ``level`` is how well the customer was known then. ``customer`` and ``name`` are who they turned out to
    be, even if that was later. ``at_ms`` is Unix time.
    """

    key: ConversationKey
    turn: str
    at_ms: int
    customer: str
    level: Level
    name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NotAgreed:
    """A write that ran after an answer that today is no yes to it. ``outcome`` is None if it still runs."""

    place: Place
    call: Call
    question: str
    said: str
    reading: Answer
    outcome: OutcomeName | None = None
    kind: Literal["not_agreed"] = "not_agreed"


@dataclass(frozen=True, slots=True, kw_only=True)
class NotAsked:
    """A write that ran without a question, although today the customer must be asked."""

    place: Place
    call: Call
    said: str
    outcome: OutcomeName | None = None
    kind: Literal["not_asked"] = "not_asked"


@dataclass(frozen=True, slots=True, kw_only=True)
class NotAllowed:
    """A write for a customer who is not known well enough for its tool."""

    place: Place
    call: Call
    requires: Level
    outcome: OutcomeName | None = None
    kind: Literal["not_allowed"] = "not_allowed"


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A sentence that the customer was shown, and that a guardrail suppresses today."""

    place: Place
    sentence: str
    guardrail: GuardrailName
    kind: Literal["left_out"] = "left_out"


WriteStopped: TypeAlias = NotAgreed | NotAsked | NotAllowed
Finding: TypeAlias = WriteStopped | LeftOut


@dataclass(frozen=True, slots=True, kw_only=True)
class Gain:
    """What is better today: a yes that was not understood, or a sentence that was suppressed. ``text`` is the
    text.
    """

    place: Place
    kind: Literal["understood", "shown"]
    text: str


@dataclass(frozen=True, slots=True)
class Failure:
    """A conversation that could not be checked completely, and why."""

    key: ConversationKey
    why: str


@dataclass(slots=True)
class Recalled:
    """All findings, of one conversation or of many."""

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
