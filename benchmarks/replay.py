"""What a replayed conversation costs: ``python -m benchmarks.replay``.

Two cassettes are played on the shipped prompts, through the real server, in rounds that alternate: a short one
(two lookups and their answer) and a long one (twenty turns, a cut line among them). CPU figures are this
process's own, medians over the rounds, each with a loop of its own; the prompts are compiled once before.
"""

import argparse
import gc
import time
from datetime import UTC, datetime
from statistics import median

import structlog

from assistant.prompts.book import shipped_book
from assistant.replay.cassette import Cassette, Event, Turn
from assistant.replay.played import Played
from assistant.replay.player.environment import ReplayEnvironment, environment_with
from assistant.replay.player.play import replay
from assistant.replay.replies import Called, Declared, Reply, Run

LOOKUPS = {
    "list_upcoming_appointments": "looking up your appointments",
    "get_open_invoices": "checking your billing",
}
ANSWER = (
    "You're booked for Tuesday at 2 pm, and one invoice is open: EUR 120 for your sunglasses, due on Friday."
)


def turn(*meanwhile: Event) -> Turn:
    """Two lookups at once, and an answer of some twenty words; a little over three seconds."""
    return Turn(
        customer="Check my appointments and billing",
        after_ms=2_000,
        replies=(
            Reply(
                role="decider", calls=tuple(Called(tool=name) for name in LOOKUPS), first_ms=500, each_ms=40
            ),
            Reply(role="narrator", says=ANSWER, first_ms=600, each_ms=30),
        ),
        results=tuple(
            Run(tool=name, does="returns", returns=[{"number": 7}], after_ms=400) for name in LOOKUPS
        ),
        meanwhile=meanwhile,
    )


def cassette(*turns: Turn) -> Cassette:
    return Cassette(
        about="For measuring.",
        now=datetime(2026, 11, 23, 9, tzinfo=UTC),
        tools=tuple(Declared(name=name, waiting_hint=doing) for name, doing in LOOKUPS.items()),
        turns=turns,
    )


def cpu_ms(played: Cassette, environment: ReplayEnvironment, times: int) -> float:
    """CPU time of one replay, the mean of so many."""
    began = time.process_time()
    for _ in range(times):
        replay(played, environment)
    return (time.process_time() - began) * 1000 / times


def lasted_s(played: Played) -> float:
    return played.frames[-1].at_ms / 1000


def main(rounds: int, times: int) -> None:
    structlog.configure(processors=[_drop])
    environment = environment_with(shipped_book())
    cut = Event(happens="disconnect", at_ms=1_700, for_ms=1_000)
    contenders = {"short": cassette(turn()), "long": cassette(*[turn()] * 10, turn(cut), *[turn()] * 9)}
    lengths: dict[str, float] = {}
    for name, one in contenders.items():
        played = replay(one, environment)
        assert not played.unscripted, played.unscripted
        lengths[name] = lasted_s(played)
    gc.collect()
    gc.freeze()
    rows: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, one in contenders.items():
            rows[name].append(cpu_ms(one, environment, times))
    for name, values in rows.items():
        cost = median(values)
        minutes = lengths[name] / 60 / (cost / 1000)
        print(
            f"{name:6} {len(contenders[name].turns):3} turns, {lengths[name]:6.1f} s of conversation:"
            f" {cost:7.2f} ms CPU, {minutes:6.1f} minutes of conversation a second"
        )


def _drop(*_: object) -> str:
    raise structlog.DropEvent


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=10)
    options.add_argument("--times", type=int, default=10)
    chosen = options.parse_args()
    main(chosen.rounds, chosen.times)
