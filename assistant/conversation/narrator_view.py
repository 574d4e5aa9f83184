"""What the narrator is given: everything the customer has been told, and this turn's results in full."""

from assistant.conversation.decider_view import append_words
from assistant.conversation.turn_state import TurnState
from assistant.conversation.views import FromAssistant, FromCustomer, FromTools, TurnView, ViewMessage


def told_turn(turn: TurnState) -> TurnView:
    """An earlier turn as the customer experienced it: words only, acknowledgements included; pure."""
    messages: list[ViewMessage] = [FromCustomer(turn.message.text)]
    for message in turn.messages:
        append_words(messages, message.text.strip())
    return TurnView(tuple(messages))


def narrated_turn(turn: TurnState) -> TurnView:
    """The running turn: what was said in each round, beside its calls and their outcomes; pure.

    Calls that wait for the customer's yes are not in it: there is nothing to tell of them yet.
    """
    messages: list[ViewMessage] = [FromCustomer(turn.message.text)]
    outcomes = {each.call.id: each for each in turn.standing}
    for round_ in turn.rounds:
        words = " ".join(
            message.text.strip()
            for message in turn.messages
            if message.round == round_.number and message.kind is not None and message.text.strip()
        )
        calls = tuple(call for call in round_.calls if call.id in outcomes)
        if calls:
            messages.append(FromAssistant(words, calls))
            messages.append(FromTools(tuple(outcomes[call.id] for call in calls)))
        else:
            append_words(messages, words)
    return TurnView(tuple(messages))
