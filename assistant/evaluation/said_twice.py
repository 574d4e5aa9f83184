"""How much of what a turn had announced its response said again."""

from collections.abc import Iterator, Sequence

from assistant.conversation.turn_state import TurnState
from assistant.evaluation.row import Again
from assistant.text.repetition import Repetition, repetition


def said_twice(turns: Sequence[TurnState]) -> list[Again]:
    """For each turn that told something before a response: the response that says the most of it again.

    Whatever a guard kept back is not in it; this is what the customer heard.
    """
    return [
        Again(share=most.share, run=most.run, trigrams=most.trigrams, repeats=most.repeats)
        for turn in turns
        if (most := max(_compared(turn), key=lambda one: (one.repeats, one.share), default=None)) is not None
    ]


def _compared(turn: TurnState) -> Iterator[Repetition]:
    told: list[str] = []
    for message in turn.messages:
        if message.kind != "response":
            told.append(message.text)
        elif told:
            yield repetition(" ".join(told), message.text, turn.message.locale)
