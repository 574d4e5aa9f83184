"""What a set of expectations is about: one turn, or the conversation as a whole."""

from dataclasses import dataclass

from assistant.replay.complaint import Complaint, Place
from assistant.replay.expect.held import Held, PlayedMessage, PlayedTurn
from assistant.replay.expectations import Expectations


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One turn, or all of them.

    Args:
        number: the message's, from 1; 0 for the whole conversation.
        place: where the expectations stand in the file.
        expect: the expectations.
        turns: what they are about, in order: the message's turn, and those that told what was late for it; none
            where the message went to a person.
        held: the conversation that it is a part of.
    """

    number: int
    place: Place
    expect: Expectations
    turns: tuple[PlayedTurn, ...]
    held: Held

    @property
    def messages(self) -> list[tuple[PlayedTurn, PlayedMessage]]:
        """What the assistant said, each with its turn."""
        return [(turn, message) for turn in self.turns for message in turn.messages]

    def complaint(
        self,
        check: str,
        *rest: str | int,
        expected: str,
        found: str,
        at_ms: int | None = None,
        seq: int | None = None,
    ) -> Complaint:
        """A complaint about the expectation ``check``; ``rest`` leads on from it in the file."""
        return Complaint(
            turn=self.number,
            check=check,
            expected=expected,
            found=found,
            at_ms=at_ms,
            seq=seq,
            place=(*self.place, check, *rest),
        )


def parts_of(held: Held) -> list[Part]:
    """Each turn of the cassette that was played, then the conversation."""
    written = held.cassette.turns
    numbers = {turn.number for turn in held.turns if not turn.state.unasked} | set(held.passed_on)
    parts = [
        Part(
            number=number,
            place=("turns", number - 1, "expect"),
            expect=written[number - 1].expect,
            turns=tuple(turn for turn in held.turns if turn.number == number),
            held=held,
        )
        for number in sorted(numbers)
        if number <= len(written)
    ]
    whole = Part(number=0, place=("expect",), expect=held.cassette.expect, turns=held.turns, held=held)
    return [*parts, whole]
