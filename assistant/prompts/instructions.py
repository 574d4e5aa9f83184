"""Texts for models: one typed input for each template that models read."""

from dataclasses import dataclass
from datetime import date, datetime
from typing import ClassVar, Literal

from assistant.prompts.prompt import Instruction


@dataclass(frozen=True, slots=True, kw_only=True)
class Decider(Instruction):
    """The decision model answers or calls tools. Text that may change is in the block ``late``.

    ``now`` is the company's local time. ``language`` is the customer's probable language ("German").
    ``references`` is True if the model is told that an argument may refer to another call's result.
    """

    template: ClassVar[str] = "models/decider.j2"
    now: datetime
    language: str = "English"
    references: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Narrator(Instruction):
    """The narrator model turns results into a response that does not repeat the acknowledgement. The text
    before the block ``late`` is the same as the decider's.

    ``acknowledgement`` is what the customer has been told in this turn, "" for nothing. If the results are
    from earlier turns, ``asked_earlier`` contains the customer's messages of those turns; it is empty for
    results of this turn. ``notes`` are the tools' own instructions for telling their results. ``more_calls``
    is True if tools are still offered. ``to_confirm`` are the questions that follow, each as a clause after
    "Shall I". ``language`` is the customer's probable language. For ``now`` and ``references`` see
    :class:`Decider`.
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
    """Tells a model the company's policies for the apparent subject of the conversation. It comes last.

    ``policies`` are their texts, the most important first. ``rules`` are triples: a tool, the kind of rule,
    and its requirement.
    """

    template: ClassVar[str] = "models/policies.j2"
    policies: tuple[str, ...]
    rules: tuple[tuple[str, Literal["only_after", "only_if"], str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PromiseAgain(Instruction):
    """Asks a model again after it promised a lookup and made no call."""

    template: ClassVar[str] = "models/promise_again.j2"
    promised: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShortAnswer(Instruction):
    """Asks for a shorter answer, because a budget is nearly spent."""

    template: ClassVar[str] = "models/short_answer.j2"


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadableCalls(Instruction):
    """Asks a model again after it wrote calls that cannot be read. ``problems`` has one line for each of
    these calls.
    """

    template: ClassVar[str] = "models/unreadable_calls.j2"
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Groundless(Instruction):
    """Asks a model again after it claimed or promised an action without evidence.

    ``said`` is the model's text. ``shown`` is the part of its reply that the customer has seen, or "" if the
    customer has seen nothing. ``may_call`` is True if tools are still offered.
    """

    template: ClassVar[str] = "models/groundless.j2"
    said: str
    shown: str = ""
    may_call: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class GoOn(Instruction):
    """Asks a model to finish a reply that was cut off at the longest length.

    ``shown`` is the part of the reply that the customer has seen.
    """

    template: ClassVar[str] = "models/go_on.j2"
    shown: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unproved(Instruction):
    """Asks a model again after its answer contained a value without a source.

    ``said`` is the sentence with the value. ``shown`` is the part of the answer that the customer has seen.
    """

    template: ClassVar[str] = "models/unproved.j2"
    said: str
    shown: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedCustomerPart(Instruction):
    """Makes a model play a customer, to test the assistant.

    ``facts`` are all names and values that the customer knows. ``end_mark`` is the text with which the model
    ends the conversation. ``language`` is the customer's language ("German").
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
    """The description, for the decision model, of the tool that asks for a human agent."""

    template: ClassVar[str] = "models/handoff_tool.j2"


@dataclass(frozen=True, slots=True, kw_only=True)
class StopTool(Instruction):
    """The description, for the decision model, of the tool that stops a long task."""

    template: ClassVar[str] = "models/stop_tool.j2"


@dataclass(frozen=True, slots=True, kw_only=True)
class Earlier(Instruction):
    """Tells the model the content of the turns that are left out. ``summary`` is the summary model's text."""

    template: ClassVar[str] = "models/earlier.j2"
    summary: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchTool(Instruction):
    """The description, for the decision model, of the tool that searches documents."""

    template: ClassVar[str] = "models/search_tool.j2"


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadTool(Instruction):
    """The description, for the decision model, of the tool that loads a document or result in full.

    ``characters`` is the most characters that one call returns.
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

    ``summary`` is the previous summary, "" for none. ``said`` is the dialogue since then, oldest first, each
    line with its speaker ("Customer: ..."), including results of tools with their names. ``words`` is the
    most words of the new summary, ``language`` the customer's probable language ("German").
    """

    template: ClassVar[str] = "models/dialogue_summary.j2"
    summary: str
    said: tuple[str, ...]
    words: int
    language: str = "English"


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultSummary(Instruction):
    """Summarises one large result. The text to summarise is in the block ``late``.

    ``tool`` and ``arguments`` are the call, ``question`` is what the customer wanted. ``result`` is JSON or
    text, maybe without its middle. ``words`` is the most words of the summary.
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
    """Tells a model without tool calling how to write calls, and how results are written.

    ``structure`` is the section of calls in its written form, "" if no calls are allowed; ``example`` is a
    complete section. ``calls``, ``results`` and ``tools`` are the names of sections. ``one`` is True if a
    reply may have only one call.
    """

    template: ClassVar[str] = "models/text_route.j2"
    structure: str
    example: str
    calls: str
    results: str
    tools: str
    one: bool = False
