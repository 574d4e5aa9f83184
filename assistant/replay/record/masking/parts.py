"""Everything that a cassette says, whoever says it: texts, values, and JSON as models write it."""

from collections.abc import Iterator

from assistant.conversation.values import Json
from assistant.replay.cassette import Cassette, Turn
from assistant.replay.expectations import Expectations
from assistant.replay.replies import ArgumentsPiece, Reply, Run, TextPiece


def texts_of(cassette: Cassette) -> Iterator[str]:
    """The texts: of the customer, of models, of tools that refuse, of what is expected."""
    yield cassette.about
    yield from _expected(cassette.expect)
    for turn in cassette.turns:
        yield turn.customer
        yield turn.heard_up_to or ""
        for reply in turn.replies:
            yield from _said(reply)
        for run in turn.tools:
            yield from filter(None, (run.refuses, run.for_model, run.breaks, run.clause))
        yield from (text for event in turn.meanwhile for text in (event.after, event.words) if text)
        yield from _expected(turn.expect)


def values_of(cassette: Cassette) -> Iterator[Json]:
    """The values: results, and the arguments of calls."""
    for turn in cassette.turns:
        yield from _values(turn)


def arguments_of(cassette: Cassette) -> Iterator[str]:
    """The arguments as models wrote them, of each call its own."""
    for turn in cassette.turns:
        for reply in turn.replies:
            yield from (written for index in indexes(reply) if (written := written_for(reply, index)))
            yield from (call.written for call in reply.calls if call.written)


def indexes(reply: Reply) -> list[int]:
    """The numbers of the calls in a recorded reply."""
    return sorted({piece.index for piece in reply.pieces if isinstance(piece, ArgumentsPiece)})


def written_for(reply: Reply, index: int) -> str:
    """All that a recorded reply wrote for this call."""
    pieces = (piece for piece in reply.pieces if isinstance(piece, ArgumentsPiece))
    return "".join(piece.arguments for piece in pieces if piece.index == index)


def _values(turn: Turn) -> Iterator[Json]:
    for reply in turn.replies:
        yield from (call.arguments for call in reply.calls)
    for run in turn.tools:
        yield from _of_run(run)
    yield from (call.arguments for call in turn.expect.calls or () if call.arguments)


def _of_run(run: Run) -> Iterator[Json]:
    yield run.gives
    if run.arguments is not None:
        yield run.arguments


def _said(reply: Reply) -> Iterator[str]:
    yield reply.says if isinstance(reply.says, str) else "".join(reply.says)
    yield "".join(piece.text for piece in reply.pieces if isinstance(piece, TextPiece))


def _expected(expect: Expectations) -> Iterator[str]:
    yield expect.scene or ""
    for hears in expect.hears:
        yield from (hears.text or "", *hears.text_contains)
    yield from (never.text_contains for never in expect.never if never.text_contains)
