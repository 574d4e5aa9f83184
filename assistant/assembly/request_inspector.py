"""Rebuilds requests of a served conversation for staff, with the configuration version that it used."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from assistant.assembly.context_inspector import capture_request, model_calls_of
from assistant.clock import SystemClock
from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import Logged, ModelAsked
from assistant.conversation.usage import Spent
from assistant.errors import AssistantError
from assistant.inspector.copied_test import CopiedTest
from assistant.inspector.forked import AskedModels, Fork, ForkedTurn
from assistant.inspector.replayed import ReplayedConversation
from assistant.inspector.requests import RebuiltRequest, sections_of
from assistant.models.tokens import Estimate
from assistant.sessions.config_version import ConfigRegistry, bundle_of
from assistant.turn.spending import Spending

_LONGEST_S = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestInspector:
    """Makes what the console shows of requests and calls.

    Args:
        configs: the versions that conversations use.
        time_zone: the company's, for the dates in the instructions.
        make_receipt: the receipt of a call, by the conversation and the call's idempotency key.
        make_test: a test of a conversation.
        make_replay: a conversation next to its replay.
        make_fork: a turn with what is changed in it, answered by the models.
        asked: the models that ``make_fork`` asks.
        spending: what models have cost; None: there are no budgets.
        playing: playing a conversation takes seconds of computing, so one is played at a time.
    """

    configs: ConfigRegistry
    time_zone: str | None
    make_receipt: Callable[[ConversationKey, str], Awaitable[bytes]]
    make_test: Callable[[ConversationKey, Sequence[Logged]], Awaitable[CopiedTest]]
    make_replay: Callable[[ConversationKey, Sequence[Logged]], Awaitable[ReplayedConversation]]
    make_fork: Callable[[ConversationKey, Sequence[Logged], Fork], Awaitable[ForkedTurn]]
    asked: AskedModels
    spending: Spending | None = None
    playing: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def rebuild(self, key: ConversationKey, entries: Sequence[Logged], asked: Logged) -> RebuiltRequest:
        """The request that was sent with the entry ``asked``. Nothing is sent, recorded or run.

        Raises:
            AssistantError: it cannot be rebuilt; the error gives the reason.
        """
        entry = asked.entry
        assert isinstance(entry, ModelAsked)  # noqa: S101 - for the type checker
        if entry.role == "summariser":
            raise AssistantError("requests for summaries cannot be rebuilt")
        calls = model_calls_of(entries, entry.role, asked.turn_id)
        call = next(one for one in calls if one.asked.seq == asked.seq)
        bundle = bundle_of(call.before) or ""
        version = await self.configs.version_of(bundle)
        clock = SystemClock(self.time_zone, datetime.fromtimestamp(asked.at_ms / 1000, UTC))
        role = version.deps.models.get(entry.role)
        deps = replace(version.deps, clock=clock, spending=None, gates=None)
        try:
            async with asyncio.timeout(_LONGEST_S):
                request = await capture_request(call, key, deps)
        except TimeoutError:
            raise AssistantError(f"the request was not rebuilt within {_LONGEST_S:g} seconds") from None
        counter = role.budget.counter if role is not None and role.budget is not None else Estimate()
        return RebuiltRequest(
            sections=sections_of(request, counter.count),
            same_prompts=version.bundle == bundle,
            counted_by=counter.name,
        )

    async def copy_as_test(self, key: ConversationKey, entries: Sequence[Logged]) -> CopiedTest:
        """A test of the conversation. Raises ``AssistantError`` if it cannot be made."""
        async with self.playing:
            return await self.make_test(key, entries)

    async def replay(self, key: ConversationKey, entries: Sequence[Logged]) -> ReplayedConversation:
        """The conversation next to its replay. Raises ``AssistantError`` if it cannot be replayed."""
        async with self.playing:
            return await self.make_replay(key, entries)

    def asked_models(self) -> AskedModels:
        """The models that ``fork`` asks."""
        return self.asked

    async def fork(self, key: ConversationKey, entries: Sequence[Logged], fork: Fork) -> ForkedTurn:
        """A turn as it would be. What it costs counts towards the tenant's day. Raises ``AssistantError``."""
        async with self.playing:
            if self.spending is not None and await self.spending.is_tenant_spent(key.tenant):
                raise AssistantError("the budget of today is spent; tomorrow models can be asked again")
            forked = await self.make_fork(key, entries, fork)
            if self.spending is not None:
                spent = Spent(tokens=forked.tokens, usd=forked.cost_usd or 0.0)
                await self.spending.count_trial(key.tenant, spent)
            return forked

    async def receipt(self, key: ConversationKey, call_key: str) -> bytes:
        """The receipt of a call, as the bytes of a file. Raises ``AssistantError`` if there is no such call."""
        return await self.make_receipt(key, call_key)
