"""How much of what was spoken the customer had heard, and when, as a cassette has it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assistant.conversation.entries import CustomerSaid, Logged, Told
from assistant.conversation.state import ConversationState
from assistant.replay.cassette import Event
from assistant.replay.played import words_up_to
from assistant.replay.record.spoken import BARGE_IN_MS, Spoken


@dataclass(frozen=True, slots=True)
class Hearing:
    """What was heard of an answer to a message, at a Unix time in ms.

    ``with_message`` is the client's id of another message that came at this moment, or "".
    """

    at_ms: int
    answers: str
    words: str
    message: int | None
    with_message: str = ""


def hearings_in(entries: Sequence[Logged]) -> list[Hearing]:
    """All of them, in order.

    What was heard when the customer spoke up stands with what they said, where its words tell of which answer.
    """
    spoke_up = dict(_at_messages(entries))
    state = ConversationState()
    found: list[Hearing] = []
    for logged in entries:
        state.apply(logged)
        if isinstance(told := logged.entry, Told) and told.how == "heard":
            found += _hearing(logged, told, state, spoke_up.get(logged.seq, ""))
    return found


def hearing_events(turn: Spoken, hearings: Sequence[Hearing]) -> Iterator[Event]:
    """What was heard of the answer to a message, but for what stands with another one."""
    for one in hearings:
        if one.answers == turn.said.client_message_id and not one.with_message:
            at_ms = max(0, one.at_ms - turn.at_ms)
            yield Event(happens="heard_up_to", at_ms=at_ms, words=one.words, message=one.message)


def heard_by(turn: Spoken, hearings: Sequence[Hearing]) -> str | None:
    """The last words that were heard when this message came; None where that is not told with it."""
    said = (one.words for one in hearings if one.with_message == turn.said.client_message_id)
    return next(said, None)


def _hearing(logged: Logged, told: Told, state: ConversationState, with_: str) -> Iterator[Hearing]:
    turn = next((one for one in state.turns if any(m.id == told.message_id for m in one.messages)), None)
    if turn is None:
        return
    answers = turn.message.client_message_id
    words, number = words_up_to(state.turns, told.message_id, told.up_to)
    if not with_ or number is not None:
        with_ = ""
        asked = [one for one in state.turns if one.message.client_message_id == answers]
        words, number = words_up_to(asked, told.message_id, told.up_to)
    yield Hearing(logged.at_ms, answers, words, number, with_)


def _at_messages(entries: Sequence[Logged]) -> Iterator[tuple[int, str]]:
    """The numbers of the entries that tell what was heard when a message came, and the client's id of that."""
    last: Logged | None = None
    for logged in entries:
        match logged.entry:
            case Told(how="heard"):
                last = logged
            case CustomerSaid(client_message_id=id_):
                if last is not None and logged.at_ms - last.at_ms <= BARGE_IN_MS:
                    yield last.seq, id_
                last = None
            case _:
                pass
