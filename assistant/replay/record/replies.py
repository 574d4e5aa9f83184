"""What the models answered, as a cassette has it: in pieces, each at its time."""

import re
from collections.abc import Iterable
from typing import assert_never

from assistant.conversation.calls import number_of
from assistant.conversation.chunks import CallArguments, CallNamed, Opaque, StreamEnded, TextDelta
from assistant.conversation.entries import CallRequested, MessageText
from assistant.formats.json_text import json_text
from assistant.replay.record.requests import Request
from assistant.replay.replies import (
    ArgumentsPiece,
    Ending,
    EndPiece,
    NamePiece,
    Piece,
    Reply,
    TextPiece,
)
from assistant.turn.ask_model import STOPPED

_ENDINGS: tuple[tuple[re.Pattern[str], Ending], ...] = (
    (re.compile(r"\bsilent\b|\bno first token\b"), "stalls"),
    (re.compile(r"\btime[d -]?\s?out\b", re.IGNORECASE), "timed_out"),
    # 408, 409, 425 and 429 are answers of a server in trouble.
    (
        re.compile(r"\banswered 4(?!08|09|25|29)\d\d\b|\bapi[ _]key\b|\bauthentication", re.IGNORECASE),
        "refused",
    ),
)


def reply_to(request: Request) -> Reply:
    """The reply to one request, as it came.

    One that the end of the process cut off has what is known of it, and then nothing comes any more.
    """
    if request.brought is None:
        return Reply(role=request.asked.role, pieces=tuple(_seen(request)), ends="stalls")
    # What a provider wants back is of no use to anybody else, and may hold anything.
    said = (_piece(at_ms, chunk) for at_ms, chunk in request.brought.chunks if not isinstance(chunk, Opaque))
    pieces = joined(said)
    return Reply(role=request.asked.role, pieces=pieces, ends=ending(request.brought.error))


def ending(error: str | None) -> Ending:
    """How a reply ended, told from what the log says of it.

    >>> ending(None), ending("no first token within 20 s"), ending("the provider answered 401: who are you?")
    ('complete', 'stalls', 'refused')
    """
    if error is None:
        return "complete"
    if error == STOPPED:
        return "stopped"
    for words, how in _ENDINGS:
        if words.search(error):
            return how
    return "breaks"


def joined(pieces: Iterable[Piece]) -> tuple[Piece, ...]:
    """Pieces with those that came in the same millisecond as one: nobody can tell them apart.

    >>> joined([TextPiece(at_ms=5, text="Good"), TextPiece(at_ms=5, text=" day")])
    (TextPiece(at_ms=5, text='Good day'),)
    """
    found: list[Piece] = []
    for piece in pieces:
        match found[-1:], piece:
            case [TextPiece(at_ms=at_ms, text=text)], TextPiece() if piece.at_ms == at_ms:
                found[-1] = TextPiece(at_ms=at_ms, text=text + piece.text)
            case [ArgumentsPiece(at_ms=at_ms, index=index, arguments=written)], ArgumentsPiece() if (
                piece.at_ms,
                piece.index,
            ) == (at_ms, index):
                found[-1] = ArgumentsPiece(at_ms=at_ms, index=index, arguments=written + piece.arguments)
            case _:
                found.append(piece)
    return tuple(found)


def _piece(at_ms: int, chunk: TextDelta | CallNamed | CallArguments | StreamEnded) -> Piece:
    match chunk:
        case TextDelta(text=text):
            return TextPiece(at_ms=at_ms, text=text)
        case CallNamed(index=index, name=name, provider_id=id_):
            return NamePiece(at_ms=at_ms, call=name, index=index, id=id_)
        case CallArguments(index=index, fragment=fragment):
            return ArgumentsPiece(at_ms=at_ms, arguments=fragment, index=index)
        case StreamEnded():
            return EndPiece(
                at_ms=at_ms,
                end=chunk.reason,
                input_tokens=chunk.input_tokens,
                output_tokens=chunk.output_tokens,
                cached_tokens=chunk.cached_tokens,
                cost_usd=chunk.cost_usd,
                model=chunk.model,
            )
        case _:
            assert_never(chunk)


def _seen(request: Request) -> Iterable[Piece]:
    for logged in request.seen:
        at_ms = logged.at_ms - request.at_ms
        match logged.entry:
            case MessageText(text=text):
                yield TextPiece(at_ms=at_ms, text=text)
            case CallRequested(call=call):
                index = number_of(call.id) - 1
                yield NamePiece(at_ms=at_ms, call=call.tool, index=index, id=call.provider_id)
                yield ArgumentsPiece(at_ms=at_ms, arguments=json_text(call.arguments), index=index)
            case _:
                pass
