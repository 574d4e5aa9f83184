"""A model that answers with the replies of a cassette, each piece at its time."""

from collections import deque
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import TypeAlias, assert_never

from assistant.conversation.chunks import CallArguments, CallNamed, Chunk, StreamEnded, TextDelta
from assistant.conversation.entries import ModelRole
from assistant.errors import ModelBroke, ModelRefused, ModelTimeout
from assistant.ports import Clock, ModelRequest
from assistant.replay.cassette import Cassette
from assistant.replay.played import Mismatches
from assistant.replay.player.live_models import LiveModels
from assistant.replay.replies import ArgumentsPiece, EndPiece, NamePiece, Piece, Reply, TextPiece
from assistant.testing.script import calls, says

_SHOWN = 40


class CassetteModel:
    """Plays all roles: each role gets its replies in order, one for each request.

    A request without a reply is asked of the ``live`` models if they answer its turn. If not, it is reported, and
    fails with ``ModelBroke``.
    """

    name = "cassette"

    def __init__(
        self, cassette: Cassette, clock: Clock, mismatches: Mismatches, live: LiveModels | None = None
    ) -> None:
        self._clock, self._mismatches, self._live = clock, mismatches, live
        self._left: dict[ModelRole, deque[tuple[int, Reply]]] = {"decider": deque(), "narrator": deque()}
        for number, turn in enumerate(cassette.turns, 1):
            for reply in turn.replies:
                self._left[reply.role].append((number, reply))

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Chunk, None]:
        """Stream the role's next reply, piece by piece."""
        left = self._left[request.role]
        if self._live is not None and self._mismatches.turn_now() >= self._live.from_turn:
            while left and left[0][0] < self._live.from_turn:
                left.popleft()  # an earlier turn needed fewer requests than in the recording
            if not left:
                async with aclosing(self._live.stream(request, self._clock)) as chunks:
                    async for chunk in chunks:
                        yield chunk
                return
        if not left:
            self._mismatches.add(f"the {request.role} was asked once more; the cassette has no reply left")
            raise ModelBroke("the cassette has no reply left")
        _, reply = left.popleft()
        began = self._clock.monotonic()
        begun = False
        for at_ms, chunk in timed_chunks(reply):
            wait_s = began + at_ms / 1000 - self._clock.monotonic()
            if wait_s > 0:
                await self._clock.sleep(wait_s)
            begun = True
            yield chunk
        if not begun and reply.ends in ("breaks", "refused", "timed_out"):
            # A reply without words ends at the time of its first piece.
            await self._clock.sleep(reply.first_ms / 1000)
        await self._end(reply, request, begun=begun)

    async def close(self) -> None:
        """Does nothing."""

    def note_unused(self) -> None:
        """Report each unused reply."""
        for left in self._left.values():
            for number, reply in left:
                self._mismatches.add(f"the {reply.role}'s reply {_shown(reply)} was never asked for", number)

    async def _end(self, reply: Reply, request: ModelRequest, *, begun: bool) -> None:
        match reply.ends:
            case "complete":
                return
            case "breaks":
                raise ModelBroke("the cassette's reply breaks off here")
            case "refused":
                raise ModelRefused("the cassette's provider refuses")
            case "timed_out":
                raise ModelTimeout("the cassette's provider was too slow")
            case "stalls":
                await self._fall_silent(request, begun=begun)
            case "stopped":
                await self._fall_silent(request, begun=begun, expected="the turn was to be stopped")
            case _:
                assert_never(reply.ends)

    async def _fall_silent(self, request: ModelRequest, *, begun: bool, expected: str = "") -> None:
        """Send nothing more. Raises ``ModelTimeout`` after the request's own time limit."""
        limit_s = request.options.next_token_s if begun else request.options.first_token_s
        await self._clock.sleep(limit_s)
        if expected:
            self._mismatches.add(f"the {request.role}'s reply was given up; {expected} before")
        raise ModelTimeout(f"the cassette's reply is silent for {limit_s:g} s")


def _shown(reply: Reply) -> str:
    """Returns a short form of a reply that its author recognises."""
    chunks = [chunk for _, chunk in timed_chunks(reply)]
    text = "".join(getattr(chunk, "text", "") for chunk in chunks)
    names = [name for chunk in chunks if (name := getattr(chunk, "name", ""))]
    told = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
    return repr(told) if told else f"with {', '.join(names)}" if names else f"without words ({reply.ends})"


Timed: TypeAlias = tuple[int, Chunk]
"""Milliseconds after the request, and the chunk that comes then."""


def timed_chunks(reply: Reply) -> list[Timed]:
    """Returns all pieces of the reply before its end, in the order of time.

    >>> timed_chunks(Reply(role="narrator", says="On Tuesday.", first_ms=300, each_ms=10))[1:]
    [(310, TextDelta(text=' Tuesday.')), (320, StreamEnded(reason='stop', ...
    """
    if reply.pieces:
        return [(piece.at_ms, _chunk(piece)) for piece in reply.pieces]
    # A reply that is written by hand is cut into words, like the script of a test.
    asked = [
        (call.tool, call.arguments if call.raw_arguments is None else call.raw_arguments)
        for call in reply.calls
    ]
    line = calls(*asked, text=reply.says) if asked else says(reply.says)
    chunks = [step for step in line.steps if isinstance(step, TextDelta | CallNamed | CallArguments)]
    ends = [step for step in line.steps if isinstance(step, StreamEnded) and reply.ends == "complete"]
    return [(reply.first_ms + place * reply.each_ms, chunk) for place, chunk in enumerate([*chunks, *ends])]


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
