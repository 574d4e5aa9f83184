"""A cassette without anything special is held as it says, frame by frame and ms by ms."""

from datetime import datetime

import pytest

from assistant.prompts.shipped import shipped_book
from assistant.replay.cassette.cassette import Cassette, Turn
from assistant.replay.cassette.replies import Called, Reply
from assistant.replay.cassette.runs import Declared, Run
from assistant.replay.player.replay import replay
from assistant.replay.player.stage import Stage, stage_with
from assistant.testing.scene import scene, scene_of


@pytest.fixture
def stage() -> Stage:
    return stage_with(shipped_book())


TWO_LOOKUPS = Cassette(
    about="Two lookups at once; one of them fails, the other is told.",
    now=datetime.fromisoformat("2026-11-23T09:00:00+01:00"),
    declares=(
        Declared(name="list_upcoming_appointments", doing="looking up your appointments"),
        Declared(name="get_open_invoices", doing="checking your billing"),
    ),
    turns=(
        Turn(
            customer="Check my appointments and billing",
            replies=(
                Reply(
                    role="decider",
                    calls=(Called(tool="list_upcoming_appointments"), Called(tool="get_open_invoices")),
                    first_ms=300,
                ),
                Reply(
                    role="narrator",
                    says="You're booked for Tuesday at 2 pm. I couldn't reach billing just now.",
                    first_ms=300,
                    each_ms=10,
                ),
            ),
            tools=(
                Run(
                    tool="list_upcoming_appointments",
                    does="gives",
                    gives=[{"when": "2026-11-24T14:00"}],
                    after_ms=200,
                ),
                Run(
                    tool="get_open_invoices", does="refuses", refuses="billing can't be reached", after_ms=50
                ),
            ),
        ),
    ),
)


def test_the_conversation_is_held_as_it_was_written(stage: Stage) -> None:
    played = replay(TWO_LOOKUPS, stage)

    assert played.unscripted == ()
    assert scene_of(played.state.turns[0]) == scene("""
        Assistant (acknowledgement): Sure, I'll look up your appointments and check your billing.
          [list_upcoming_appointments ok]
          [get_open_invoices failed]
        Assistant: You're booked for Tuesday at 2 pm. I couldn't reach billing just now.
    """)
