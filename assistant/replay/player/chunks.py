"""A reply of a cassette as what comes out of a model's stream, each chunk at its time."""

from typing import TypeAlias, assert_never

from assistant.conversation.chunks import CallArguments, CallNamed, Chunk, StreamEnded, TextDelta
from assistant.replay.replies import ArgumentsPiece, EndPiece, NamePiece, Piece, Reply, TextPiece
from assistant.testing.script import calls, says

Timed: TypeAlias = tuple[int, Chunk]
"""Milliseconds after the request, and what comes then."""


def timed_chunks(reply: Reply) -> list[Timed]:
    """Everything that the reply brings before it ends as it does, in the order of time.

    >>> timed_chunks(Reply(role="narrator", says="On Tuesday.", first_ms=300, each_ms=10))[1:]
    [(310, TextDelta(text=' Tuesday.')), (320, StreamEnded(reason='stop', ...
    """
    if reply.pieces:
        return [(piece.at_ms, _chunk(piece)) for piece in reply.pieces]
    chunks = [chunk for chunk in _written(reply) if reply.ends == "complete" or not _is_end(chunk)]
    return [(reply.first_ms + place * reply.each_ms, chunk) for place, chunk in enumerate(chunks)]


def _written(reply: Reply) -> list[Chunk]:
    """A reply that was written by hand, cut as a test's script is."""
    asked = [(call.tool, call.arguments if call.written is None else call.written) for call in reply.calls]
    line = calls(*asked, text=reply.says) if asked else says(reply.says)
    return [
        step for step in line.steps if isinstance(step, TextDelta | CallNamed | CallArguments | StreamEnded)
    ]


def _is_end(chunk: Chunk) -> bool:
    return isinstance(chunk, StreamEnded)


def _chunk(piece: Piece) -> Chunk:
    match piece:
        case TextPiece(text=text):
            return TextDelta(text)
        case NamePiece(index=index, call=name, id=provider_id):
            return CallNamed(index, name, provider_id)
        case ArgumentsPiece(index=index, arguments=fragment):
            return CallArguments(index, fragment)
        case EndPiece():
            return StreamEnded(
                piece.end,
                piece.input_tokens,
                piece.output_tokens,
                piece.cached_tokens,
                piece.cost_usd,
                piece.model,
            )
        case _:
            assert_never(piece)
