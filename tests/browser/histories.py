"""Random conversations, each as frames and as the equivalent snapshot."""

import random

from tests.browser.fake_server import Frame, Value
from tests.browser.scenes import READ_BACK, Kind, Numbered, assistants, attachment, customers, snapshot

Step = tuple[Frame, Frame]
"""A frame, and the snapshot of everything up to it."""

_WORDS = ["We are open", " until six.", " Your order", " is on its way.", " Tuesday"]
_OUTCOMES = ["ok", "empty", "failed", "timed_out"]


class History:
    """What a server would know after each frame of a conversation."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)
        self._frames = Numbered()
        self._told: list[Frame] = []
        self._open: Frame | None = None
        self._turn: str | None = None
        self._tools: dict[str, Frame] = {}
        self._question: Frame | None = None
        self.steps: list[Step] = []

    def go(self, turns: int) -> list[Step]:
        """A history of this number of turns."""
        for number in range(turns):
            self._take_turn(f"t{number}")
        return self.steps

    def _add(self, frame: Frame) -> None:
        self.steps.append(
            (
                frame,
                snapshot(
                    self._frames.seq,
                    *self._told,
                    open_message=self._open and dict(self._open),
                    turn_id=self._turn,
                    tools=list(self._tools.values()),
                    confirmation=self._question,
                ),
            )
        )

    def _take_turn(self, turn: str) -> None:
        said = f"c-{turn}"
        accepted = self._frames.accepted(said, "Please.")
        self._told.append(customers(said, "Please."))
        self._add(accepted)
        self._turn, self._question = turn, None
        self._add(self._frames.turn_started(turn, said))
        for round_ in range(self._chance.randint(0, 2)):
            self._say(f"{turn}/a{round_}", "acknowledgement")
            self._look_up(f"{turn}/c{round_}")
        self._say(f"{turn}/r", "response")
        if self._chance.random() < 0.4:
            self._question = {
                "confirmation_id": f"q-{turn}",
                "read_back": READ_BACK,
                "calls": [],
                "expires_at": 1_900_000_000_000,
            }
            self._add(self._frames.frame("confirmation.requested", **self._question))
        self._turn = None
        self._add(self._frames.turn_completed(turn))

    def _say(self, message: str, kind: Kind) -> None:
        pieces = self._chance.choices(_WORDS, k=self._chance.randint(1, 3))
        self._open = {"message_id": message, "turn_id": "t1", "text": "", "at": 0}
        self._add(self._frames.started(message))
        for end, piece in enumerate(pieces, start=1):
            self._open["text"] = "".join(pieces[:end])
            self._add(self._frames.delta(message, piece))
        self._open = None
        given: list[Value] = []
        if kind == "response" and self._chance.random() < 0.3:
            given.append(attachment(f"{message}.png", f"v1/attachments/{message}", (480, 360)))
        self._told.append(assistants(message, "".join(pieces), kind, given))
        self._add(self._frames.completed(message, kind, "".join(pieces), attachments=given))

    def _look_up(self, call: str) -> None:
        calls = [f"{call}.{n}" for n in range(self._chance.randint(1, 3))]
        for one in calls:
            self._tools[one] = {"call_id": one, "hint": "looking"}
            self._add(self._frames.tool_started(one, "looking"))
        self._chance.shuffle(calls)
        for one in calls:
            del self._tools[one]
            self._add(self._frames.tool_finished(one, self._chance.choice(_OUTCOMES)))
