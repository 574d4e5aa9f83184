"""Texts for models: one typed input for each template that models read."""

from dataclasses import dataclass
from datetime import date, datetime
from typing import ClassVar, Literal

from assistant.prompts.prompt import Instruction


@dataclass(frozen=True, slots=True, kw_only=True)
class Decider(Instruction):
    """Lets the decision model answer or call tools. Text that may change is in the block ``late``.

    ``now`` is the company's local time. ``language`` is the customer's probable language ("German").
    ``references``: the model is told that an argument may be taken from another call's result.
    """

    template: ClassVar[str] = "models/decider.j2"
    now: datetime
    language: str = "English"
    references: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Narrator(Instruction):
    """Turns results into a response that does not repeat the acknowledgement. Its text before the block ``late``
    is the decider's.

    ``acknowledgement`` is what the customer has been told in this turn, "" for nothing. ``asked_earlier``:
    the results are of earlier turns, in which this was asked; empty for results of this turn. ``notes`` are
    the tools' own instructions for telling their results. ``more_calls``: tools are still offered.
    ``to_confirm`` has what the customer will be asked next, each as a clause after "Shall I". ``language`` is
    the customer's probable language. ``now`` and ``references`` are as for the decider.
    """

    template: ClassVar[str] = "models/narrator.j2"
    acknowledgement: str
    now: datetime
    more_calls: bool
    language: str = "English"
    references: bool = True
    to_confirm: tuple[str, ...] = ()
    asked_earlier: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyNotes(Instruction):
    """Tells a model the company's policies for what the conversation seems to be about. It comes last.

    ``policies`` are their texts, the most important first. ``rules``: a tool, the kind of rule, and what it
    demands.
    """

    template: ClassVar[str] = "models/policies.j2"
    policies: tuple[str, ...]
    rules: tuple[tuple[str, Literal["only_after", "only_if"], str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PromiseAgain(Instruction):
    """Asks a model again that promised a lookup and made no call."""

    template: ClassVar[str] = "models/promise_again.j2"
    promised: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadableCalls(Instruction):
    """Asks a model again whose calls could not be read. ``problems``: one line for each."""

    template: ClassVar[str] = "models/unreadable_calls.j2"
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Groundless(Instruction):
    """Asks a model again that claimed or promised a deed without evidence.

    ``said``: its words. ``shown``: the part of its reply that the customer has seen, "" for none.
    ``may_call``: tools are still offered.
    """

    template: ClassVar[str] = "models/groundless.j2"
    said: str
    shown: str = ""
    may_call: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class GoOn(Instruction):
    """Asks a model to finish a reply that was cut because it reached the longest length.

    ``shown``: the part of the reply that the customer has seen.
    """

    template: ClassVar[str] = "models/go_on.j2"
    shown: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unproved(Instruction):
    """Asks a model again whose answer had a value without a source.

    ``said``: the sentence. ``shown``: the part of the answer that the customer has seen.
    """

    template: ClassVar[str] = "models/unproved.j2"
    said: str
    shown: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedCustomerPart(Instruction):
    """Lets a model play a customer, to test the assistant.

    ``facts`` are everything that they know, as names and values. ``end_mark`` is what the model writes when
    they have nothing more to say. ``language`` is their language ("German").
    """

    template: ClassVar[str] = "models/simulated_customer.j2"
    persona: str
    goal: str
    facts: tuple[tuple[str, str], ...]
    end_mark: str
    today: date
    language: str = "English"


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonTool(Instruction):
    """Describes the tool that asks for a person to the decision model."""

    template: ClassVar[str] = "models/handoff_tool.j2"


@dataclass(frozen=True, slots=True, kw_only=True)
class StopTool(Instruction):
    """Describes the tool that stops a long task to the decision model."""

    template: ClassVar[str] = "models/stop_tool.j2"


@dataclass(frozen=True, slots=True, kw_only=True)
class Earlier(Instruction):
    """Tells the model what was said in the turns that are left out. ``summary`` is the summary model's text."""

    template: ClassVar[str] = "models/earlier.j2"
    summary: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchTool(Instruction):
    """Describes the tool that searches documents to the decision model."""

    template: ClassVar[str] = "models/search_tool.j2"


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadTool(Instruction):
    """Describes the tool that loads a document or result in full to the decision model.

    ``characters`` is how much one call returns at most.
    """

    template: ClassVar[str] = "models/load_tool.j2"
    characters: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FromDocuments(Instruction):
    """Tells the narrator how to answer from documents."""

    template: ClassVar[str] = "models/from_documents.j2"


@dataclass(frozen=True, slots=True, kw_only=True)
class DialogueSummary(Instruction):
    """Summarises the oldest part of a conversation. The text to summarise is in the block ``late``.

    ``summary`` is the previous summary, "" for none; ``said`` is what was said since, oldest first, each line
    with its speaker ("Customer: ..."), including results of tools under their names. ``words`` is the maximum
    length of the new summary, ``language`` the customer's probable language ("German").
    """

    template: ClassVar[str] = "models/dialogue_summary.j2"
    summary: str
    said: tuple[str, ...]
    words: int
    language: str = "English"


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultSummary(Instruction):
    """Summarises one large result. The text to summarise is in the block ``late``.

    ``tool`` and ``arguments`` are the call, ``question`` what the customer wanted; ``result`` is JSON or
    text, perhaps without its middle. ``words`` is the maximum length of the summary.
    """

    template: ClassVar[str] = "models/result_summary.j2"
    tool: str
    arguments: str
    question: str
    result: str
    words: int
    language: str = "English"


@dataclass(frozen=True, slots=True, kw_only=True)
class TextRouteRules(Instruction):
    """Tells a model without tool calling how to write calls, and what results look like.

    ``structure`` is the section of calls in its written form, "" if no calls are allowed; ``example`` is a
    complete one. ``calls``, ``results`` and ``tools`` are the names of sections. ``one``: at most one call in a
    reply.
    """

    template: ClassVar[str] = "models/text_route.j2"
    structure: str
    example: str
    calls: str
    results: str
    tools: str
    one: bool = False
