"""``language``: the customer is answered in the language of their message."""

from collections.abc import Iterator

from assistant.prompts.language import language as language_part
from assistant.prompts.language import name_of
from assistant.replay.complaint import Complaint
from assistant.replay.expect.held import Held, PlayedTurn
from assistant.replay.expect.phrases import quoted


def language(held: Held, turn: PlayedTurn) -> Iterator[Complaint]:
    """Complain of each message in another language; one that is too short to tell is in order.

    A message of the customer that does not tell either is in the language that was spoken before; so is a
    button, whose words are not the customer's.
    """
    message = turn.state.message
    button = message.button is not None
    spoken = message.locale if button else held.book.language_of(message.text, otherwise=message.locale)
    for said in turn.messages:
        other = held.book.language_of(said.said.text, otherwise=spoken)
        if language_part(other) != language_part(spoken):
            yield Complaint(
                turn=turn.number,
                check="language",
                expected=name_of(spoken) or spoken,
                found=f"{name_of(other) or other}: {quoted(said.said.text)}",
                at_ms=said.began.at_ms if said.began is not None else None,
                seq=said.began.seq if said.began is not None else None,
                place=("turns", turn.number - 1),
            )
