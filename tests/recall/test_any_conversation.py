"""Any customer, model and tools, with crashes: what the live turn allows, recall allows."""

from hypothesis import HealthCheck, example, given, settings

from assistant.conversation.entries import Identified, Logged
from assistant.recall.conversation import recall_conversation
from assistant.recall.rules import Rules
from assistant.testing.chat import ANA, KEY, deps_for
from assistant.testing.script import breaks
from assistant.testing.scripted_model import ScriptedModel
from assistant.testing.virtual_time import VirtualClock, run_virtually
from assistant.turn.context import Limits
from tests.turn.any_company import Run
from tests.turn.test_whole_conversations import (
    BOOK,
    EXAMPLES,
    STORIES,
    Step,
    Story,
    deciding,
    happens,
    named,
)

LATE_AND_AGAIN = Story(
    steps=[Step("Check my orders", 0.0), Step("Check my orders", 0.0)],
    deciders=[deciding([named("orders", "2026-03-10")], "", 0.0)],
    narrators=[None],
    runs=[Run(3.0, "works")],
    tools_s=2.0,
    rounds=2,
    append_s=0.0,
    interrupts=False,
)
"""Two messages of a turn say the same, and only the second one tells results of the turn before."""

CUT_BY_A_CRASH = Story(
    steps=[*(Step("Check my orders", wait_s) for wait_s in (0.0, 0.0, 7.0, 0.5)), Step("crash", 0.0)],
    deciders=[
        deciding([named("orders", "2026-03-10")], text, each_s)
        for text, each_s in (("Gladly, Ana.", 0.0), ("", 0.0), ("", 0.0), ("Gladly, Ana.", 0.3))
    ],
    narrators=[None],
    runs=[Run(0.0, "works")],
    tools_s=2.0,
    rounds=2,
    append_s=0.0,
    interrupts=False,
)
"""Its words were shown, the reply is lost, and the next process is given the same words."""

CUT_BY_A_CLOSE = Story(
    steps=[Step("Check my orders", 0.5), Step("close", 0.5)],
    deciders=[
        breaks(deciding([named("orders", "2026-03-10")], "Gladly, Ana.", 0.3)),
        deciding([named("note", "2026-03-10")], "Gladly, Ana.", 0.0),
    ],
    narrators=[None],
    runs=[Run(0.0, "works")],
    tools_s=30.0,
    rounds=2,
    append_s=0.0,
    interrupts=False,
)
"""The process stops in the middle of a reply, and the next one is given the same words."""


@given(STORIES)
@example(CUT_BY_A_CLOSE)
@example(CUT_BY_A_CRASH)
@example(LATE_AND_AGAIN)
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_nothing_is_found_in_what_the_live_turn_has_just_done(story: Story) -> None:
    entries, tools = run_virtually(happens(story))
    limits = Limits(tools_s=story.tools_s, rounds=story.rounds)
    rules = Rules(deps_for(ScriptedModel(), list(tools.values()), BOOK, VirtualClock(), limits=limits))
    known = [Logged(0, 0, "", Identified(level=ANA.level)), *entries]

    recalled = run_virtually(recall_conversation(KEY, known, rules))

    assert (recalled.findings, recalled.gains, recalled.failures) == ([], [], [])
    # A reply is lost when the process dies before it is complete.
    assert recalled.unchecked.total() == recalled.unchecked["shown_only"]
