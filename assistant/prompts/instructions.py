"""What models are told: one typed input for each of the templates that models read."""

from dataclasses import dataclass
from datetime import date
from typing import ClassVar

from assistant.prompts.prompt import Instruction


@dataclass(frozen=True, slots=True, kw_only=True)
class Decider(Instruction):
    """Lets the decision model answer or call tools. What may change stands in the block ``late``.

    ``language`` is what the customer seems to write in ("German").
    """

    template: ClassVar[str] = "decider.j2"
    today: date
    language: str = "English"


@dataclass(frozen=True, slots=True, kw_only=True)
class Narrator(Instruction):
    """Turns results into a response that does not repeat the acknowledgement.

    ``acknowledgement`` is what the customer has been told in this turn, "" for nothing. ``asked_earlier``: the
    results are of earlier turns, in which this was asked; none for results of this turn. ``notes`` are the tools'
    own, on how their results are to be told.
    ``more_calls`` says that tools are still on offer. ``to_confirm`` has what the customer will be asked about
    right afterwards, each to follow "Shall I". ``language`` is what the customer seems to write in.
    """

    template: ClassVar[str] = "narrator.j2"
    acknowledgement: str
    today: date
    more_calls: bool
    language: str = "English"
    to_confirm: tuple[str, ...] = ()
    asked_earlier: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PromiseAgain(Instruction):
    """Asks again a model that promised to look something up and called nothing."""

    template: ClassVar[str] = "promise_again.j2"
    promised: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadableCalls(Instruction):
    """Asks again a model whose calls could not be read. ``problems``: one line for each."""

    template: ClassVar[str] = "unreadable_calls.j2"
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Groundless(Instruction):
    """Asks again a model that claimed or promised a deed that nothing bears out.

    ``said``: its words. ``shown``: what of its reply the customer has been shown, "" for nothing. ``may_call``:
    tools are still on offer.
    """

    template: ClassVar[str] = "groundless.j2"
    said: str
    shown: str = ""
    may_call: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Unproved(Instruction):
    """Asks again a model whose answer held a value that nothing states.

    ``said``: the sentence. ``shown``: what the customer has seen of the answer.
    """

    template: ClassVar[str] = "unproved.j2"
    said: str
    shown: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedCustomerPart(Instruction):
    """Lets a model play a customer, against whom the assistant is tried.

    ``facts`` are all that they know, as names and values. ``end_mark`` is what the model writes when they have
    nothing more to say. ``language`` is what they write in ("German").
    """

    template: ClassVar[str] = "simulated_customer.j2"
    persona: str
    goal: str
    facts: tuple[tuple[str, str], ...]
    end_mark: str
    today: date
    language: str = "English"


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonTool(Instruction):
    """Tells the decision model what the tool is for by which it asks for a human being."""

    template: ClassVar[str] = "handoff_tool.j2"
