"""A logged conversation becomes a test for staff, which is played at once."""

from dataclasses import replace
from pathlib import Path

import pytest

from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import Logged, MessageText
from assistant.errors import AssistantError
from assistant.replay.cassette_file import load, load_text
from assistant.replay.player.environment import environment_of
from assistant.replay.player.play import replay
from assistant.replay.recording.conversation_test import copy_as_test, make_test
from assistant.settings import Settings

CONVERSATIONS = Path(__file__).parents[2] / "conversations"
KEY = ConversationKey(tenant="demo", customer="demo", conversation="k1")


@pytest.fixture(scope="module")
def logged() -> tuple[Logged, ...]:
    """The log of a conversation with two lookups."""
    cassette = load(sorted((CONVERSATIONS / "acknowledgement").glob("*.conversation.yaml"))[0]).cassette
    return replay(cassette, environment_of(Settings())).entries


def test_a_copied_conversation_passes_and_can_be_read(logged: tuple[Logged, ...]) -> None:
    made = make_test(Settings(), KEY, logged)

    assert (made.passes, made.failure, made.difference) == (True, "", "")
    cassette = load_text(made.text, "copied").cassette
    assert len(cassette.turns) >= 1
    assert "k1" not in made.text


def test_a_conversation_that_goes_otherwise_today_says_how(logged: tuple[Logged, ...]) -> None:
    changed = tuple(
        replace(one, entry=replace(one.entry, text=f"Formerly: {one.entry.text}"))
        if isinstance(one.entry, MessageText)
        else one
        for one in logged
    )

    made = make_test(Settings(), KEY, changed)

    assert "Formerly" in made.difference


async def test_it_is_made_in_another_process(logged: tuple[Logged, ...]) -> None:
    assert (await copy_as_test(Settings(), KEY, logged)).passes
    with pytest.raises(AssistantError, match="the customer wrote nothing in conversation 'k1'"):
        await copy_as_test(Settings(), KEY, logged[:1])
