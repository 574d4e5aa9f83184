"""What the models answer: one reply for each time that one is asked, in the order of the requests."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated, Literal, TypeAlias, cast

from pydantic import BeforeValidator, Discriminator, Field, Tag, model_validator

from assistant.conversation.entries import ModelRole
from assistant.replay.cassette.short_forms import mapping, moved, own_name, pair, unfolded
from assistant.replay.cassette.written import Ms, Object, Text, Written

Ending: TypeAlias = Literal["complete", "breaks", "stalls", "refused", "timed_out", "stopped"]
"""How a reply ends: as it should; the line breaks; nothing comes any more, until it is given up; the provider
refuses; the request's time is up; somebody stopped the turn."""


class Called(Written):
    """A call in a reply. ``written`` are arguments that are no JSON object, as the model wrote them.

    Short: ``name``, ``{name: {arguments}}``, ``{name: "what was written"}``.

    Args:
        tool: the tool's name.
        arguments: what it is called with.
        written: instead of arguments: what the model wrote, where that is no JSON object.
    """

    tool: Text
    arguments: Object = Field(default_factory=dict)
    written: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _long(cls, given: object) -> object:
        if isinstance(given, str):
            return {"tool": given}
        found = mapping(given)
        if found is None or (name := own_name(found, cls.model_fields)) is None:
            return given
        return moved(found, name, "tool", "written" if isinstance(found[name], str) else "arguments")

    @model_validator(mode="after")
    def _one_of_two(self) -> "Called":
        if self.arguments and self.written is not None:
            raise ValueError("a call has arguments, or what was written instead of them; keep one of the two")
        return self


class TextPiece(Written):
    """Some text, so many ms after the request. Short: ``[300, "text"]``.

    Args:
        at_ms: how long after the request.
        text: the words.
    """

    at_ms: Ms
    text: Text


class NamePiece(Written):
    """A call begins. Short: ``[310, {call: name, id: x}]``.

    Args:
        at_ms: how long after the request.
        call: the tool's name.
        index: which of the reply's calls it is, from 0.
        id: the provider's own name for this call.
    """

    at_ms: Ms
    call: Text
    index: int = 0
    id: str | None = None


class ArgumentsPiece(Written):
    """Some more of a call's arguments. Short: ``[320, {arguments: "{}"}]``.

    Args:
        at_ms: how long after the request.
        arguments: a part of the JSON, as it came.
        index: which of the reply's calls they belong to, from 0.
    """

    at_ms: Ms
    arguments: str
    index: int = 0


class EndPiece(Written):
    """The reply is complete; tokens and money as the provider told them. Short: ``[330, {end: stop}]``.

    Args:
        at_ms: how long after the request.
        end: why the model stopped.
        input_tokens: what it read.
        output_tokens: what it wrote.
        cached_tokens: what of it was read from a cache.
        cost_usd: what it cost.
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
    found = mapping(given)
    if found is None:
        return type(given).__name__
    return next((kind.__name__ for key, kind in _PIECES.items() if key in found), None)


def _long_piece(given: object) -> object:
    if (found := pair(given)) is None:
        return given
    at_ms, what = found
    if isinstance(what, str):
        return {"at_ms": at_ms, "text": what}
    return {"at_ms": at_ms, **kind} if (kind := mapping(what)) is not None else given


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


class Reply(Written):
    """One reply.

    Written by hand it has ``says``, ``calls`` or both, the first piece ``first_ms`` after the request and the
    others ``each_ms`` apart, a text word by word. A recorded one has its ``pieces`` instead.

    Short: ``narrator: "text"`` or ``decider: {calls: [name]}``.

    Args:
        role: which model answers.
        says: the text; a list: in just these pieces.
        calls: the calls that it decides.
        first_ms: how long after the request the first piece comes.
        each_ms: how long after each other the further pieces come. A call is its name, then its arguments in two
            halves: it is complete two of these after its name.
        pieces: instead of all these: every piece with its time.
        ends: how it ends.
    """

    role: ModelRole
    says: Annotated[str | tuple[str, ...], BeforeValidator(_said)] = ""
    calls: tuple[Called, ...] = ()
    first_ms: Ms = 0
    each_ms: Ms = 0
    pieces: tuple[_AnyPiece, ...] = ()
    ends: Ending = "complete"

    @model_validator(mode="before")
    @classmethod
    def _long(cls, given: object) -> object:
        found = mapping(given)
        for role in ("decider", "narrator"):
            if found is not None and role in found:
                folded = mapping(found[role]) is not None
                return unfolded(found, role, "role") if folded else moved(found, role, "role", "says")
        return given

    @model_validator(mode="after")
    def _one_manner(self) -> "Reply":
        by_hand = [name for name in ("says", "calls", "first_ms", "each_ms") if getattr(self, name)]
        if self.pieces and by_hand:
            raise ValueError(
                f"pieces say everything already; leave out {' and '.join(by_hand)}, or the pieces"
            )
        for before, after in pairwise(self.pieces):
            if after.at_ms < before.at_ms:
                raise ValueError(f"pieces come in their order, and {after.at_ms} is before {before.at_ms}")
        return self
