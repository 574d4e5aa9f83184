"""What a handoff records of a conversation, and the messages that tell the customer of it."""

from collections.abc import Iterator, Sequence
from typing import Literal

from assistant.conversation.entries import (
    CustomerMessage,
    Entry,
    Handoff,
    Logged,
    MessageClosed,
    MessageOpened,
    MessageText,
    TurnEnded,
    TurnStarted,
)
from assistant.conversation.state import ConversationState
from assistant.conversation.transcript import transcript
from assistant.ports import HandoffRequest
from assistant.prompts.book import PromptBook
from assistant.prompts.utterances import HandoffTold
from assistant.prompts.words import WordList
from assistant.sessions.config_version import ConfigVersion
from assistant.sessions.session import Session


def handoff_message(
    state: ConversationState, config: ConfigVersion, what: Literal["nobody", "back"], ticket: str = ""
) -> Iterator[tuple[str, Entry]]:
    """A turn of its own in which the customer is told, each entry with the turn's id; none was asked for it.

    Nothing where nothing was ever said. To be recorded at once, between two turns.
    """
    if not state.said:
        return
    book, locale = config.parts.book, next(reversed(state.said.values())).locale
    turn_id = f"t{len(state.turns) + 1}"
    message_id = f"{turn_id}/m1"
    text = book.render(HandoffTold(what=what, ticket=ticket), locale)
    about = _settled_message(state)
    for entry in (
        TurnStarted(turn_id=turn_id, message_id=about, cause="handoff", bundle=config.bundle),
        MessageOpened(message_id=message_id, round=1),
        MessageText(message_id=message_id, text=text),
        MessageClosed(message_id=message_id, kind="response"),
        TurnEnded(turn_id=turn_id, how="answered"),
    ):
        yield turn_id, entry


def wants_assistant(said: CustomerMessage, book: PromptBook) -> bool:
    """Whether a customer who talks with a person asks for the assistant, and for nothing else."""
    phrases = WordList(book.words(said.locale).handoff.back)
    return phrases.is_one(said.text.strip(" .!?"))


def only_just_back(state: ConversationState, entries: Sequence[Logged], book: PromptBook) -> bool:
    """Whether the customer has come back from a person, and what they said since does not ask for one again.

    Only the first message after the way back is in doubt; one that was said before it always is.
    """
    ended = max((each.seq for each in entries if _is_end(each)), default=0)
    if not ended or not state.turns:
        return False
    message = state.turns[-1].message
    since = [one.entry for one in entries if one.seq > ended and isinstance(one.entry, CustomerMessage)]
    if message not in since[:1]:
        return message not in since
    return message.text not in WordList(book.words(message.locale).handoff.asks)


def _is_end(logged: Logged) -> bool:
    return isinstance(logged.entry, Handoff) and logged.entry.state == "ended"


def _settled_message(state: ConversationState) -> str:
    """A message that no turn is still to be taken for."""
    if state.turns:
        return state.turns[-1].message.message_id
    waiting = {said.message_id for said in state.waiting}
    return next((one for one in state.said if one not in waiting), next(iter(state.said)))


async def record_handoffs(
    session: Session, handoffs: Sequence[Handoff], *, tells: Literal["nobody", "back"] | None
) -> None:
    """Record these and what the customer is told of them: all or nothing, however a crash falls.

    Durable when it returns. Where the customer is told, no turn may be running.
    """
    entries: list[tuple[str, Entry]] = [("", handoff) for handoff in handoffs]
    if tells is not None:
        entries += handoff_message(session.state, session.config, tells, handoffs[-1].ticket)
    last = len(entries) - 1
    for number, (turn_id, entry) in enumerate(entries):
        # Nothing else runs in between: only the last one waits.
        await session.record(entry, turn_id, durable=number == last)


def handoff_request(session: Session, current: Handoff) -> HandoffRequest:
    """The request that a handoff backend is sent for a conversation."""
    state = session.state
    return HandoffRequest(
        key=session.key,
        handoff_id=current.handoff_id,
        why=current.why,
        locale=next(reversed(state.said.values())).locale if state.said else "en",
        transcript=transcript(state),
        customer_name=session.customer.name,
    )


def began_at(session: Session, handoff_id: str) -> int | None:
    """When this handoff began, in Unix ms; None when that is not durable yet."""
    for logged in session.entries:
        if isinstance(logged.entry, Handoff) and logged.entry.handoff_id == handoff_id:
            return logged.at_ms
    return None
