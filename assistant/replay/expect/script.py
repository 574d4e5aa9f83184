"""``script``: what the conversation asked for is in the cassette, and what is in the cassette was asked for."""

import re
from collections.abc import Iterator

from assistant.replay.complaint import Complaint
from assistant.replay.expect.held import Held

_IN_TURN = re.compile(r"turn (\d+): ")


def script(held: Held) -> Iterator[Complaint]:
    """Complain of each place where the two part, and of each message that was never answered."""
    for line in held.played.unscripted:
        turn = _IN_TURN.match(line)
        number = int(turn[1]) if turn else 0
        yield _complaint(number, "what is written down, and no more", line[turn.end() :] if turn else line)
    taken_up = {turn.number for turn in held.turns} | set(held.passed_on)
    for number in range(1, len(held.cassette.turns) + 1):
        if number not in taken_up:
            yield _complaint(number, "a turn for the customer's message", "it was never taken up")


def _complaint(number: int, expected: str, found: str) -> Complaint:
    place = ("turns", number - 1) if number else ()
    return Complaint(turn=number, check="script", expected=expected, found=found, place=place)
