"""The full results of calls as documents: read from the log, for as long as they are kept."""

from dataclasses import dataclass

from assistant.conversation.customer import ConversationKey
from assistant.conversation.documents import Document, parse_result_ref
from assistant.conversation.entries import CallEnded, Logged
from assistant.conversation.outcomes import CallSucceeded
from assistant.formats.json_text import json_text
from assistant.ports import Clock, Log

_DAY_MS = 86_400_000


def expiry_ms(start_ms: int, days: int | None) -> int | None:
    """The time ``days`` later; None for no end.

    >>> expiry_ms(1_000, 1), expiry_ms(1_000, None)
    (86401000, None)
    """
    return None if days is None else start_ms + days * _DAY_MS


@dataclass(frozen=True, slots=True)
class ResultDocuments:
    """The results in the log; they are not found any more ``keep_days`` after they came."""

    log: Log
    clock: Clock
    keep_days: int | None

    async def document(self, tenant: str, customer: str, ref: str) -> Document | None:
        """A call's full result; None where there is none, of this customer, or not any more.

        Data is JSON text, a text stands as it is. Raises ``LogError``.
        """
        place = parse_result_ref(ref)
        if place is None:
            return None
        conversation, turn_id, call_id = place
        key = ConversationKey(tenant=tenant, customer=customer, conversation=conversation)
        for logged in reversed(await self.log.read(key)):
            result = _result(logged, turn_id, call_id)
            if result is not None:
                expires_ms = expiry_ms(logged.at_ms, self.keep_days)
                if expires_ms is not None and expires_ms <= self.clock.now_ms():
                    return None
                is_text = isinstance(result.value, str)
                return Document(
                    ref=ref,
                    tenant=tenant,
                    customer=customer,
                    kind="result",
                    title=result.call.tool,
                    text=result.value if isinstance(result.value, str) else json_text(result.value),
                    mime="text/plain" if is_text else "application/json",
                    conversation=conversation,
                    kept_ms=logged.at_ms,
                    expires_ms=expires_ms,
                )
        return None


def _result(logged: Logged, turn_id: str, call_id: str) -> CallSucceeded | None:
    """What the call gave, if it ends here with a result, and the whole of it."""
    if logged.turn_id != turn_id or not isinstance(logged.entry, CallEnded):
        return None
    outcome = logged.entry.outcome
    if not isinstance(outcome, CallSucceeded) or outcome.call.id != call_id or outcome.full_ref:
        return None
    return outcome
