"""What the tools did: one entry for each call that ran, in the order in which they began."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from assistant.conversation.people import Level
from assistant.conversation.tool_spec import Acknowledge
from assistant.conversation.values import Effect
from assistant.replay.cassette.short_forms import Given, mapping, own_name, unfolded
from assistant.replay.cassette.written import Ms, Object, Text, Value, Written

_DOES = {"gives": "gives", "refuses": "refuses", "breaks": "breaks", "hangs": "hangs", "clause": "asks"}


class Run(Written):
    """What one call of a tool brought, ``after_ms`` after it began.

    ``gives`` a result; ``refuses`` with a clause the customer may hear; ``breaks`` as a bug does; ``hangs``
    until its time is up. ``clause`` alone is no run: it is what the customer is asked about before one.
    ``arguments``, where given, are those of the call that this belongs to.

    Short: ``name: {gives: ...}``, ``name: {refuses: "clause"}``, ``name: {breaks: "what"}``,
    ``name: {hangs: true}``, ``name: {clause: "cancel your visit"}``.

    Args:
        tool: the tool's name.
        does: which of the five; what stands there says it already.
        gives: the result.
        refuses: why the tool could not, as a clause that the customer may hear.
        for_model: with refuses: what a model needs to know to do better.
        breaks: the words of an error that the tool does not know how to tell.
        clause: what the customer is asked about before a side effect.
        after_ms: how long the run takes.
        arguments: what the call was called with, where several of this tool run at once.
        fails_first: so many attempts find the service away before one does what stands here.
        check: of a side effect whose end was not seen: what the tool says of it when it is asked afterwards.
            ``done`` gives what ``gives`` has; ``not_done``; ``unknown``: it cannot tell.
    """

    tool: Text
    does: Literal["gives", "refuses", "breaks", "hangs", "asks"]
    gives: Value = None
    refuses: str = ""
    for_model: str | None = None
    breaks: str = ""
    clause: str | None = None
    after_ms: Ms = 0
    arguments: Object | None = None
    fails_first: Annotated[int, Field(ge=0, strict=True)] = 0
    check: Literal["done", "not_done", "unknown"] | None = None

    @model_validator(mode="before")
    @classmethod
    def _long(cls, given: object) -> object:
        found = mapping(given)
        if found is None:
            return given
        if (name := own_name(found, {*cls.model_fields, "hangs"})) is not None:
            if mapping(found[name]) is None:
                raise ValueError(f"write {name}: {{gives: ...}}, refuses, breaks, hangs: true, or clause")
            found = unfolded(found, name, "tool")
        return found if "does" in found else _with_deed(found)

    @model_validator(mode="after")
    def _one_deed(self) -> "Run":
        others = {"refuses": self.refuses, "breaks": self.breaks, "clause": self.clause, "gives": self.gives}
        own = {"asks": "clause"}.get(self.does, self.does)
        if self.check == "done":
            # What was done is seen only when the tool is asked for it.
            del others["gives"]
        if other := next((name for name, value in others.items() if value and name != own), None):
            raise ValueError(f"{own} and {other} do not go together; keep one of them")
        if self.does in {"refuses", "asks"} and not others[own]:
            raise ValueError(f'{own} needs a clause, such as "the invoices can\'t be reached"')
        if self.for_model is not None and self.does != "refuses":
            raise ValueError("for_model goes with refuses; leave it out")
        if (self.check or self.fails_first) and self.does in {"refuses", "asks"}:
            raise ValueError(f"{own} was heard: nothing is asked for afterwards, and nothing is tried again")
        return self


def _with_deed(found: Given) -> Given:
    deeds = [key for key in _DOES if key in found]
    if found.get("check") == "done" and len(deeds) > 1:
        deeds = [key for key in deeds if key != "gives"]
    if len(deeds) != 1:
        told = f"not {' and '.join(deeds)}" if deeds else "none stands there"
        raise ValueError(f"a run has one of gives, refuses, breaks, hangs, clause; {told}")
    (deed,) = deeds
    if deed == "hangs" and found[deed] is not True:
        raise ValueError("write hangs: true")
    return {"does": _DOES[deed], **{key: value for key, value in found.items() if key != "hangs"}}


class Declared(Written):
    """A tool that stands in this file because the tools' folder has none of its name.

    Args:
        name: the tool's name.
        doing: its waiting hint, such as "checking your billing".
        will: the hint after "I'll", where it is not found by itself.
        description: what models are told about it.
        effect: whether it only reads, or changes something.
        confirm: whether the customer is asked first.
        acknowledge: whether it is announced.
        needs_customer: whether it is denied to somebody who is not known.
        requires: how well the customer must be known; left out: as needs_customer says.
        timeout_s: how long a run may take, in seconds.
        at_once: how many of its calls may run at a time.
        retries: how often it is tried again when it fails in a way that may pass.
        cache_s: how long a result stands for the same call, in seconds.
        idempotent: whether running it twice with one key does what running it once does.
        checked: whether it can tell afterwards if a side effect took place.
        trusted: whether its results hold nothing but the company's own words and numbers.
        arguments: the names of its arguments; each is a text.
        required: those of them that must be given.
        narration: a template for what is said of a result when no model narrates.
        hints: both forms of the hint in other languages, by locale.
    """

    name: Text
    doing: str = ""
    will: str | None = None
    description: str = ""
    effect: Effect = "read"
    confirm: bool = False
    acknowledge: Acknowledge = "auto"
    needs_customer: bool = False
    requires: Level | None = None
    timeout_s: float = Field(default=10.0, gt=0)
    at_once: int | None = Field(default=None, ge=1)
    retries: int = Field(default=0, ge=0)
    cache_s: float = Field(default=0.0, ge=0)
    idempotent: bool = False
    checked: bool = False
    trusted: bool = False
    arguments: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    narration: str | None = None
    hints: dict[str, tuple[str, str]] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _required_are_arguments(self) -> "Declared":
        if other := [name for name in self.required if name not in self.arguments]:
            raise ValueError(f"required names {', '.join(other)}, which arguments does not; add it there")
        return self
