"""Replies that agents send again and again: written once by editors, and inserted in the inbox."""

from dataclasses import dataclass

MOST_REPLIES = 500
"""The maximum number of a tenant's replies."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CannedReply:
    """One reply.

    Args:
        tenant: whose reply it is.
        id: names it.
        title: what agents find it by.
        text: what is inserted. ``{name}`` becomes the customer's name, ``{agent}`` the agent's.
        locale: its language, such as "de"; "" for any.
        by: the person who changed it last.
        changed_ms: when that was, in Unix ms.
    """

    tenant: str
    id: str
    title: str
    text: str
    locale: str
    by: str
    changed_ms: int
