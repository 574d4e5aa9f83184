"""The replies of models and the runs of tools in a cassette: one entry for each request and each call."""

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
"""The default time from the request to the first piece of a reply."""

Ending: TypeAlias = Literal["complete", "breaks", "stalls", "refused", "timed_out", "stopped"]
"""How a reply ends: complete; the connection breaks; no more pieces come until the request times out; the
provider refuses; the provider times out; the turn was stopped."""


class Called(CassettePart):
    """A call in a reply.

    Short: ``name``, ``{name: {arguments}}``, ``{name: "text of the arguments"}``.

    Args:
        tool: the tool's name.
        arguments: the arguments of the call.
        raw_arguments: use it instead of ``arguments`` if the model wrote no JSON object: the text that it
            wrote.
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
            raise ValueError("a call has arguments or raw_arguments; keep only one")
        return self


class TextPiece(CassettePart):
    """A piece of text, ``at_ms`` after the request. Short: ``[300, "text"]``.

    Args:
        at_ms: milliseconds after the request.
        text: the text of the piece.
    """

    at_ms: Ms
    text: Text


class NamePiece(CassettePart):
    """The name of a call. Short: ``[310, {call: name, id: x}]``.

    Args:
        at_ms: milliseconds after the request.
        call: the tool's name.
        index: the number of the call in the reply, from 0.
        id: the provider's id of this call.
    """

    at_ms: Ms
    call: Text
    index: int = 0
    id: str | None = None


class ArgumentsPiece(CassettePart):
    """A piece of a call's arguments. Short: ``[320, {arguments: "{}"}]``.

    Args:
        at_ms: milliseconds after the request.
        arguments: a part of the JSON, as it arrived.
        index: the number of the call in the reply, from 0.
    """

    at_ms: Ms
    arguments: str
    index: int = 0


class EndPiece(CassettePart):
    """The end of a reply, with the provider's counts of tokens and cost. Short: ``[330, {end: stop}]``.

    Args:
        at_ms: milliseconds after the request.
        end: the reason why the model stopped.
        input_tokens: the tokens that the model read.
        output_tokens: the tokens that the model wrote.
        cached_tokens: how many of the input tokens came from a cache.
        cost_usd: the cost in US dollars.
        model: the name of the model that answered.
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
        raise ValueError('expected a text, or a list of its pieces such as ["Hel", "lo."]')
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

    A reply that you write by hand has ``says``, ``calls`` or both. Its first piece comes ``first_ms`` after
    the request, each other piece ``each_ms`` later; a text is cut into words. A recorded reply has ``pieces``
    instead.

    Short: ``narrator: "text"`` or ``decider: {calls: [name]}``.

    Args:
        role: the role of the model that answers.
        says: the text. A list gives the pieces of the text.
        calls: the calls that the model asks for.
        first_ms: milliseconds from the request to the first piece, or to the end if there are no pieces.
        each_ms: milliseconds between two pieces. A call has three pieces: its name, and two halves of its
            arguments.
        pieces: use it instead of all these: each piece with its time.
        ends: how the reply ends.
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
                f"pieces already contain everything; leave out {' and '.join(by_hand)}, or the pieces"
            )
        for before, after in pairwise(self.pieces):
            if after.at_ms < before.at_ms:
                raise ValueError(
                    f"pieces must be in order of time, but {after.at_ms} is before {before.at_ms}"
                )
        return self


_DOES = {"returns": "returns", "fails": "fails", "raises": "raises", "hangs": "hangs", "confirm": "asks"}


class Run(CassettePart):
    """The behaviour of a tool in one call.

    It ``returns`` a result, ``fails`` with a clause that the customer may hear, ``raises`` an unexpected
    error, or ``hangs`` until it times out. An entry with ``confirm`` is not a run, but the question before
    one. An entry with ``arguments`` belongs to the call with these arguments.

    Short: ``name: {returns: ...}``, ``name: {fails: "the clause"}``, ``name: {raises: "the error"}``,
    ``name: {hangs: true}``, ``name: {confirm: "cancel your visit"}``.

    Args:
        tool: the tool's name.
        does: which of the five kinds it is; the short form has it as its key.
        returns: the result.
        fails: why the tool failed, as a clause that the customer may hear.
        for_model: with ``fails``: what a model must know to call the tool correctly.
        raises: the message of an unexpected error.
        confirm: the clause of the question before a side effect.
        after_ms: milliseconds from the start of the call to its end.
        arguments: the arguments of the call, if several calls of this tool run at the same time.
        fails_first: this number of attempts fails because the service is unreachable; the next one does what is
            written here.
        reconcile: for a side effect whose end was not seen: the answer of the tool's ``reconcile``. ``done``: it
            was done, with the result in ``returns``. ``not_done``: it was not. ``unknown``: the tool cannot tell.
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
            # The result of a side effect whose end was not seen is known only from ``reconcile``.
            del others["returns"]
        if other := next((name for name, value in others.items() if value and name != own), None):
            raise ValueError(f"{own} and {other} do not go together; keep one of them")
        if self.does in {"fails", "asks"} and not others[own]:
            raise ValueError(f'{own} needs a clause, such as "the invoices can\'t be reached"')
        if self.for_model is not None and self.does != "fails":
            raise ValueError("for_model belongs to fails; leave it out")
        if (self.reconcile or self.fails_first) and self.does in {"fails", "asks"}:
            raise ValueError(f"{own} is a final result; leave out reconcile and fails_first")
        return self


def _with_deed(found: RawMapping) -> RawMapping:
    deeds = [key for key in _DOES if key in found]
    if found.get("reconcile") == "done" and len(deeds) > 1:
        deeds = [key for key in deeds if key != "returns"]
    if not deeds and (old := next((key for key in found if key in RENAMED), None)):
        raise ValueError(f"{old!r} was renamed; write {RENAMED[old]!r}")
    if len(deeds) != 1:
        told = f"not {' and '.join(deeds)}" if deeds else "there is none"
        raise ValueError(f"a run has one of returns, fails, raises, hangs, confirm; {told}")
    (deed,) = deeds
    if deed == "hangs" and found[deed] is not True:
        raise ValueError("write hangs: true")
    return {"does": _DOES[deed], **{key: value for key, value in found.items() if key != "hangs"}}


class Declared(CassettePart):
    """A tool that exists only in this file. The tools' folder must have no tool with this name.

    Args:
        name: the tool's name.
        waiting_hint: what the assistant says while it runs, such as "checking your billing".
        will: the hint after "I'll", if it cannot be derived from waiting_hint.
        description: the description for models.
        effect: whether the tool only reads, or changes something.
        confirm: whether the customer must agree first.
        acknowledge: whether the assistant announces the call.
        needs_customer: whether the tool is denied to an anonymous visitor.
        requires: how the customer must be identified. Left out: it follows from needs_customer.
        timeout_s: the time limit of a run, in seconds.
        max_concurrency: how many calls of the tool may run at the same time.
        retries: how many times a call is tried again after a temporary failure.
        cache_ttl_s: how long a result is used again for an equal call, in seconds.
        idempotent: whether two runs with the same key have the effect of one.
        reconciles: whether the tool can tell afterwards if a side effect took place.
        trusted: whether its results contain only texts and numbers of the company.
        long: whether it takes minutes to days, so that no turn waits for it.
        arguments: the names of its arguments, which are all texts.
        required: the arguments that must be given.
        narration: a template for the answer if no model narrates the result.
        hints: the two forms of the hint in other languages, by locale.
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
