"""A conversation as the one who plays the customer sees it: what the assistant says comes from outside."""

from collections.abc import Sequence
from itertools import groupby

from assistant.conversation.transcript import Line
from assistant.conversation.views import FromAssistant, FromCustomer, TurnView, ViewMessage

SILENCE = "..."
"""Stands for an answer that never came: providers want somebody to have spoken last."""


def swapped(greeting: str, transcript: Sequence[Line]) -> TurnView:
    """The customer's messages as the model's own, the assistant's as a user's; each side once in its turn.

    >>> line = Line(message_id="u1", speaker="customer", text="Hi")
    >>> [(type(said).__name__, said.text) for said in swapped("Welcome.", [line]).messages]
    [('FromCustomer', 'Welcome.'), ('FromAssistant', 'Hi'), ('FromCustomer', '...')]
    """
    messages: list[ViewMessage] = [FromCustomer(greeting)]
    spoken = [line for line in transcript if line.text.strip()]
    for speaker, lines in groupby(spoken, key=lambda line: line.speaker):
        text = "\n".join(line.text.strip() for line in lines)
        messages.append(FromAssistant(text) if speaker == "customer" else FromCustomer(text))
    if isinstance(messages[-1], FromAssistant):
        messages.append(FromCustomer(SILENCE))
    return TurnView(tuple(messages))
