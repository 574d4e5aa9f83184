"""The conversations that come with the package satisfy today's rules."""

import asyncio
from pathlib import Path

import pytest

from assistant.conversation.customer import ConversationKey
from assistant.recall.conversation import recall_conversation
from assistant.recall.findings import Finding
from assistant.recall.rules import Rules
from assistant.replay.cassette_file import load
from assistant.replay.played import Mismatches
from assistant.replay.player.cassette_tool import CassetteRuns
from assistant.replay.player.environment import ReplayEnvironment, environment_of
from assistant.replay.player.fault_injector import handoffs_for
from assistant.replay.player.play import replay, turn_dependencies
from assistant.settings import Settings
from assistant.testing.virtual_time import VirtualClock
from tests.support.cassettes import CASSETTES

ROOT = Path(__file__).parents[2]
FILES = list(CASSETTES.values())
KEY = ConversationKey(tenant="demo", customer="ana", conversation="c-1")


@pytest.fixture(scope="module")
def environment() -> ReplayEnvironment:
    return environment_of(Settings(tools_dir=ROOT / "tools", prompts_dir=ROOT / "prompts"))


def test_the_shipped_conversations_satisfy_todays_rules(environment: ReplayEnvironment) -> None:
    found: list[tuple[str, Finding]] = []
    checked = 0
    for file in FILES:
        cassette = load(file).cassette
        mismatches, clock = Mismatches(), VirtualClock(cassette.now)
        handoffs = handoffs_for(cassette.agents) if cassette.agents is not None else None
        deps = turn_dependencies(
            cassette,
            environment,
            {},
            CassetteRuns(cassette, mismatches, reusable_from=0),
            clock,
            mismatches,
            handoffs,
        )
        entries = replay(cassette, environment).entries
        recalled = asyncio.run(recall_conversation(KEY, entries, Rules(deps)))
        assert recalled.failures == [], file.name
        found += [(file.name, finding) for finding in recalled.findings]
        checked += recalled.checked["answers"] + recalled.checked["writes"]
    assert checked > 0
    assert found == []
