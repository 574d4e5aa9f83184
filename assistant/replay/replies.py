"""What models reply and what tools return, as a cassette holds it: one entry for each request and each call."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated, Literal, TypeAlias, cast

from pydantic import BeforeValidator, Discriminator, Field, Tag, model_validator

from assistant.conversation.customer import Level
from assistant.conversation.entries import ModelRole
from assistant.conversation.tool_spec import Acknowledge
from assistant.conversation.values import Effect
from assistant.replay.cassette_base import (
    RENAMED,
    CassettePart,
    Ms,
    Object,
    RawMapping,
    Text,
    Value,
    as_mapping,
    as_pair,
    move_key,
    tool_key,
    unfold,
)

FIRST_MS = 300
"""How long after the request a reply's first piece comes when nothing else is written."""

Ending: TypeAlias = Literal["complete", "breaks", "stalls", "refused", "timed_out", "stopped"]
"""How a reply ends: complete; the connection breaks; nothing more comes until the request times out; the provider
refuses; the provider times out; the turn was stopped."""


class Called(CassettePart):
    """A call in a reply.

    Short: ``name``, ``{name: {arguments}}``, ``{name: "what was written"}``.

    Args:
        tool: the tool's name.
        arguments: the arguments of the call.
        raw_arguments: instead of arguments: what the model wrote, if it is no JSON object.
    """

    tool: Text
    arguments: Object = Field(default_factory=dict)
    raw_arguments: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _long(cls, given: object) -> object:
        if isinstance(given, str):
            return {"tool": given}
        found = as_mapping(given)
        if found is None or (name := tool_key(found, cls.model_fields)) is None:
            return given
        return move_key(found, name, "tool", "raw_arguments" if isinstance(found[name], str) else "arguments")

    @model_validator(mode="after")
    def _one_of_two(self) -> "Called":
        if self.arguments and self.raw_arguments is not None:
            raise ValueError("a call has arguments or raw_arguments; keep one of the two")
        return self


class TextPiece(CassettePart):
    """A piece of text, ``at_ms`` after the request. Short: ``[300, "text"]``.

    Args:
        at_ms: how long after the request.
        text: the words.
    """

    at_ms: Ms
    text: Text


class NamePiece(CassettePart):
    """The name of a call. Short: ``[310, {call: name, id: x}]``.

    Args:
        at_ms: how long after the request.
        call: the tool's name.
        index: which of the reply's calls it is, from 0.
        id: the provider's id of this call.
    """

    at_ms: Ms
    call: Text
    index: int = 0
    id: str | None = None


class ArgumentsPiece(CassettePart):
    """A piece of a call's arguments. Short: ``[320, {arguments: "{}"}]``.

    Args:
        at_ms: how long after the request.
        arguments: a part of the JSON, as it came.
        index: which of the reply's calls they belong to, from 0.
    """

    at_ms: Ms
    arguments: str
    index: int = 0


class EndPiece(CassettePart):
    """The end of a reply, with the provider's counts of tokens and cost. Short: ``[330, {end: stop}]``.

    Args:
        at_ms: how long after the request.
        end: why the model stopped.
        input_tokens: tokens that it read.
        output_tokens: tokens that it wrote.
        cached_tokens: how many of the input tokens came from a cache.
        cost_usd: the cost in US dollars.
        model: which model answered.
    """

    at_ms: Ms
    end: Literal["stop", "tool_calls", "length", "refused"]
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    cost_usd: float | None = None
    model: str | None = None


Piece: TypeAlias = TextPiece | NamePiece | ArgumentsPiece | EndPiece

_PIECES: dict[str, type[Piece]] = {
    "text": TextPiece,
    "call": NamePiece,
    "arguments": ArgumentsPiece,
    "end": EndPiece,
}


def _kind_of_piece(given: object) -> str | None:
    found = as_mapping(given)
    if found is None:
        return type(given).__name__
    return next((kind.__name__ for key, kind in _PIECES.items() if key in found), None)


def _long_piece(given: object) -> object:
    if (found := as_pair(given)) is None:
        return given
    at_ms, what = found
    if isinstance(what, str):
        return {"at_ms": at_ms, "text": what}
    return {"at_ms": at_ms, **kind} if (kind := as_mapping(what)) is not None else given


def _said(given: object) -> object:
    texts = cast("Sequence[object]", given if isinstance(given, list | tuple) else [given])
    if not all(isinstance(text, str) for text in texts):
        raise ValueError('a text should stand here, or a list of its pieces such as ["Hel", "lo."]')
    return cast("object", given)


