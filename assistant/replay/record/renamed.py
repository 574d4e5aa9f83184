"""Gives the conversations that a cassette names the names that they have in a replay, or none that is real."""

import re
from collections.abc import Mapping, Sequence
from typing import Final, TypeVar, cast

from pydantic import BaseModel

from assistant.replay.cassette import Cassette
from assistant.replay.record.masking.spans import Span, rewritten
from assistant.replay.replies import ArgumentsPiece, Piece, Reply, TextPiece
from assistant.testing.counted_ids import CountedIds

T = TypeVar("T", bound=BaseModel)

_IN_A_REPLAY: Final = CountedIds().new()
"""The first id that a replay gives is its conversation's: what refers to one of its results leads there again."""

_ANOTHER: Final = "earlier-{number}"
_REFERENCE: Final = r"(?<=\bresult:)[^\s/\"'\\]+(?=/[^\s/\"'\\]+/c\d)"


def renamed(cassette: Cassette, conversation: str) -> Cassette:
    """The same cassette, in which nothing names the conversation that it was recorded of, or another of before.

    Texts and arguments in pieces keep their pieces and times; one that has become empty is left out.
    """
    return _Names(conversation).in_model(cassette)


class _Names:
    """What each conversation is called, the same one the same everywhere."""

    def __init__(self, conversation: str) -> None:
        self._names = {conversation: _IN_A_REPLAY}
        self._pattern = re.compile(rf"{_REFERENCE}|(?<!\w){re.escape(conversation)}(?!\w)")

    def in_model(self, part: T) -> T:
        """A part of a cassette, with every text in it."""
        fields = {name: self._in(getattr(part, name)) for name in type(part).model_fields}
        if isinstance(part, Reply):
            fields["pieces"] = self._in_pieces(part.pieces)
        return part.model_copy(update=fields)

    def _in(self, value: object) -> object:
        match value:
            case str():
                return self._pattern.sub(lambda found: self._instead(found[0]), value)
            case BaseModel():
                return self.in_model(value)
            case Mapping():
                pairs = cast("Mapping[str, object]", value)
                return {key: self._in(inner) for key, inner in pairs.items()}
            case list() | tuple():
                row = (self._in(inner) for inner in cast("Sequence[object]", value))
                return tuple(row) if isinstance(value, tuple) else list(row)
            case _:
                return value

    def _in_pieces(self, pieces: Sequence[Piece]) -> tuple[Piece, ...]:
        """A name may begin in one piece and end in another."""
        kept: list[Piece | None] = list(pieces)
        calls = {piece.index for piece in pieces if isinstance(piece, ArgumentsPiece)}
        for call in (None, *sorted(calls)):
            own = [place for place, piece in enumerate(pieces) if _belongs(piece, call)]
            written = [_written(pieces[place]) for place in own]
            for place, text in zip(own, rewritten(written, self._spans("".join(written))), strict=True):
                kept[place] = _with(pieces[place], text)
        return tuple(piece for piece in kept if piece is not None)

    def _spans(self, text: str) -> list[Span]:
        found = self._pattern.finditer(text)
        return [Span(one.start(), one.end(), self._instead(one[0])) for one in found]

    def _instead(self, name: str) -> str:
        return self._names.setdefault(name, _ANOTHER.format(number=len(self._names)))


def _belongs(piece: Piece, call: int | None) -> bool:
    """Whether it is one of this call's arguments; of the reply's words where there is no call."""
    if call is None:
        return isinstance(piece, TextPiece)
    return isinstance(piece, ArgumentsPiece) and piece.index == call


def _written(piece: Piece) -> str:
    match piece:
        case TextPiece(text=text) | ArgumentsPiece(arguments=text):
            return text
        case _:
            return ""


def _with(piece: Piece, text: str) -> Piece | None:
    """The piece with another text; None where that is empty and was not."""
    if text == _written(piece):
        return piece
    field = "text" if isinstance(piece, TextPiece) else "arguments"
    return piece.model_copy(update={field: text}) if text else None
