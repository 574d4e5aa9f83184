"""The conversations that come with the package keep today's rules."""

import asyncio
from pathlib import Path

import pytest

from assistant.conversation.customer import ConversationKey
from assistant.recall.conversation import recall_conversation
from assistant.recall.findings import Finding
from assistant.recall.rules import Rules
from assistant.replay.cassette_file import load
from assistant.replay.played import Notes
from assistant.replay.player.cassette_tool import AnyRuns
from assistant.replay.player.environment import Stage, stage_of
from assistant.replay.player.fake_agents import handoffs_for
from assistant.replay.player.play import parts_of, replay
from assistant.settings import Settings
from assistant.testing.virtual_time import VirtualClock

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "tests" / "conversations").glob("*.conversation.yaml"))
KEY = ConversationKey(tenant="demo", customer="ana", conversation="c-1")


@pytest.fixture(scope="module")
def stage() -> Stage:
    return stage_of(Settings(tools_dir=ROOT / "tools", prompts_dir=ROOT / "prompts"))


def test_the_shipped_conversations_keep_todays_rules(stage: Stage) -> None:
    found: list[tuple[str, Finding]] = []
    checked = 0
    for file in FILES:
        cassette = load(file).cassette
        notes, clock = Notes(), VirtualClock(cassette.now)
        handoffs = handoffs_for(cassette.people) if cassette.people is not None else None
        parts = parts_of(cassette, stage, {}, AnyRuns(cassette, notes), clock, notes, handoffs)
        entries = replay(cassette, stage).entries
        recalled = asyncio.run(recall_conversation(KEY, entries, Rules(parts)))
        assert recalled.failures == [], file.name
        found += [(file.name, finding) for finding in recalled.findings]
        checked += recalled.checked["answers"] + recalled.checked["writes"]
    assert checked > 0
    assert found == []
