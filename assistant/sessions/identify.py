"""Makes somebody whom a tool has identified the customer of their conversation."""

from dataclasses import replace

import structlog

from assistant.conversation.entries import Identified, IdentityTried
from assistant.conversation.people import Customer
from assistant.tooling.identity import Ran, not_matched
from assistant.turn.record import Record
from assistant.turn.running_turn import RunningTurn

log = structlog.get_logger(__name__)

MOST_TRIES = 5
"""So many tries of a conversation may fail; after that a person has to find out."""


async def identify(ran: Ran, turn: RunningTurn, record: Record) -> Ran:
    """Record how a try ended; when it matched, the turn goes on for the company's customer.

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
        turn.customer = _verified(known, found)
    return ran


def _verified(known: Customer, found: Customer) -> Customer:
    """The tenant, and the language of the moment, are the conversation's and not a tool's to say."""
    return replace(known, id=found.id, name=found.name, level="verified")
