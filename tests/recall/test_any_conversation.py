"""Any customer, any model, any tools, machines that stop: what the live turn allows, recall allows."""

from hypothesis import HealthCheck, given, settings

from assistant.conversation.entries import Identified, Logged
from assistant.recall.conversation import recall_conversation
from assistant.recall.rules import Rules
from assistant.testing.chat import ANA, KEY, parts_for
from assistant.testing.scripted_model import ScriptedModel
from assistant.testing.virtual_time import VirtualClock, run_virtually
from assistant.turn.parts import Limits
from tests.turn.test_whole_conversations import BOOK, EXAMPLES, STORIES, Story, happens


@given(STORIES)
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_nothing_is_found_in_what_the_live_turn_has_just_done(story: Story) -> None:
    entries, tools = run_virtually(happens(story))
    limits = Limits(tools_s=story.tools_s, rounds=story.rounds)
    rules = Rules(parts_for(ScriptedModel(), list(tools.values()), BOOK, VirtualClock(), limits=limits))
    known = [Logged(0, 0, "", Identified(level=ANA.level)), *entries]

    recalled = run_virtually(recall_conversation(KEY, known, rules))

    assert (recalled.findings, recalled.gains, recalled.failures) == ([], [], [])
    # A reply is lost when the process dies before it is complete.
    assert recalled.unchecked.total() == recalled.unchecked["shown_only"]
