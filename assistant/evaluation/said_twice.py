"""How much of what a turn had announced its response said again."""

from collections.abc import Iterator, Sequence

from assistant.conversation.transcript import readable
from assistant.conversation.turn_state import TurnState
from assistant.evaluation.row import Again
from assistant.language.similarity import repetition
from assistant.prompts.book import PromptBook
from assistant.replay.checks.response_checks import repeated


def said_twice(turns: Sequence[TurnState], book: PromptBook) -> list[Again]:
    """For each turn that told something before a response: the response that says the most of it again.

    Whatever a guard kept back is not in it; this is what the customer heard. What counts as said twice is what
    a replay complains of: "It is cancelled" after "I'll cancel it" is news.
    """
    compared = (
        max(_compared(turn, book), key=lambda one: (one.repeats, one.share), default=None) for turn in turns
    )
    return [most for most in compared if most is not None]


def _compared(turn: TurnState, book: PromptBook) -> Iterator[Again]:
    locale = turn.message.locale
    words = book.words(locale).repetition
    told: list[str] = []
    for message in turn.messages:
        if message.kind != "response":
            told.append(readable(message))
        elif told:
            said = readable(message)
            measured = repetition(" ".join(told), said, locale)
            yield Again(
                share=measured.share,
                run=measured.run,
                trigrams=measured.trigrams,
                repeats=bool(repeated(told, said, words, locale)),
            )
