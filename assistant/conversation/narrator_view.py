"""What the narrator is given: everything the customer has been told, and this turn's results in full.

Of earlier turns these are the words alone, acknowledgements included: their results are told already, or will be
given again by themselves. What the customer cut off, or did not hear out, ends in "…", as the decision model sees
it too.
"""

from collections.abc import Sequence
from dataclasses import replace

from assistant.conversation.calls import call_id
from assistant.conversation.decider_view import (
    append_silence,
    append_words,
    as_shown,
    as_written,
    asked_for,
    joined,
)
from assistant.conversation.outcomes import Outcome
from assistant.conversation.turn_state import TurnState, is_repeat
from assistant.conversation.views import FromAssistant, FromTools, TurnView, ViewMessage


def told_turn(turn: TurnState) -> TurnView:
    """An earlier turn as the customer experienced it: words only, acknowledgements included; pure."""
    answer: list[ViewMessage] = []
    append_words(answer, joined(map(as_shown, turn.messages)))
    append_silence(answer, turn)
    return TurnView((*asked_for(turn), *answer))


def narrated_turn(turn: TurnState) -> TurnView:
    """The running turn: what was said in each round, beside its calls and their outcomes; pure.

    Calls that wait for the customer's yes are not in it: there is nothing to tell of them yet.
    """
    answer: list[ViewMessage] = []
    repeats = (outcome for outcome in turn.outcomes.values() if is_repeat(outcome))
    # A model that is not told where a result stands asks for it again.
    outcomes = {each.call.id: each for each in (*turn.standing, *repeats)}
    for round_ in turn.rounds:
        words = joined(
            as_written(message)
            for message in turn.messages
            if message.round == round_.number and message.kind is not None
        )
        calls = tuple(call for call in round_.calls if call.id in outcomes)
        if calls:
            answer.append(FromAssistant(words, calls, round_.opaque))
            answer.append(FromTools(tuple(outcomes[call.id] for call in calls)))
        else:
            append_words(answer, words)
    return TurnView((*asked_for(turn), *answer))


def telling_turn(turn: TurnState, untold: Sequence[Outcome], round_: int) -> TurnView:
    """The running turn, and then results of earlier turns that are told in its round ``round_``; pure.

    They stand there as calls of that round: earlier turns are words only, and ids count anew in every turn.
    """
    named = tuple(
        # A provider's own id may be another call's of this turn, too.
        replace(one, call=replace(one.call, id=call_id(round_, number), provider_id=None))
        for number, one in enumerate(untold, start=1)
    )
    calls = FromAssistant("", tuple(one.call for one in named))
    return TurnView((*narrated_turn(turn).messages, calls, FromTools(named)))
