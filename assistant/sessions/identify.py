"""Records who a customer turned out to be: from then on the conversation is theirs."""

import structlog

from assistant.conversation.entries import Identified, IdentityTried
from assistant.tooling.running.identity import Ran, not_matched
from assistant.turn.record import Record
from assistant.turn.running_turn import RunningTurn

log = structlog.get_logger(__name__)

MOST_TRIES = 5
"""So many tries of a conversation may fail; after that a person has to find out."""


async def identify(ran: Ran, turn: RunningTurn, record: Record) -> Ran:
    """Record how a try ended; when it matched, everything after it is done for the company's customer.

    Of two tries in one turn that find two customers, the first to end counts.
    """
    found = ran.identified
    known = turn.customer
    if found is not None and known.known and known.id != found.id:
        log.warning("two customers in one conversation", conversation=turn.key.conversation)
        ran = not_matched(ran.outcome.call)
        found = None
    await record(IdentityTried(matched=found is not None))
    if found is not None and not known.known:
        await record(Identified(level="verified", customer=found.id, name=found.name))
    return ran
