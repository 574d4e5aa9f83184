"""``no_repetition``: a response does not say again what the customer has been told in its turn."""

from collections.abc import Iterator

from assistant.replay.complaint import Complaint
from assistant.replay.expect.held import Held, PlayedTurn
from assistant.replay.expect.phrases import listed, quoted
from assistant.replay.expect.repeated import repeated


def no_repetition(held: Held, turn: PlayedTurn) -> Iterator[Complaint]:
    """Complain of each response with sentences that its acknowledgement or a status has said.

    It measures in another way than the guard in the turn does, so that one watches the other.
    """
    locale = held.book.locale_for(turn.state.message.locale, "en")
    words = held.book.words(locale).repetition
    told: list[str] = []
    for message in turn.messages:
        text = message.said.text
        if message.said.kind != "response":
            told.append(text)
        elif again := repeated(told, text, words, locale):
            yield Complaint(
                turn=turn.number,
                check="no_repetition",
                expected=f"nothing again of {quoted(' '.join(told))}",
                found=listed(map(quoted, again)),
                at_ms=message.began.at_ms if message.began is not None else None,
                seq=message.began.seq if message.began is not None else None,
                place=("turns", turn.number - 1),
            )
