"""Results of the running turn that are too large for a request: head, tail, and where the whole is."""

from collections.abc import Callable
from dataclasses import replace
from typing import assert_never

from assistant.conversation.outcomes import (
    CallAwaitingConfirmation,
    CallCancelled,
    CallDenied,
    CallEmpty,
    CallFailed,
    CallPending,
    CallSucceeded,
    CallTimedOut,
    CallUnknown,
    Standing,
)
from assistant.conversation.snapshots import head_and_tail, shortened
from assistant.formats.results import PICTURES, media_of
from assistant.memory.budget.sizes import result_tokens
from assistant.ports import Counter

LEAST = 64
"""Characters that are left of a result however little room there is: what kind of thing it was can be seen."""

_PER_TOKEN = 6
"""Characters that a token has at most, nearly always: what is longer need not be counted to be cut."""


def shorter(outcome: Standing, most: int, counter: Counter, ref: Callable[[str], str]) -> Standing:
    """The outcome with what it says cut to ``most`` tokens; the smallest there is where that is more. Pure.

    ``ref`` names the whole result, by our id of the call. What ended without one keeps its reason, head and tail.
    """
    characters = max(LEAST, most * _PER_TOKEN)
    while True:
        cut = _cut(outcome, characters, ref)
        size = result_tokens(cut, counter)
        if size <= most:
            return cut
        if characters == LEAST:
            # Of a small result the scrap and its reference may be the larger of the two.
            return cut if size < result_tokens(outcome, counter) else outcome
        characters = max(LEAST, min(characters * most // size, characters * 9 // 10))


def roughly(outcome: Standing, most: int, ref: Callable[[str], str]) -> Standing:
    """The outcome with what can never fit into ``most`` tokens cut away, without a look at it; often the same."""
    return _cut(outcome, max(LEAST, most * _PER_TOKEN), ref)


def pictures_of(outcome: Standing) -> int:
    """How many pictures came with it that models can see."""
    return sum(media.mime in PICTURES for media in media_of(outcome))


def without_oldest_pictures(outcome: Standing, keep: int, ref: Callable[[str], str]) -> Standing:
    """The outcome with the last ``keep`` of its pictures; the others are named, and so is the whole result."""
    leave = pictures_of(outcome) - keep
    if not isinstance(outcome, CallSucceeded) or leave <= 0:
        return outcome
    pictures = [place for place, media in enumerate(outcome.media) if media.mime in PICTURES]
    gone = frozenset(pictures[:leave])
    kept = tuple(media for place, media in enumerate(outcome.media) if place not in gone)
    named = tuple(outcome.media[place].name or outcome.media[place].mime for place in sorted(gone))
    return replace(
        outcome,
        media=kept,
        left_out=(*outcome.left_out, *named),
        full_ref=outcome.full_ref or ref(outcome.call.id),
    )


def _cut(outcome: Standing, characters: int, ref: Callable[[str], str]) -> Standing:
    match outcome:
        case CallSucceeded(value=value):
            short = shortened(value, characters)
            if short is value:
                return outcome
            return replace(outcome, value=short, full_ref=outcome.full_ref or ref(outcome.call.id))
        case CallFailed(for_model=reason) | CallDenied(for_model=reason):
            return replace(outcome, for_model=head_and_tail(reason, characters))
        case CallCancelled(why=reason):
            return replace(outcome, why=head_and_tail(reason, characters))
        case CallEmpty() | CallTimedOut() | CallUnknown() | CallPending() | CallAwaitingConfirmation():
            return outcome
        case _:
            assert_never(outcome)
