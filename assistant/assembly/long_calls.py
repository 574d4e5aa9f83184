"""Opens the runner for long calls that the settings select, and the worker that runs them in this process."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assistant.conversation.customer import ConversationKey
from assistant.conversation.state import ConversationState
from assistant.errors import DeclarationError, StoreError
from assistant.ports import Clock
from assistant.settings import Settings
from assistant.settings_sources import environment
from assistant.storage_ports import Log
from assistant.tools.long_calls import CompanyTools, LongRunner, LongRunnerAway, RecordElsewhere

if TYPE_CHECKING:
    from assistant.tools.temporal.runner import TemporalRunner


def temporal_of(settings: Settings) -> TemporalRunner | None:
    """The runner that passes long calls to Temporal; None: they run in the process of their conversation.

    Raises ``DeclarationError`` if the extra is not installed, or a TLS file cannot be read.
    """
    if settings.temporal is None:
        return None
    try:
        from assistant.tools.temporal.runner import TemporalRunner, connection_options
    except ModuleNotFoundError as error:
        raise DeclarationError(
            "ASSISTANT_TEMPORAL needs another package; install it: pip install 'meanwhile-assistant[temporal]'"
        ) from error
    address, _, namespace = settings.temporal.partition("/")
    return TemporalRunner(address, namespace or "default", connection_options(environment(settings)))


def long_call_work(
    runner: TemporalRunner,
    companies: Mapping[str, Callable[[], CompanyTools]],
    log: Log,
    record: RecordElsewhere,
    clock: Clock,
    process: str,
    *,
    conversations: bool,
) -> Coroutine[Any, Any, None]:
    """Run the long calls that Temporal gives to this process, until cancelled.

    Args:
        runner: the connection to Temporal.
        companies: gives the newest tools of each tenant.
        log: has the calls' arguments.
        record: receives progress, and also outcomes if ``conversations``: this process can open conversations.
        clock: measures times.
        process: an id that no other process has.
        conversations: whether this process also receives outcomes.
    """
    from assistant.tools.temporal.activities import Activities, TemporalWorker

    activities = Activities(runner, companies, log, record, clock, process)
    return TemporalWorker(runner, activities, conversations=conversations).run(clock.sleep)


@dataclass(frozen=True, slots=True)
class LongCallsElsewhere:
    """The customers' data in Temporal, which an erasure also deletes."""

    log: Log
    runner: LongRunner

    async def erase(self, tenant: str, customer: str) -> None:
        """End all long calls of a customer, and delete their stored data. Raises ``StoreError``."""
        for conversation in await self.log.conversations(tenant, customer):
            key = ConversationKey(tenant=tenant, customer=customer, conversation=conversation)
            turns = ConversationState(await self.log.read(key)).turns
            calls = [
                turn.started[call_id].idempotency_key
                for turn in turns
                for call_id, long in turn.long.items()
                if long.runner == self.runner.name
            ]
            try:
                await self.runner.erase(tenant, calls)
            except LongRunnerAway as error:
                raise StoreError(f"nothing of {conversation} is erased yet: {error}; ask again") from error
