"""Masks a cassette: finds the personal data in all its parts, and replaces it everywhere.

`rewrite` visits all texts in a cassette, and is also used to replace the ids of conversations.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar, cast

from pydantic import BaseModel

from assistant.conversation.values import Json
from assistant.replay.cassette import Cassette, Who
from assistant.replay.recording.personal_data import Kind, patterns_found_in
from assistant.replay.recording.pseudonymizer import (
    Pseudonymizer,
    Span,
    personal_in,
    personal_in_arguments,
    pseudonymized,
    replace_spans,
    spans_in_arguments,
    texts_in,
    texts_in_arguments,
)
from assistant.replay.replies import ArgumentsPiece, Piece, Reply, TextPiece

_DEMO = "demo"


@dataclass(frozen=True, slots=True)
class Masked:
    """A cassette without personal data.

    ``replaced`` says how many different values of each kind were replaced.
    """

    cassette: Cassette
    replaced: Mapping[Kind, int]


def mask(cassette: Cassette, *, keep: Collection[str] = (), also: Mapping[str, Kind] | None = None) -> Masked:
    """Replace personal data by surrogates of the same kind. The same value always gets the same surrogate.

    It masks e-mail addresses, phone, account and card numbers, streets, postcodes and towns, names and
    birthdays. It finds them by their form or by their field's name. Each word of a name with three letters or
    more is also masked alone. The customer's id becomes "customer". Order numbers, amounts, dates and times
    of appointments stay. Frames are left out, because a replay makes them again.

    It cannot find everything. For example, a name in the middle of a customer's sentence is masked only with
    ``also``. Read a file before you pass it on.

    Args:
        cassette: the recorded cassette.
        keep: words that stay as they are.
        also: more words that are personal data here, with their kinds.
    """
    found = _Collected()
    rewrite(cassette, found)
    texts = [*found.texts, *(text for value in found.values for text in texts_in(value))]
    texts += [text for written in found.written for text in texts_in_arguments(written)]
    pseudonymizer = Pseudonymizer(" ".join(texts), keep)
    for text, kind in (also or {}).items():
        pseudonymizer.learn(kind, text)
    who = cassette.customer
    if who.name:
        pseudonymizer.learn("name", who.name)
    if who.id != _DEMO and any(letter.isdigit() for letter in who.id):
        pseudonymizer.learn("id", who.id)
    for event in (event for turn in cassette.turns for event in turn.meanwhile):
        if event.happens == "agent_accepts" and event.words:
            pseudonymizer.learn("name", event.words)
    personal = [one for value in found.values for one in personal_in(value)]
    personal += [one for written in found.written for one in personal_in_arguments(written)]
    personal += [one for text in texts for one in patterns_found_in(text)]
    for kind, text in personal:
        pseudonymizer.learn(kind, text)
    masked = rewrite(cassette, _Masking(pseudonymizer))
    masked = masked.model_copy(update={"customer": _masked_customer(who, pseudonymizer), "frames": ()})
    return Masked(masked, pseudonymizer.counts)


def _masked_customer(who: Who, pseudonymizer: Pseudonymizer) -> Who:
    return who.model_copy(
        update={
            "id": who.id if who.id == _DEMO else "customer",
            "tenant": who.tenant if who.tenant == _DEMO else "company",
            "name": pseudonymizer.pseudonymize_all("name", who.name) if who.name else None,
        }
    )


class Rewriter(Protocol):
    """Decides what to replace in a cassette."""

    def spans(self, text: str, *, cut: bool = False) -> list[Span]:
        """Returns the replacements in a text. ``cut`` means that the end of the text is missing."""
        ...

    def rewrite_value(self, value: Json) -> Json:
        """Returns a result, or a call's arguments, with all replacements."""
        ...

    def argument_spans(self, written: str) -> list[Span]:
        """Returns the replacements in arguments as a model wrote them: JSON that may be incomplete."""
        ...


@dataclass(frozen=True, slots=True)
class _Collected:
    """Replaces nothing, and collects all texts and values."""

    texts: list[str] = field(default_factory=list[str])
    values: list[Json] = field(default_factory=list[Json])
    written: list[str] = field(default_factory=list[str])

    def spans(self, text: str, *, cut: bool = False) -> list[Span]:  # noqa: ARG002 - as the protocol has it
        self.texts.append(text)
        return []

    def rewrite_value(self, value: Json) -> Json:
        self.values.append(value)
        return value

    def argument_spans(self, written: str) -> list[Span]:
        self.written.append(written)
        return []


