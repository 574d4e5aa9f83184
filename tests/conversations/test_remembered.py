"""What models get of earlier turns: the values that the answer needs, however the earlier turn ended."""

from functools import cache

import pytest

from assistant.conversation.entries import Logged, ModelAsked, Snapshot
from assistant.conversation.outcomes import CallSucceeded
from assistant.conversation.snapshots import LEFT_OUT
from assistant.conversation.state import ConversationState
from assistant.conversation.views import FromTools, View
from assistant.formats.tools import result_text
from assistant.replay.cassette_file import load
from assistant.replay.player.environment import environment_of
from assistant.replay.player.play import replay
from assistant.tenants import load_settings
from assistant.turn.view_builder import ViewBuilder
from tests.support.cassettes import CASSETTES

SECOND = {
    "second_amount_of_an_earlier_result": '"number":2002,"amount":"21.00"',
    "results_known_after_a_stop": '"number":2002,"amount":"21.00"',
    "second_of_many_results": '"number":2002,"amount":"12.20"',
    "results_known_after_a_restart": '"number":2002,"amount":"12.20"',
}
LARGE = ("second_of_many_results", "results_known_after_a_restart", "result_loaded_in_full")


@cache
def played(name: str) -> tuple[Logged, ...]:
    return tuple(replay(load(CASSETTES[name]).cassette, environment_of(load_settings())).entries)


def last_decision(entries: tuple[Logged, ...]) -> View:
    """What the deciding model was given when it was asked for the last time."""
    place = max(
        place
        for place, one in enumerate(entries)
        if isinstance(one.entry, ModelAsked) and one.entry.role == "decider"
    )
    *earlier, turn = ConversationState(entries[:place]).turns
    return ViewBuilder().view("", earlier, turn)


def results(view: View) -> list[CallSucceeded]:
    return [
        outcome
        for message in view.messages
        if isinstance(message, FromTools)
        for outcome in message.outcomes
        if isinstance(outcome, CallSucceeded)
    ]


@pytest.mark.parametrize("name", SECOND)
def test_the_second_item_is_known_without_another_lookup(name: str) -> None:
    (found,) = results(last_decision(played(name)))

    assert SECOND[name] in result_text(found)


@pytest.mark.parametrize("name", LARGE)
def test_of_many_items_the_first_and_the_last_are_known_with_the_count(name: str) -> None:
    entries = played(name)
    (kept, *_) = (one.entry for one in entries if isinstance(one.entry, Snapshot))

    (found,) = results(last_decision(entries))

    assert found.full_ref == kept.full_result_ref
    text = result_text(found)
    assert f"with ref {kept.full_result_ref}]" in text
    assert f'{{"{LEFT_OUT}":' in text
    assert ['"number":2001' in text, '"number":2060' in text, '"number":2120' in text] == [True, False, True]
    assert len(text) < 1700


def test_omitted_data_is_loaded_by_its_reference() -> None:
    entries = played("result_loaded_in_full")
    whole, loaded = (one.entry for one in entries if isinstance(one.entry, Snapshot))

    assert loaded.arguments["ref"] == whole.full_result_ref
