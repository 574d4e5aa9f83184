"""What the customer has before their eyes, and who waits for words to appear there."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, eq=False)
class _Watch:
    turn: Callable[[], str | None]
    words: str
    then: Callable[[], None]


class Screen:
    """The assistant's messages by turn, as far as they have come, and the last question with buttons.

    ``question`` stays when it is answered or expired: some customers press a button that is no longer good.
    """

    def __init__(self) -> None:
        self.question: str | None = None
        self._texts: dict[str, str] = {}
        self._turns: dict[str, str] = {}
        self._watches: list[_Watch] = []

    def show(self, frame: Mapping[str, Any]) -> None:
        """Take in what was heard; whoever waits for words that it brings is called before anything else."""
        match frame["type"]:
            case "snapshot":
                self._redraw(frame)
            case "message.started":
                self._put(frame, "")
            case "message.delta":
                self._texts[frame["message_id"]] += frame["text"]
            case "confirmation.requested":
                self.question = frame["confirmation_id"]
            case _:
                return
        self._call_watches()

    def when(self, turn: Callable[[], str | None], words: str, then: Callable[[], None]) -> None:
        """Call ``then``, once, as soon as these words stand in a message of the turn with this id."""
        self._watches.append(_Watch(turn, words, then))

    def _redraw(self, snapshot: Mapping[str, Any]) -> None:
        for message in snapshot["messages"]:
            if message["from"] == "assistant":
                self._put(message, message["text"])
        if (begun := snapshot["open_message"]) is not None:
            self._put(begun, begun["text"])
        if (question := snapshot["confirmation"]) is not None:
            self.question = question["confirmation_id"]

    def _put(self, message: Mapping[str, Any], text: str) -> None:
        self._texts[message["message_id"]] = text
        self._turns[message["message_id"]] = message["turn_id"]

    def _call_watches(self) -> None:
        for watch in [watch for watch in self._watches if self._shows(watch)]:
            self._watches.remove(watch)
            watch.then()

    def _shows(self, watch: _Watch) -> bool:
        turn = watch.turn()
        return any(
            watch.words in text for message, text in self._texts.items() if self._turns[message] == turn
        )