@dataclass(frozen=True, slots=True)
class _Masking:
    pseudonymizer: Pseudonymizer

    def spans(self, text: str, *, cut: bool = False) -> list[Span]:
        return self.pseudonymizer.spans(text, cut=cut)

    def rewrite_value(self, value: Json) -> Json:
        return pseudonymized(value, self.pseudonymizer)

    def argument_spans(self, written: str) -> list[Span]:
        return spans_in_arguments(written, self.pseudonymizer)


T = TypeVar("T", bound=BaseModel)

_TEXTS = frozenset(
    {"about", "customer", "heard_up_to", "says", "fails", "for_model", "raises", "confirm", "after", "words"}
    | {"text", "text_contains"}
)
"""Keys whose texts people or models wrote. Other texts are names of tools, kinds and similar."""

_VALUES = frozenset({"returns", "arguments"})
_CUT = " --"
"""The end of a stopped message in a scene."""


def rewrite(part: T, rewriter: Rewriter) -> T:
    """Returns a part of a cassette with all replacements.

    Texts and arguments in pieces keep their pieces and times. A piece that becomes empty is left out.
    """
    update: dict[str, object] = {}
    for name in type(part).model_fields:
        value: object = getattr(part, name)
        if name in ("tools", "frames") or value is None:
            continue
        if isinstance(value, BaseModel):
            update[name] = rewrite(value, rewriter)
        elif name == "pieces" and isinstance(part, Reply):
            update[name] = _rewrite_pieces(part, rewriter)
        elif name == "says" and isinstance(value, tuple):
            said = cast("Sequence[str]", value)
            update[name] = tuple(filter(None, replace_spans(said, rewriter.spans("".join(said)))))
        elif name in _VALUES:
            update[name] = rewriter.rewrite_value(cast("Json", value))
        elif name == "raw_arguments":
            update[name] = replace_spans([str(value)], rewriter.argument_spans(str(value)))[0]
        elif name == "scene":
            update[name] = "\n".join(_rewrite_line(line, rewriter) for line in str(value).split("\n"))
        elif isinstance(value, str) and name in _TEXTS:
            update[name] = _rewrite_text(value, rewriter)
        elif isinstance(value, tuple):
            items = cast("tuple[object, ...]", value)
            update[name] = tuple(_rewrite_item(name, item, rewriter) for item in items)
    return part.model_copy(update=update)


def _rewrite_item(name: str, item: object, rewriter: Rewriter) -> object:
    if isinstance(item, BaseModel):
        return rewrite(item, rewriter)
    return _rewrite_text(item, rewriter) if isinstance(item, str) and name in _TEXTS else item


def _rewrite_text(text: str, rewriter: Rewriter, *, cut: bool = False) -> str:
    return replace_spans([text], rewriter.spans(text, cut=cut))[0]


def _rewrite_line(line: str, rewriter: Rewriter) -> str:
    """Returns a line of a scene with all replacements. A stopped message may end in the middle of a word."""
    text = line.removesuffix(_CUT)
    return _rewrite_text(text, rewriter, cut=text != line) + line[len(text) :]


def _rewrite_pieces(reply: Reply, rewriter: Rewriter) -> tuple[Piece, ...]:
    """Returns the pieces with all replacements.

    The pieces of a text are read together, because a name may be cut.
    """
    kept: list[Piece | None] = list(reply.pieces)
    texts = {place: piece.text for place, piece in enumerate(reply.pieces) if isinstance(piece, TextPiece)}
    cut = reply.ends != "complete"
    groups = [("text", texts, rewriter.spans("".join(texts.values()), cut=cut))]
    calls: dict[int, dict[int, str]] = {}
    for place, piece in enumerate(reply.pieces):
        if isinstance(piece, ArgumentsPiece):
            calls.setdefault(piece.index, {})[place] = piece.arguments
    for _, own in sorted(calls.items()):
        groups.append(("arguments", own, rewriter.argument_spans("".join(own.values()))))
    for key, own, spans in groups:
        for (place, was), text in zip(own.items(), replace_spans([*own.values()], spans), strict=True):
            if text != was:
                kept[place] = reply.pieces[place].model_copy(update={key: text}) if text else None
    return tuple(piece for piece in kept if piece is not None)
