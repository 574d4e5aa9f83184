"""What was asked of models in a log, and what came of it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeGuard

from assistant.conversation.calls import round_of
from assistant.conversation.chunks import StreamEnded
from assistant.conversation.entries import (
    CallRequested,
    DecisionClosed,
    Logged,
    MessageOpened,
    MessageText,
    ModelAsked,
    ModelChunks,
)
from assistant.errors import AssistantError
from assistant.turn.ask_model import STOPPED


@dataclass(slots=True, kw_only=True)
class Request:
    """One request to a model.

    ``brought`` is None when the process died before it could be written down; ``seen`` is what is known of
    the reply all the same: texts that were shown and calls that were complete, in order.
    """

    turn_id: str
    asked: ModelAsked
    at_ms: int
    brought: ModelChunks | None = None
    seen: list[Logged] = field(default_factory=list[Logged])
    asked_again: bool = False

    @property
    def given_up(self) -> bool:
        """Whether the process ended while the model was replying: nobody else leaves a reply like that."""
        return self.brought is None or (self.brought.error == STOPPED and self.asked_again)


def requests_in(entries: Sequence[Logged]) -> list[Request]:
    """All requests of the log, in order.

    Raises:
        AssistantError: what models wrote has been taken out of this log.
    """
    found: list[Request] = []
    # Words of a model's own, and of which round; a sentence built from hints is none of them.
    own_words: dict[tuple[str, str], int] = {}
    for logged in entries:
        last = found[-1] if found and found[-1].turn_id == logged.turn_id else None
        match logged.entry:
            case ModelAsked() as asked:
                if last is not None and last.asked.round == asked.round:
                    last.asked_again = True
                found.append(Request(turn_id=logged.turn_id, asked=asked, at_ms=logged.at_ms))
            case ModelChunks() as brought if last is not None:
                if last.seen and _lost_its_words(brought):
                    raise _gone(logged.turn_id)
                last.brought = brought
            case MessageOpened(message_id=id_, round=number, own_words=True):
                own_words[logged.turn_id, id_] = number
            case MessageText(message_id=id_) if _hears(last, own_words.get((logged.turn_id, id_))):
                last.seen.append(logged)
            case CallRequested(call=call) if _hears(last, round_of(call.id)):
                last.seen.append(logged)
            case DecisionClosed(round=number, how=how) if _hears(last, number) and how != "cut_off":
                raise _gone(logged.turn_id)
            case _:
                pass
    return found


def _hears(last: Request | None, round_: int | None) -> TypeGuard[Request]:
    """Whether this is the round of a reply whose end has not been seen yet."""
    return last is not None and last.asked.round == round_ and last.brought is None


def _lost_its_words(brought: ModelChunks) -> bool:
    """Whether nothing but the end is left of a reply: see :mod:`assistant.conversation.snapshots`."""
    return all(isinstance(chunk, StreamEnded) for _, chunk in brought.chunks)


def _gone(turn_id: str) -> AssistantError:
    return AssistantError(
        f"what the models wrote in turn {turn_id} is no longer in the log: such a conversation cannot be replayed"
        " (ASSISTANT_KEEP_CHUNKS_DAYS says how long it is kept)"
    )
