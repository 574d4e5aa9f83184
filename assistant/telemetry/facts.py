"""What one log entry tells an operator, with the earlier entries that belong to it. Pure functions of the log."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from assistant.conversation.calls import Call
from assistant.conversation.chunks import CallNamed, StreamEnded, TextDelta
from assistant.conversation.entries import (
    CallEnded,
    CallStarted,
    Cause,
    ConfirmationAsked,
    CustomerMessage,
    Handoff,
    Logged,
    MessageText,
    ModelAsked,
    ModelChunks,
    SentenceSuppressed,
    TurnEnded,
    TurnStarted,
)
from assistant.conversation.outcomes import CallEmpty, CallSucceeded
from assistant.conversation.values import HowTurnEnded
from assistant.language.reader import read
from assistant.language.values import ClockTime, Day, Duration, Money, Number, Percent

_FACTS = (ClockTime, Day, Duration, Money, Number, Percent)

_STOPPED = "stopped"
"""The error of a request that was given up because its turn was stopped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EndedTurn:
    """A turn, with times in Unix ms. Without an ``unasked`` message it began when the customer's message came.

    ``first_fact_ms``: when, after a result, the first amount, date, time or number was told. None: there was none.
    ``texts`` is what was said, message by message. ``suppressed`` are the guardrails that stopped a sentence, with
    the times.
    """

    turn: str
    cause: Cause
    how: HowTurnEnded
    message: CustomerMessage | None
    asked_ms: int
    ended_ms: int
    first_words_ms: int | None = None
    first_fact_ms: int | None = None
    texts: tuple[str, ...] = ()
    suppressed: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelReply:
    """A request to a model and its reply, with times in Unix ms. ``asked`` is the requested model.

    ``ended`` is the last chunk with tokens and cost; None if the stream broke. ``tools``: the tools that it called.
    """

    asked: ModelAsked
    asked_ms: int
    ended_ms: int
    first_chunk_ms: int | None
    ended: StreamEnded | None
    error: str | None
    text: str = field(repr=False)
    tools: tuple[str, ...] = ()

    @property
    def model(self) -> str:
        """The model that answered."""
        return (self.ended.model if self.ended is not None else None) or self.asked.model

    @property
    def outcome(self) -> str:
        """How it ended: ok, length, refused, failed or stopped."""
        if self.error is not None:
            return _STOPPED if self.error == _STOPPED else "failed"
        if self.ended is not None and self.ended.reason in ("length", "refused"):
            return self.ended.reason
        return "ok"


def ended_turn(entries: Sequence[Logged], end: Logged) -> EndedTurn | None:
    """Returns the turn that ended with this entry, or None if the log has no beginning of it."""
    assert isinstance(end.entry, TurnEnded)  # noqa: S101 - the caller chose by its kind
    own: list[Logged] = []
    started: TurnStarted | None = None
    began_ms = end.at_ms
    said: tuple[CustomerMessage, int] | None = None
    for logged in _before(entries, end):
        entry = logged.entry
        if started is None:
            if logged.turn_id == end.turn_id:
                own.append(logged)
                if isinstance(entry, TurnStarted):
                    started, began_ms = entry, logged.at_ms
                    if entry.cause in ("late_result", "handoff"):
                        break
        elif isinstance(entry, CustomerMessage) and entry.message_id == started.message_id:
            said = entry, logged.at_ms
            break
    if started is None:
        return None
    own.reverse()
    pieces = [(logged.at_ms, logged.entry) for logged in own if isinstance(logged.entry, MessageText)]
    locale = said[0].locale if said is not None else "en"
    return EndedTurn(
        turn=end.turn_id,
        cause=started.cause,
        how=end.entry.how,
        message=said[0] if said is not None else None,
        asked_ms=said[1] if said is not None else began_ms,
        ended_ms=end.at_ms,
        first_words_ms=pieces[0][0] if pieces else None,
        first_fact_ms=_first_fact(pieces, _first_result_ms(own), locale),
        texts=tuple(_texts(pieces)),
        suppressed=tuple(
            (one.entry.guardrail, one.at_ms) for one in own if isinstance(one.entry, SentenceSuppressed)
        ),
    )


