"""What the customer heard in one turn, and what is asserted of it."""

from collections.abc import Sequence
from typing import Literal

from assistant.conversation.entries import HandoffState
from assistant.conversation.outcomes import OutcomeName
from assistant.conversation.values import HowTurnEnded, JsonObject, MessageKind
from assistant.replay.cassette import Cassette, Turn
from assistant.replay.checks.check import check
from assistant.replay.checks.rendering import marked
from assistant.replay.expectations import Check, Expectations, ExpectedCall, Hears, Never
from assistant.replay.played import Played, scenes_of
from assistant.replay.player.stage import Stage
from assistant.testing.scene import scene


class HeardTurn:
    """A turn that was played. Each method asserts one thing at once and gives the turn back.

    A failing one raises ``AssertionError`` with the conversation, marked where it first differs.
    """

    def __init__(self, number: int, cassette: Cassette, played: Played, stage: Stage) -> None:
        self.number, self.played = number, played
        self._cassette, self._stage = cassette, stage
        self._expected = Expectations()
        self.failed = False

    @property
    def scene(self) -> str:
        """The whole turn, as tests write it down."""
        return scenes_of(self.played.state).get(f"m{self.number}", "")

    def hears(
        self,
        text: str | None = None,
        *,
        kind: MessageKind | None = None,
        text_contains: str | Sequence[str] = (),
        text_matches: str | None = None,
        interrupted: bool | None = None,
    ) -> "HeardTurn":
        """A message comes, after those that were asserted before it."""
        contains = (text_contains,) if isinstance(text_contains, str) else tuple(text_contains)
        one = Hears(
            kind=kind,
            text=text,
            text_contains=contains,
            text_matches=text_matches,
            interrupted=interrupted,
        )
        return self._holds(hears=(*self._expected.hears, one))

    def within_ms(self, ms: int) -> "HeardTurn":
        """The message that was asserted last begins so long after the customer's at the latest."""
        return self._holds(hears=self._last_one_with(within_ms=ms))

    def complete_within_ms(self, ms: int) -> "HeardTurn":
        """The message that was asserted last is complete so long after the customer's at the latest."""
        return self._holds(hears=self._last_one_with(complete_within_ms=ms))

    def calls(self, *tools: str | tuple[str, JsonObject]) -> "HeardTurn":
        """Exactly these calls were decided, in this order; a name alone stands for any arguments."""
        expected = (
            ExpectedCall(tool=tool)
            if isinstance(tool, str)
            else ExpectedCall(tool=tool[0], arguments=tool[1])
            for tool in tools
        )
        return self._holds(calls=tuple(expected))

    def outcome(self, tool: str, outcome: OutcomeName) -> "HeardTurn":
        """The calls of this tool ended so."""
        calls = self._expected.calls
        if calls is None or tool not in {call.tool for call in calls}:
            raise ValueError(f"assert calls(...) with {tool!r} first, then how they ended")
        return self._holds(
            calls=tuple(
                call.model_copy(update={"outcome": outcome}) if call.tool == tool else call for call in calls
            )
        )

    def overlap(self, *tools: str) -> "HeardTurn":
        """These tools all ran at the same moment."""
        return self._holds(overlap=(*self._expected.overlap, tools))

    def never(
        self,
        text_contains: str | None = None,
        *,
        text_matches: str | None = None,
        kind: MessageKind | None = None,
        tool: str | None = None,
        frame: str | None = None,
    ) -> "HeardTurn":
        """This does not come in this turn: words, a kind of message, a tool that runs, a frame."""
        one = Never(kind=kind, text_contains=text_contains, text_matches=text_matches, tool=tool, frame=frame)
        return self._holds(never=(*self._expected.never, one))

    def is_scene(self, text: str) -> "HeardTurn":
        """The whole turn reads so; indentation does not matter."""
        return self._holds(scene=scene(text))

    def ended(self, how: HowTurnEnded | Literal["passed_on"]) -> "HeardTurn":
        """The turn ended so; ``passed_on``: there was none, for the message went to a person."""
        return self._holds(how=how)

    def handed_over(self, *states: HandoffState) -> "HeardTurn":
        """A request for a person went on so since this message; without any, nobody was asked for."""
        return self._holds(handoff=states)

    def silence_ms(self, most: int) -> "HeardTurn":
        """Nothing new came for so long at the most."""
        return self._holds(silence_ms=most)

    def withheld(self, *, repetition: int = 0, say_do: int = 0) -> "HeardTurn":
        """The guards kept so many sentences back."""
        counts: dict[Literal["repetition", "say_do"], int] = {"repetition": repetition, "say_do": say_do}
        return self._holds(withheld=counts)

    def without(self, *checks: Check) -> "HeardTurn":
        """Leave out checks that are made without being asked for."""
        self._expected = self._expected.model_copy(update={"without": (*self._expected.without, *checks)})
        return self

    def expecting(self, turn: Turn) -> Turn:
        """The turn as it would stand in a file, with what was asserted of it."""
        return turn.model_copy(update={"expect": self._expected})

    def _last_one_with(self, **more: int) -> tuple[Hears, ...]:
        if not self._expected.hears:
            raise ValueError("assert hears(...) first, then when it came")
        *before, last = self._expected.hears
        return (*before, last.model_copy(update=more))

    def _holds(self, **expected: object) -> "HeardTurn":
        """Expect this as well, and assert it alone: what was asserted before has been."""
        only = Expectations.model_validate({**expected, "without": self._expected.without})
        turns = list(self._cassette.turns)
        place = self.number - 1
        turns[place] = turns[place].model_copy(update={"expect": only})
        cassette = self._cassette.model_copy(update={"turns": tuple(turns)})
        found = check(cassette, self.played, self._stage.book, self._stage.tools.specs)
        complaints = [one for one in found if one.turn == self.number and one.check in expected]
        if complaints:
            self.failed = True
            raise AssertionError("\n" + marked(cassette, self.played, complaints))
        self._expected = self._expected.model_copy(update=dict(expected))
        return self
