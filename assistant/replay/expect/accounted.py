"""``accounted``: each call has one outcome, and what is said after it speaks of each that is owed.

It rather misses something than complains of an answer that is in order: one word to the point is enough.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assistant.conversation.calls import round_of
from assistant.conversation.entries import CallEnded
from assistant.conversation.outcomes import (
    CallAwaitingConfirmation,
    CallCancelled,
    CallDenied,
    CallEmpty,
    CallFailed,
    CallSucceeded,
    CallTimedOut,
    CallUnknown,
    Outcome,
    outcome_name,
)
from assistant.conversation.values import Json
from assistant.replay.complaint import Complaint
from assistant.replay.expect.failure_words import admits, asks_back
from assistant.replay.expect.held import Held, Moment, PlayedCall, PlayedTurn
from assistant.replay.expect.phrases import listed, quoted
from assistant.replay.expect.topics import stems_in, stems_of, topic_of
from assistant.text.function_words import denies
from assistant.text.supported import supported
from assistant.text.values import values_in, values_of
from assistant.text.words import words


def accounted(held: Held, turn: PlayedTurn) -> Iterator[Complaint]:
    """Complain of calls with no outcome or with several, and of results that nothing was said of."""
    yield from _ended_once(turn)
    if turn.state.how in ("answered", "awaiting_confirmation"):
        yield from _told(held, turn)


def _ended_once(turn: PlayedTurn) -> Iterator[Complaint]:
    ended = [one.entry.outcome for one in turn.entries if isinstance(one.entry, CallEnded)]
    for call in turn.calls:
        names = [outcome_name(one) for one in ended if one.call.id == call.call.id]
        if len(names) != 1:
            found = listed(names, "it started and never ended" if call.started else "none")
            expected = f"one outcome of {call.call.tool}"
            yield _complaint(turn, expected, found, *_moment(call))


@dataclass(frozen=True, slots=True)
class _Owed:
    """A result that the customer is owed: what was said after it, and what it is about."""

    call: PlayedCall
    outcome: Outcome
    text: str
    topic: frozenset[str]


def _told(held: Held, turn: PlayedTurn) -> Iterator[Complaint]:
    locale = turn.state.message.locale
    results = turn.state.results
    owed = [
        _Owed(
            call, call.outcome, _text_after(held, turn, call, call.ended), topic_of(call.call, held, locale)
        )
        for call in turn.calls
        if call.ended is not None and call.outcome is not None and call.outcome in results
    ]
    failed = [one for one in owed if _has_failed(one.outcome) and not _made_good(one, turn, owed)]
    for one in failed:
        if not _admitted(one, failed, locale):
            yield _silent(turn, one)
    last = max((round_of(one.call.call.id) for one in owed), default=0)
    for one in owed:
        found = isinstance(one.outcome, CallSucceeded | CallEmpty)
        # What an earlier round found may have been for the next round only.
        if found and round_of(one.call.call.id) == last and not _spoken_of(one, owed, locale):
            yield _silent(turn, one)


def _text_after(held: Held, turn: PlayedTurn, call: PlayedCall, ended: Moment) -> str:
    """What was said after its end: in its turn, and in the message of a later one that told of it."""
    ref = (turn.state.id, call.call.id)
    tellings = [one.state for one in held.turns if one.state.told is not None and ref in one.state.told.calls]
    later = [state.message_said(state.told.message_id).text for state in tellings if state.told is not None]
    return "\n".join([turn.text_after(ended), *later]).strip()


def _has_failed(outcome: Outcome) -> bool:
    """Whether the customer must be told that it did not work. Who said no themselves knows."""
    match outcome:
        case CallFailed() | CallTimedOut() | CallUnknown():
            return True
        case CallDenied(say=say):
            return say != ""
        case CallSucceeded() | CallEmpty() | CallCancelled() | CallAwaitingConfirmation():
            return False


def _made_good(failed: _Owed, turn: PlayedTurn, owed: Sequence[_Owed]) -> bool:
    """Whether a later round tried the same again, or found the same in another way."""
    round_ = round_of(failed.call.call.id)
    later = [call for call in turn.calls if round_of(call.call.id) > round_]
    if later and failed.call.started is None:
        return True  # it was not a call that could run, and the model was told so
    if any(call.call.tool == failed.call.call.tool for call in later):
        return True
    return any(
        isinstance(one.outcome, CallSucceeded)
        and round_of(one.call.call.id) > round_
        and not failed.topic.isdisjoint(one.topic)
        for one in owed
    )


def _admitted(one: _Owed, failed: Sequence[_Owed], locale: str) -> bool:
    said = stems_of(one.text, locale)
    clause = _clause(one.outcome)
    reasons = stems_of(clause, locale) | stems_of(clause, "en")
    if reasons and 2 * len(reasons & said) >= len(reasons):
        return True
    if not admits(one.text, locale) and not _asked_back(one, locale):
        return False
    # "I couldn't do either" names none of them; but who names one of them has left out the other.
    named = [other for other in failed if not other.topic.isdisjoint(said)]
    others = {stem for other in named for stem in other.topic}
    return one in named or not named or not one.topic - others


def _asked_back(one: _Owed, locale: str) -> bool:
    """Whether the customer is asked for something better; where the tool had begun, with a no beside it."""
    begun = one.call.started is not None
    return asks_back(one.text, locale) and (not begun or any(denies(word) for word in words(one.text)))


def _spoken_of(one: _Owed, owed: Sequence[_Owed], locale: str) -> bool:
    if not one.text.strip():
        return False
    said, data = stems_of(one.text, locale), _data(one.outcome)
    evidence = one.topic | stems_in(data, locale)
    known = values_of(data, locale)
    if len(owed) == 1 or not evidence.isdisjoint(said):
        return True
    if isinstance(one.outcome, CallEmpty):
        return any(denies(word) for word in words(one.text))
    if any(supported(value, known) for value in values_in(one.text, locale)):
        return True
    return not known  # a mere "yes" can be told in any words


def _clause(outcome: Outcome) -> str:
    return outcome.say if isinstance(outcome, CallFailed | CallDenied) else ""


def _data(outcome: Outcome) -> Json:
    return outcome.value if isinstance(outcome, CallSucceeded | CallEmpty) else None


def _silent(turn: PlayedTurn, one: _Owed) -> Complaint:
    clause = _clause(one.outcome)
    because = f" ({clause})" if clause else ""
    failed = _has_failed(one.outcome)
    word = "an honest word" if failed else "a word"
    expected = f"{word} about {one.call.call.tool}, which ended {outcome_name(one.outcome)}{because}"
    text = " ".join(one.text.split())
    found = f"{quoted(text)} {'admits no failure of it' if failed else 'says nothing of it'}"
    last = turn.messages[-1].began if turn.messages else None
    if text and last is not None:
        return _complaint(turn, expected, found, last.at_ms, last.seq)
    return _complaint(turn, expected, found if text else "nothing was said", turn.ended_ms)


def _complaint(
    turn: PlayedTurn, expected: str, found: str, at_ms: int | None, seq: int | None = None
) -> Complaint:
    return Complaint(
        turn=turn.number,
        check="accounted",
        expected=expected,
        found=found,
        at_ms=at_ms,
        seq=seq,
        place=("turns", turn.number - 1),
    )


def _moment(call: PlayedCall) -> tuple[int | None, int | None]:
    """When it ended, else when it started; and the entry with which it began."""
    ended = call.ended or call.started
    began = call.started or call.ended
    return ended.at_ms if ended is not None else None, began.seq if began is not None else None
