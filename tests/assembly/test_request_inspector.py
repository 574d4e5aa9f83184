"""Staff see each request as it was sent, in sections; nothing is sent or run again for it."""

from collections.abc import Sequence
from datetime import UTC
from pathlib import Path

import pytest

from assistant.assembly.request_inspector import RequestInspector
from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import Logged, ModelAsked
from assistant.conversation.usage import SpendingLimit, SpendingLimits
from assistant.errors import AssistantError
from assistant.inspector.copied_test import CopiedTest
from assistant.inspector.forked import AskedModels, Fork, ForkedTurn
from assistant.inspector.replayed import ReplayedConversation, ReplayedTurn
from assistant.inspector.requests import RebuiltRequest, reply_to, sections_of
from assistant.models.tokens import Estimate
from assistant.sessions.config_version import FixedConfig
from assistant.store.sqlite.spending import SqliteSpending
from assistant.testing.chat import KEY
from assistant.testing.script import says
from assistant.turn.context import TurnDependencies
from assistant.turn.spending import Spending
from tests.assembly.test_context_inspector import held
from tests.turn.conversations import ANSWER, TWO_LOOKUPS

LINES = {"decider 1": TWO_LOOKUPS, "narrator 1": ANSWER, "decider 2": says("Gladly.")}


async def no_receipt(key: ConversationKey, call_key: str) -> bytes:
    raise AssertionError(key, call_key)


async def no_test(key: ConversationKey, entries: Sequence[Logged]) -> CopiedTest:
    raise AssertionError(key, entries)


async def no_replay(key: ConversationKey, entries: Sequence[Logged]) -> ReplayedConversation:
    raise AssertionError(key, entries)


async def forked(key: ConversationKey, entries: Sequence[Logged], fork: Fork) -> ForkedTurn:
    turn = ReplayedTurn(turn_id=fork.turn_id, before=(), now=(), changes=())
    return ForkedTurn(turn=turn, models=("big",), tokens=900, cost_usd=0.4, earlier=(), unscripted=())


def inspector_of(configs: FixedConfig, spending: Spending | None = None) -> RequestInspector:
    return RequestInspector(
        configs=configs,
        time_zone="UTC",
        make_receipt=no_receipt,
        make_test=no_test,
        make_replay=no_replay,
        make_fork=forked,
        asked=AskedModels(models=("big",), embedded=False),
        spending=spending,
    )


async def rebuilt(entries: Sequence[Logged], deps: TurnDependencies) -> list[tuple[Logged, RebuiltRequest]]:
    inspector = inspector_of(FixedConfig(deps))
    asked = [one for one in entries if isinstance(one.entry, ModelAsked)]
    return [(one, await inspector.rebuild(KEY, entries, one)) for one in asked]


async def test_each_request_is_shown_as_it_was_sent() -> None:
    entries, sent, deps = await held(["Check my appointments and billing", "Thanks"], LINES)
    assert deps.clock.now().tzinfo is UTC

    found = await rebuilt(entries, deps)

    assert [one.sections for _, one in found] == [sections_of(each, Estimate().count) for each in sent]
    decision, narration, last = ({part.name: part.text for part in one.sections} for _, one in found)
    assert "customer: Check my appointments and billing" in decision["turn"]
    assert "get_open_invoices" in decision["tools"]
    assert "assistant calls get_open_invoices" in narration["turn"]
    assert "earlier" not in narration
    assert "Check my appointments" in last["earlier"]
    assert "Check my appointments" not in last["turn"]
    assert all(part.tokens > 0 for _, one in found for part in one.sections)


async def test_the_reply_is_shown_as_it_streamed() -> None:
    entries, _, deps = await held(["Check my appointments and billing", "Thanks"], LINES)

    [decision, narration, last] = [reply_to(entries, asked) for asked, _ in await rebuilt(entries, deps)]

    assert [piece.text for piece in decision if piece.kind == "call"] == [
        "list_upcoming_appointments",
        "get_open_invoices",
    ]
    assert decision[-1].kind == "end"
    assert "Tuesday" in "".join(piece.text for piece in narration if piece.kind == "text")
    assert "".join(piece.text for piece in last if piece.kind == "text") == "Gladly."


async def test_prompts_that_are_not_stored_any_more_are_said() -> None:
    entries, _, deps = await held(["Thanks"], {"decider 1": says("Gladly.")})
    inspector = inspector_of(FixedConfig(deps))
    [asked] = [one for one in entries if isinstance(one.entry, ModelAsked)]

    assert (await inspector.rebuild(KEY, entries, asked)).same_prompts

    class Other(FixedConfig):
        def __init__(self, deps: TurnDependencies) -> None:
            super().__init__(deps)
            self.newest = type(self.newest)(bundle="another", deps=deps)

    inspector = inspector_of(Other(deps))
    assert not (await inspector.rebuild(KEY, entries, asked)).same_prompts


async def test_a_summary_cannot_be_rebuilt() -> None:
    entries, _, deps = await held(["Thanks"], {"decider 1": says("Gladly.")})
    asked = Logged(99, 1, "t1", ModelAsked(round=1, role="summariser", model="m"))
    inspector = inspector_of(FixedConfig(deps))

    with pytest.raises(AssistantError, match="requests for summaries cannot be rebuilt"):
        await inspector.rebuild(KEY, entries, asked)


async def test_a_trial_counts_towards_the_budget_of_the_day_and_no_customers(tmp_path: Path) -> None:
    entries, _, deps = await held(["Thanks"], {"decider 1": says("Gladly.")})
    store = SqliteSpending(tmp_path / "spending.db")
    limits = SpendingLimits(by_scope={"tenant": SpendingLimit(usd=0.5), "customer": SpendingLimit(usd=0.1)})
    inspector = inspector_of(FixedConfig(deps), Spending(limits, store, deps.clock))
    fork = Fork(turn_id="t1", message="Hello")
    for _ in range(2):
        assert (await inspector.fork(KEY, entries, fork)).cost_usd == 0.4

    with pytest.raises(AssistantError, match="the budget of today is spent"):
        await inspector.fork(KEY, entries, fork)

    today = await store.spent(KEY.tenant, KEY.customer, deps.clock.now().date())
    assert (today.tenant.usd, today.customer.usd) == (0.8, 0)
    await store.close()