_AnyPiece: TypeAlias = Annotated[
    Annotated[
        Annotated[TextPiece, Tag("TextPiece")]
        | Annotated[NamePiece, Tag("NamePiece")]
        | Annotated[ArgumentsPiece, Tag("ArgumentsPiece")]
        | Annotated[EndPiece, Tag("EndPiece")],
        Discriminator(
            _kind_of_piece,
            custom_error_type="piece",
            custom_error_message='a piece is [300, "text"], [310, {call: name}], [320, {arguments: "{}"}] '
            "or [330, {end: stop}]",
        ),
    ],
    BeforeValidator(_long_piece),
]


class Reply(CassettePart):
    """One reply of a model.

    A reply that is written by hand has ``says``, ``calls`` or both. Its first piece comes ``first_ms`` after the
    request, the others ``each_ms`` apart, a text word by word. A recorded reply has ``pieces`` instead.

    Short: ``narrator: "text"`` or ``decider: {calls: [name]}``.

    Args:
        role: which model answers.
        says: the text; a list: in just these pieces.
        calls: the calls that it asks for.
        first_ms: milliseconds from the request to the first piece. A reply without words or calls ends then.
        each_ms: milliseconds between two pieces. A call has three: its name, then two halves of its arguments.
        pieces: instead of all these: every piece with its time.
        ends: how it ends.
    """

    role: ModelRole
    says: Annotated[str | tuple[str, ...], BeforeValidator(_said)] = ""
    calls: tuple[Called, ...] = ()
    first_ms: Ms = FIRST_MS
    each_ms: Ms = 0
    pieces: tuple[_AnyPiece, ...] = ()
    ends: Ending = "complete"

    @model_validator(mode="before")
    @classmethod
    def _long(cls, given: object) -> object:
        found = as_mapping(given)
        for role in ("decider", "narrator"):
            if found is not None and role in found:
                folded = as_mapping(found[role]) is not None
                return unfold(found, role, "role") if folded else move_key(found, role, "role", "says")
        return given

    @model_validator(mode="after")
    def _one_manner(self) -> "Reply":
        fields = type(self).model_fields
        by_hand = [
            name
            for name in ("says", "calls", "first_ms", "each_ms")
            if getattr(self, name) != fields[name].default
        ]
        if self.pieces and by_hand:
            raise ValueError(
                f"pieces say everything already; leave out {' and '.join(by_hand)}, or the pieces"
            )
        for before, after in pairwise(self.pieces):
            if after.at_ms < before.at_ms:
                raise ValueError(f"pieces come in their order, and {after.at_ms} is before {before.at_ms}")
        return self


_DOES = {"returns": "returns", "fails": "fails", "raises": "raises", "hangs": "hangs", "confirm": "asks"}


class Run(CassettePart):
    """What one call of a tool does, ``after_ms`` after it began.

    It ``returns`` a result, ``fails`` with a clause that the customer may hear, ``raises`` an unexpected error, or
    ``hangs`` until it times out. ``confirm`` alone is no run: it is what the customer is asked before one.
    With ``arguments`` it belongs to the call with these arguments.

    Short: ``name: {returns: ...}``, ``name: {fails: "the clause"}``, ``name: {raises: "the error"}``,
    ``name: {hangs: true}``, ``name: {confirm: "cancel your visit"}``.

    Args:
        tool: the tool's name.
        does: which of the five; the short form has it as its key.
        returns: the result.
        fails: why the tool failed, as a clause that the customer may hear.
        for_model: with fails: what a model needs to know to call it correctly.
        raises: the message of an unexpected error.
        confirm: the question's clause before a side effect.
        after_ms: how long the run takes.
        arguments: the arguments of the call, if several calls of this tool run at once.
        fails_first: this many attempts fail because the service is unreachable, then one does what is written here.
        reconcile: for a side effect whose end was not seen: the answer of the tool's ``reconcile``.
            ``done`` returns what ``returns`` has; ``not_done``; ``unknown``: it cannot tell.
    """

    tool: Text
    does: Literal["returns", "fails", "raises", "hangs", "asks"]
    returns: Value = None
    fails: str = ""
    for_model: str | None = None
    raises: str = ""
    confirm: str | None = None
    after_ms: Ms = 0
    arguments: Object | None = None
    fails_first: Annotated[int, Field(ge=0, strict=True)] = 0
    reconcile: Literal["done", "not_done", "unknown"] | None = None

    @model_validator(mode="before")
    @classmethod
    def _long(cls, given: object) -> object:
        found = as_mapping(given)
        if found is None:
            return given
        if (name := tool_key(found, {*cls.model_fields, "hangs"})) is not None:
            if as_mapping(found[name]) is None:
                raise ValueError(f"write {name}: {{returns: ...}}, fails, raises, hangs: true, or confirm")
            found = unfold(found, name, "tool")
        return found if "does" in found else _with_deed(found)

    @model_validator(mode="after")
    def _one_deed(self) -> "Run":
        others = {
            "fails": self.fails,
            "raises": self.raises,
            "confirm": self.confirm,
            "returns": self.returns,
        }
        own = {"asks": "confirm"}.get(self.does, self.does)
        if self.reconcile == "done":
            # What was done is seen only when the tool is asked for it.
            del others["returns"]
        if other := next((name for name, value in others.items() if value and name != own), None):
            raise ValueError(f"{own} and {other} do not go together; keep one of them")
        if self.does in {"fails", "asks"} and not others[own]:
            raise ValueError(f'{own} needs a clause, such as "the invoices can\'t be reached"')
        if self.for_model is not None and self.does != "fails":
            raise ValueError("for_model goes with fails; leave it out")
        if (self.reconcile or self.fails_first) and self.does in {"fails", "asks"}:
            raise ValueError(f"{own} was heard: nothing is asked for afterwards, and nothing is tried again")
        return self


