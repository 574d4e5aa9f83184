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

    template: ClassVar[str] = "models/decider.j2"
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

    template: ClassVar[str] = "models/narrator.j2"
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

    template: ClassVar[str] = "models/promise_again.j2"
    promised: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadableCalls(Instruction):
    """Asks again a model whose calls could not be read. ``problems``: one line for each."""

    template: ClassVar[str] = "models/unreadable_calls.j2"
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Groundless(Instruction):
    """Asks again a model that claimed or promised a deed that nothing bears out.

    ``said``: its words. ``shown``: what of its reply the customer has been shown, "" for nothing. ``may_call``:
    tools are still on offer.
    """

    template: ClassVar[str] = "models/groundless.j2"
    said: str
    shown: str = ""
    may_call: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Unproved(Instruction):
    """Asks again a model whose answer held a value that nothing states.

    ``said``: the sentence. ``shown``: what the customer has seen of the answer.
    """

    template: ClassVar[str] = "models/unproved.j2"
    said: str
    shown: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedCustomerPart(Instruction):
    """Lets a model play a customer, against whom the assistant is tried.

    ``facts`` are all that they know, as names and values. ``end_mark`` is what the model writes when they have
    nothing more to say. ``language`` is what they write in ("German").
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
    """Tells the decision model what the tool is for by which it asks for a human being."""

    template: ClassVar[str] = "models/handoff_tool.j2"


@dataclass(frozen=True, slots=True, kw_only=True)
class Earlier(Instruction):
    """Tells what was said in the turns that are left out. ``summary`` is the summariser's, in its words."""

    template: ClassVar[str] = "models/earlier.j2"
    summary: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchTool(Instruction):
    """Tells the decision model what the tool is for that searches documents by meaning."""

    template: ClassVar[str] = "models/search_tool.j2"


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadTool(Instruction):
    """Tells the decision model what the tool is for that loads a document or a result in full.

    ``characters`` is how much of it one call gives at most.
    """

    template: ClassVar[str] = "models/load_tool.j2"
    characters: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FromDocuments(Instruction):
    """Tells the narrator how answers from documents are given."""

    template: ClassVar[str] = "models/from_documents.j2"


@dataclass(frozen=True, slots=True, kw_only=True)
class DialogueSummary(Instruction):
    """Sums up the oldest part of a conversation. What is to be summed up stands in the block ``late``.

    ``summary`` is what stands for all that came before, "" for nothing; ``said`` has what was said since, oldest
    first, each with who said it ("Customer: ..."), results of tools under their names among it. ``words`` is how
    long the new summary may be, ``language`` what the customer seems to write in ("German").
    """

    template: ClassVar[str] = "models/dialogue_summary.j2"
    summary: str
    said: tuple[str, ...]
    words: int
    language: str = "English"


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultSummary(Instruction):
    """Puts one large result into few words. What is to be summed up stands in the block ``late``.

    ``tool`` and ``arguments`` say what was asked of whom, ``question`` what the customer wanted by it; ``result``
    is what came, as JSON or text, perhaps without its middle. ``words`` is how long the summary may be.
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
    """Tells a model without tool calling of its own how to call tools, and what results look like.

    ``structure`` is the section of calls as it is to be written, "" where nothing may be called. ``calls``,
    ``results`` and ``tools`` are the names of sections. ``one``: one call in a reply at most.
    """

    template: ClassVar[str] = "models/text_route.j2"
    structure: str
    calls: str
    results: str
    tools: str
    one: bool = False
