"""The roles of staff, and what each of them may do in the console."""

from collections.abc import Collection, Mapping
from typing import Literal, TypeAlias, get_args

Role: TypeAlias = Literal["agent", "editor", "analyst", "admin"]

Permission: TypeAlias = Literal[
    "inbox.read",
    "conversations.read",
    "conversations.take_over",
    "approvals.decide",
    "replies.read",
    "replies.edit",
    "reports.read",
    "prompts.read",
    "prompts.edit",
    "policies.read",
    "policies.edit",
    "knowledge.read",
    "knowledge.edit",
    "tools.read",
    "health.read",
    "assistant.pause",
    "people.manage",
    "audit.read",
]

ROLES: tuple[Role, ...] = get_args(Role)

_READS: tuple[Permission, ...] = (
    "conversations.read",
    "reports.read",
    "prompts.read",
    "policies.read",
    "knowledge.read",
    "tools.read",
    "health.read",
)
_EDITS: tuple[Permission, ...] = (
    "replies.read",
    "replies.edit",
    "prompts.edit",
    "policies.edit",
    "knowledge.edit",
    "assistant.pause",
)

_MAY: Mapping[Role, Collection[Permission]] = {
    "agent": (
        "inbox.read",
        "conversations.read",
        "conversations.take_over",
        "approvals.decide",
        "replies.read",
        "knowledge.read",
        "health.read",
    ),
    "editor": (*_READS, *_EDITS),
    "analyst": _READS,
    "admin": get_args(Permission),
}

SHOWS_CUSTOMERS: frozenset[Permission] = frozenset(
    {"inbox.read", "conversations.read", "conversations.take_over", "approvals.decide"}
)
"""What shows a customer's data: each use of these is recorded, also if nothing is changed."""


def permissions_of(roles: Collection[Role]) -> list[Permission]:
    """What a person with these roles may do, in the order of the list above.

    >>> permissions_of(["agent"])[:4]
    ['inbox.read', 'conversations.read', 'conversations.take_over', 'approvals.decide']
    >>> permissions_of([])
    []
    """
    return [one for one in get_args(Permission) if any(one in _MAY[role] for role in roles)]