def _with_deed(found: RawMapping) -> RawMapping:
    deeds = [key for key in _DOES if key in found]
    if found.get("reconcile") == "done" and len(deeds) > 1:
        deeds = [key for key in deeds if key != "returns"]
    if not deeds and (old := next((key for key in found if key in RENAMED), None)):
        raise ValueError(f"{old!r} was renamed; write {RENAMED[old]!r}")
    if len(deeds) != 1:
        told = f"not {' and '.join(deeds)}" if deeds else "none stands there"
        raise ValueError(f"a run has one of returns, fails, raises, hangs, confirm; {told}")
    (deed,) = deeds
    if deed == "hangs" and found[deed] is not True:
        raise ValueError("write hangs: true")
    return {"does": _DOES[deed], **{key: value for key, value in found.items() if key != "hangs"}}


class Declared(CassettePart):
    """A tool of this file, for a name that no tool in the tools' folder has.

    Args:
        name: the tool's name.
        waiting_hint: what is said while it runs, such as "checking your billing".
        will: the hint after "I'll", if it cannot be derived from waiting_hint.
        description: what models are told about it.
        effect: whether it only reads, or changes something.
        confirm: whether the customer must agree first.
        acknowledge: whether it is announced.
        needs_customer: whether it is denied to an anonymous visitor.
        requires: how the customer must be identified; left out: as needs_customer says.
        timeout_s: how long a run may take, in seconds.
        max_concurrency: how many of its calls may run at a time.
        retries: how often it is tried again after a temporary failure.
        cache_ttl_s: how long a result is used again for the same call, in seconds.
        idempotent: whether two runs with one key have the effect of one.
        reconciles: whether it can tell afterwards if a side effect took place.
        trusted: whether its results have only the company's own words and numbers.
        long: whether it takes minutes to days, so that no turn waits for it.
        arguments: the names of its arguments; each is a text.
        required: those of them that must be given.
        narration: a template for what is said of a result when no model narrates.
        hints: both forms of the hint in other languages, by locale.
    """

    name: Text
    waiting_hint: str = ""
    will: str | None = None
    description: str = ""
    effect: Effect = "read"
    confirm: bool = False
    acknowledge: Acknowledge = "auto"
    needs_customer: bool = False
    requires: Level | None = None
    timeout_s: float = Field(default=10.0, gt=0)
    max_concurrency: int | None = Field(default=None, ge=1)
    retries: int = Field(default=0, ge=0)
    cache_ttl_s: float = Field(default=0.0, ge=0)
    idempotent: bool = False
    reconciles: bool = False
    trusted: bool = False
    long: bool = False
    arguments: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    narration: str | None = None
    hints: dict[str, tuple[str, str]] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _required_are_arguments(self) -> "Declared":
        if other := [name for name in self.required if name not in self.arguments]:
            raise ValueError(f"required names {', '.join(other)}, which arguments does not; add it there")
        return self