def model_reply(entries: Sequence[Logged], reply: Logged) -> ModelReply | None:
    """Returns this reply with its request, or None if the log does not contain the request."""
    chunks = reply.entry
    assert isinstance(chunks, ModelChunks)  # noqa: S101 - the caller chose by its kind
    for logged in _before(entries, reply):
        asked = logged.entry
        if (
            isinstance(asked, ModelAsked)
            and logged.turn_id == reply.turn_id
            and (asked.round, asked.role) == (chunks.round, chunks.role)
        ):
            first = chunks.chunks[0] if chunks.chunks else None
            last = chunks.chunks[-1][1] if chunks.chunks else None
            return ModelReply(
                asked=asked,
                asked_ms=logged.at_ms,
                ended_ms=reply.at_ms,
                first_chunk_ms=logged.at_ms + first[0]
                if first and not isinstance(first[1], StreamEnded)
                else None,
                ended=last if isinstance(last, StreamEnded) else None,
                error=chunks.error,
                text="".join(chunk.text for _, chunk in chunks.chunks if isinstance(chunk, TextDelta)),
                tools=tuple(chunk.name for _, chunk in chunks.chunks if isinstance(chunk, CallNamed)),
            )
    return None


def has_run(ended: CallEnded) -> bool:
    """Whether the call's tool ran: not for a call that was denied, repeated, or answered from an earlier result."""
    return not ended.reused_from and (
        ended.duration_ms > 0 or isinstance(ended.outcome, CallSucceeded | CallEmpty)
    )


def question_asked(
    entries: Sequence[Logged], answer: Logged, confirmation_id: str
) -> ConfirmationAsked | None:
    """Returns the question that this entry answers."""
    for logged in _before(entries, answer):
        entry = logged.entry
        if isinstance(entry, ConfirmationAsked) and entry.confirmation_id == confirmation_id:
            return entry
    return None


def handoff_requested_ms(entries: Sequence[Logged], accepted: Logged, handoff_id: str) -> int | None:
    """Returns when this handoff was requested."""
    for logged in _before(entries, accepted):
        entry = logged.entry
        if isinstance(entry, Handoff) and entry.handoff_id == handoff_id and entry.state == "requested":
            return logged.at_ms
    return None


def call_arguments(entries: Sequence[Logged], ended: Logged, call: Call) -> Call:
    """Returns the call with the arguments that it ran with, where references were filled in."""
    for logged in _before(entries, ended):
        entry = logged.entry
        if logged.turn_id == ended.turn_id and isinstance(entry, CallStarted) and entry.call_id == call.id:
            return replace(call, arguments=entry.arguments) if entry.arguments is not None else call
    return call


def provider_and_model(name: str) -> tuple[str, str]:
    """Returns a model's name as in the settings, in its two parts.

    >>> provider_and_model("openai/gpt-6"), provider_and_model("offline")
    (('openai', 'gpt-6'), ('offline', 'offline'))
    """
    provider, _, model = name.partition("/")
    return provider, model or name


def _before(entries: Sequence[Logged], logged: Logged) -> Iterator[Logged]:
    """Yields the entries before this one, newest first: an entry's place is its number."""
    for place in range(min(logged.seq - 1, len(entries)) - 1, -1, -1):
        yield entries[place]


def _first_result_ms(own: Sequence[Logged]) -> int | None:
    for logged in own:
        entry = logged.entry
        if isinstance(entry, CallEnded) and isinstance(entry.outcome, CallSucceeded):
            return logged.at_ms
    return None


def _first_fact(pieces: Sequence[tuple[int, MessageText]], result_ms: int | None, locale: str) -> int | None:
    """Returns when a fact was first complete in what was said after the first result."""
    if result_ms is None:
        return None
    later = [piece for piece in pieces if piece[0] >= result_ms]
    for message_id in dict.fromkeys(piece.message_id for _, piece in later):
        own = [(at_ms, piece.text) for at_ms, piece in later if piece.message_id == message_id]
        text = "".join(text for _, text in own)
        if _states_fact(text, locale):
            # A longer beginning of a text states what a shorter one does, and reading one takes a while.
            ends = range(1, len(own) + 1)
            found = bisect_left(
                ends, True, key=lambda end: _states_fact("".join(text for _, text in own[:end]), locale)
            )
            return own[min(found, len(own) - 1)][0]
    return None


def _states_fact(text: str, locale: str) -> bool:
    return any(isinstance(found.value, _FACTS) for found in read(text, locale))


def _texts(pieces: Sequence[tuple[int, MessageText]]) -> Iterator[str]:
    for message_id in dict.fromkeys(piece.message_id for _, piece in pieces):
        yield "".join(piece.text for _, piece in pieces if piece.message_id == message_id)
