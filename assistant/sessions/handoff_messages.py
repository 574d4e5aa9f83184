"""What customers and the assistant say to each other about agents: the words of a handoff's messages."""

import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

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
from assistant.prompts.book import PromptBook
from assistant.prompts.locale import language
from assistant.prompts.utterances import HandoffTold
from assistant.prompts.words import WordList
from assistant.sessions.config_version import ConfigVersion

Told: TypeAlias = Literal["nobody", "back", "escalated", "closed"]
"""What a customer is told about a handoff without having asked: see :class:`HandoffTold`."""

_NO_TEXT: Final[Mapping[str, str]] = MappingProxyType({})


def handoff_message(
    state: ConversationState,
    config: ConfigVersion,
    what: Told,
    ticket: str = "",
    say: Mapping[str, str] = _NO_TEXT,
) -> Iterator[tuple[str, Entry]]:
    """The entries of a turn that tells the customer something without a question, each with the turn's id.

    ``say`` is the text in place of the usual one, by locale. Empty if the customer has said nothing yet. Record
    them immediately, between two turns.
    """
    if not state.said:
        return
    book, locale = config.deps.book, next(reversed(state.said.values())).locale
    turn_id = f"t{len(state.turns) + 1}"
    message_id = f"{turn_id}/m1"
    hours = book.voice.hours
    told = HandoffTold(what=what, ticket=ticket, hours=hours.in_words if hours is not None else ())
    text = say.get(locale) or say.get(language(locale)) or book.render(told, locale)
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
    """Whether a customer who talks with an agent asks for the assistant, and for nothing else."""
    phrases = WordList(book.words(said.locale).handoff.back)
    return phrases.is_one(said.text.strip(" .!?"))


def only_just_back(state: ConversationState, entries: Sequence[Logged], book: PromptBook) -> bool:
    """Whether the customer has just returned from an agent, and has not asked for one again since.

    The customer's first message after the return counts as a request for an agent if it contains one of the
    usual words. A message from before the return never does.
    """
    ended = max((each.seq for each in entries if _is_end(each)), default=0)
    if not ended or not state.turns:
        return False
    message = state.turns[-1].message
    since = [one.entry for one in entries if one.seq > ended and isinstance(one.entry, CustomerMessage)]
    if message not in since[:1]:
        return message not in since
    return message.text not in WordList(book.words(message.locale).handoff.asks)


def customers_wish(state: ConversationState, book: PromptBook, reason: str = "") -> str:
    """Why the customer wants a person: the model's ``reason``, or the customer's newest message that says more
    than yes. A mere yes to the offer of a person is no reason; the message that led to the offer is.
    """
    messages = [turn.message for turn in reversed(state.turns) if not turn.unasked]
    locale = messages[0].locale if messages else "en"
    if reason and not _is_mere_yes(reason, book, locale):
        return reason
    said = [one.text for one in messages]
    return next((text for text in said if not _is_mere_yes(text, book, locale)), said[0] if said else reason)


def _is_mere_yes(text: str, book: PromptBook, locale: str) -> bool:
    """Whether a text only agrees, in one or several ways: "yes", "yes please", "ok, sure"."""
    consent = book.words(locale).consent
    agrees = WordList((*consent.yes, *consent.mere_yes, *consent.approval, *consent.urging, *consent.polite))
    parts = [one.strip(" .!") for one in re.split(r"[,.!]", text) if one.strip(" .!")]
    return bool(parts) and all(agrees.is_one(one) or _all_words(one, agrees) for one in parts)


def _all_words(text: str, words: WordList) -> bool:
    return all(words.is_one(word) for word in text.split())


def _is_end(logged: Logged) -> bool:
    return isinstance(logged.entry, Handoff) and logged.entry.state == "ended"


def _settled_message(state: ConversationState) -> str:
    """A message for which no turn will be taken."""
    if state.turns:
        return state.turns[-1].message.message_id
    waiting = {said.message_id for said in state.waiting}
    return next((one for one in state.said if one not in waiting), next(iter(state.said)))
