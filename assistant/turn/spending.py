"""Keeps turns within their budgets: turns ask it before each request to a model, and report what they have
spent.

What a turn and its conversation have spent is known from their log. What a customer and a tenant have spent on a
day is in a store that all servers share. It is read once, before a turn's first request, and added to once, after
its end. So turns that run at the same time do not know of each other: together, they may exceed a day's budget by
what they spend.

If the store does not answer, the turn continues with the last sums that this process knows.
"""

from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Final, TypeAlias

import structlog

from assistant.conversation.chunks import StreamEnded
from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import BudgetName
from assistant.conversation.state import ConversationState
from assistant.conversation.turn_state import TurnState
from assistant.conversation.usage import (
    Assessment,
    BudgetScope,
    SpendingLimits,
    Spent,
    SpentToday,
    assess,
    spent_in,
)
from assistant.errors import LogError, ModelError
from assistant.ports import Clock
from assistant.storage_ports import SpendingStore

log = structlog.get_logger(__name__)

_STORE_S: Final = 2.0
"""How long a customer waits for the store. Then the process's own sums have to do."""

_MOST_CUSTOMERS: Final = 10_000
"""Customers whose sums are kept in memory, for the case that the store does not answer."""


_STAFF: Final = "(staff)"
"""What trials of staff have spent is counted under this name, which has no budget of a customer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetReached:
    """A budget has reached its soft or hard stage. Each stage is reported once, by one of the servers.

    ``customer`` and ``conversation`` are those of the turn that reached it, also if the budget is that of the
    whole tenant.
    """

    tenant: str
    customer: str
    conversation: str
    day: date
    assessment: Assessment


class OverBudget(ModelError):
    """No model was asked, because a budget is spent. The message names the budget, and how much of it is used."""

    say = "I have reached the limit of what I may answer"

    def __init__(self, budget: Assessment) -> None:
        self.budget: BudgetName = budget.budget
        super().__init__(f"{budget}: spent")


BudgetListener: TypeAlias = Callable[[BudgetReached], None]
"""Counts a budget that is reached. It must not raise."""


class Spending:
    """The budgets of one tenant, and what has been spent of them.

    Args:
        limits: the budgets.
        store: the sums of days; used only if a budget is for a day.
        clock: says which day it is, in the company's time zone.
    """

    def __init__(self, limits: SpendingLimits, store: SpendingStore, clock: Clock) -> None:
        self.limits = limits
        self._store, self._clock = store, clock
        self._listeners: list[BudgetListener] = []
        self._day: date = date.min
        self._known: OrderedDict[str, Spent] = OrderedDict()
        self._tenant = Spent()
        self._unsaved: dict[str, Spent] = {}

    def listen(self, listener: BudgetListener) -> None:
        """Tell this listener of each budget that is reached from now on."""
        self._listeners.append(listener)

    async def today(self, key: ConversationKey) -> SpentToday:
        """Returns what the customer and the tenant have spent today. It is called before a turn begins.

        If no budget is for a day, both are zero. If the store fails or does not answer in time, returns what
        this process knows.
        """
        if not self.limits.by_day:
            return SpentToday()
        day = self._clock.now().date()
        try:
            async with self._clock.timeout(_STORE_S):
                self._remember(key, day, await self._store.spent(key.tenant, key.customer, day))
        except (LogError, TimeoutError) as error:
            log.warning("budgets are compared with what this server knows", why=_why(error))
        return self._last_known(key, day)

    def assess(
        self, conversation: ConversationState, turn: TurnState | None, today: SpentToday
    ) -> Assessment:
        """The stage of the budgets now, in the middle of a turn or (None) between turns."""
        turns = [one.used for one in conversation.turns]
        running = spent_in([turn.used], turns) if turn is not None else Spent()
        spent: dict[BudgetScope, Spent] = {
            "turn": running,
            "conversation": spent_in(turns, turns),
            "customer": today.customer + running,
            "tenant": today.tenant + running,
        }
        return assess(spent, self.limits)

    def is_spent(self, key: ConversationKey, conversation: ConversationState) -> bool:
        """Whether a budget is spent, as far as this process knows. For work that no customer waits for."""
        today = self._last_known(key, self._clock.now().date())
        return self.assess(conversation, None, today).stage == "hard"

    async def count_turn(
        self, key: ConversationKey, conversation: ConversationState, turn: TurnState
    ) -> None:
        """Add what an ended turn has spent. Never raises for a store that does not answer."""
        turns = [one.used for one in conversation.turns]
        more, whole = spent_in([turn.used], turns), spent_in(turns, turns)
        before: dict[BudgetScope, Spent] = {"turn": Spent(), "conversation": whole - more}
        after: dict[BudgetScope, Spent] = {"turn": more, "conversation": whole}
        await self._count(key, more, before, after)

    async def count_summary(self, key: ConversationKey, ended: StreamEnded) -> None:
        """Add what a summary has spent, to the customer's day and the tenant's."""
        tokens = (ended.input_tokens or 0) + (ended.output_tokens or 0)
        await self._count(key, Spent(tokens=tokens, usd=ended.cost_usd or 0.0), {}, {})

    async def count_trial(self, tenant: str, spent: Spent) -> None:
        """Add what a trial of staff has spent, to the tenant's day. It belongs to no customer."""
        await self._count(_of_staff(tenant), spent, {}, {})

    async def is_tenant_spent(self, tenant: str) -> bool:
        """Whether the tenant's budget of today is spent. For trials of staff."""
        today = await self.today(_of_staff(tenant))
        return assess({"tenant": today.tenant}, self.limits).stage == "hard"

    async def _count(
        self,
        key: ConversationKey,
        more: Spent,
        before: dict[BudgetScope, Spent],
        after: dict[BudgetScope, Spent],
    ) -> None:
        day = self._clock.now().date()
        if self.limits.by_day and more != Spent():
            self._begin(day)
            self._unsaved[key.customer] = self._unsaved.get(key.customer, Spent()) + more
            if (added := await self._save(key, day)) is not None:
                before |= {"customer": added[0].customer, "tenant": added[0].tenant}
                after |= {"customer": added[1].customer, "tenant": added[1].tenant}
        await self._tell(key, day, before, after)

    async def _save(self, key: ConversationKey, day: date) -> tuple[SpentToday, SpentToday] | None:
        """The sums before and after; None if the store does not answer. Then the next turn's end tries again."""
        others = [customer for customer in self._unsaved if customer != key.customer]
        saved: tuple[SpentToday, SpentToday] | None = None
        try:
            for customer in (key.customer, *others):
                more = self._unsaved.pop(customer)
                try:
                    async with self._clock.timeout(_STORE_S):
                        now = await self._store.add(key.tenant, customer, day, more)
                except BaseException:
                    self._unsaved[customer] = self._unsaved.get(customer, Spent()) + more
                    raise
                if saved is None:
                    self._remember(key, day, now)
                    before = SpentToday(customer=now.customer - more, tenant=now.tenant - more)
                    saved = before, now
        except (LogError, TimeoutError) as error:
            log.warning("what turns have spent is counted later", why=_why(error))
        return saved

    async def _tell(
        self,
        key: ConversationKey,
        day: date,
        before: Mapping[BudgetScope, Spent],
        after: Mapping[BudgetScope, Spent],
    ) -> None:
        """Tell of each budget that has come to a new stage."""
        for scope, spent in after.items():
            if scope == "customer" and key.customer == _STAFF:
                continue
            now = assess({scope: spent}, self.limits)
            if now.stage == "ok" or now.stage == assess({scope: before[scope]}, self.limits).stage:
                continue
            said = log.warning if now.stage == "hard" or scope == "tenant" else log.info
            said(
                "budget spent" if now.stage == "hard" else "budget nearly spent",
                of=scope,
                used=round(now.used, 4),
                limit=now.limit,
                unit=now.unit,
                tenant=key.tenant,
                conversation=key.conversation,
            )
            reached = BudgetReached(
                tenant=key.tenant,
                customer=key.customer,
                conversation=key.conversation,
                day=day,
                assessment=now,
            )
            for listener in self._listeners:
                listener(reached)

    def _last_known(self, key: ConversationKey, day: date) -> SpentToday:
        """The last sums of the store, with what it has not been told yet."""
        self._begin(day)
        own = self._known.get(key.customer, Spent()) + self._unsaved.get(key.customer, Spent())
        return SpentToday(customer=own, tenant=sum(self._unsaved.values(), self._tenant))

    def _remember(self, key: ConversationKey, day: date, stored: SpentToday) -> None:
        self._begin(day)
        self._known[key.customer] = stored.customer
        self._known.move_to_end(key.customer)
        if len(self._known) > _MOST_CUSTOMERS:
            self._known.popitem(last=False)
        self._tenant = stored.tenant

    def _begin(self, day: date) -> None:
        """Begin anew with each day."""
        if day != self._day:
            self._day, self._tenant = day, Spent()
            self._known.clear()
            self._unsaved.clear()


def _why(error: Exception) -> str:
    return str(error) or f"no answer in {_STORE_S:g} s"


def _of_staff(tenant: str) -> ConversationKey:
    return ConversationKey(tenant=tenant, customer=_STAFF, conversation="")
