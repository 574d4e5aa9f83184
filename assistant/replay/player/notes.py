"""Where the conversation and the cassette part, a line each."""

from collections.abc import Callable


class Notes:
    """What was asked for and is not there, what was not used up, what could not happen.

    ``turn_now`` gives the number of the turn that runs, from 1.
    """

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.turn_now: Callable[[], int] = lambda: 0

    def add(self, text: str, turn: int | None = None) -> None:
        """Note something about a turn; about the one that runs when left out."""
        self.lines.append(f"turn {self.turn_now() if turn is None else turn}: {text}")
