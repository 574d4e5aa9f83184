"""What is recorded of a handoff, and read off the log again."""

from collections.abc import Sequence
from typing import Literal

from assistant.conversation.entries import Entry, Handoff
from assistant.conversation.transcript import transcript
from assistant.ports import AskedForPerson
from assistant.sessions.handed import Handed
from assistant.sessions.handoff_words import told


async def record_together(
    session: Handed, handoffs: Sequence[Handoff], *, tells: Literal["nobody", "back"] | None
) -> None:
    """Record these and what the customer is told of them: all or nothing, however a crash falls.

    Durable when it returns. Where the customer is told, no turn may be running.
    """
    entries: list[tuple[str, Entry]] = [("", handoff) for handoff in handoffs]
    if tells is not None:
        entries += told(session.state, session.edition, tells, handoffs[-1].ticket)
    last = len(entries) - 1
    for number, (turn_id, entry) in enumerate(entries):
        # Nothing else runs in between: only the last one waits.
        await session.record(entry, turn_id, durable=number == last)


def asked_for_person(session: Handed, current: Handoff) -> AskedForPerson:
    """What a desk is told of a conversation."""
    state = session.state
    return AskedForPerson(
        key=session.key,
        handoff_id=current.handoff_id,
        why=current.why,
        locale=next(reversed(state.said.values())).locale if state.said else "en",
        transcript=transcript(state),
        customer_name=session.customer.name,
    )


def began_at(session: Handed, handoff_id: str) -> int | None:
    """When this handoff began, in Unix ms; None when that is not durable yet."""
    for logged in session.entries:
        if isinstance(logged.entry, Handoff) and logged.entry.handoff_id == handoff_id:
            return logged.at_ms
    return None
