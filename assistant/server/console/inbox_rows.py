"""A conversation as a row of the inbox, computed from its entries. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from assistant.conversation.codec import kind_named
from assistant.conversation.customer import ConversationKey, Level
from assistant.conversation.entries import (
    AgentMessage,
    CustomerMessage,
    Handoff,
    HandoffState,
    Identified,
    Logged,
)
from assistant.conversation.staff_entries import (
    Assigned,
    ConversationClosed,
    HandoffRouted,
    Priority,
    Tagged,
)
from assistant.conversation.values import Json
from assistant.conversation.views import with_files

RowState: TypeAlias = Literal["waiting", "taken", "ticket", "assistant", "closed"]
View: TypeAlias = Literal["waiting", "mine", "all", "closed"]

ROW_ENTRIES = (
    CustomerMessage,
    AgentMessage,
    Handoff,
    Identified,
    Assigned,
    Tagged,
    ConversationClosed,
    HandoffRouted,
)
"""The entries that change a row."""

ROW_KINDS = tuple(kind_named(one) for one in ROW_ENTRIES)

_STATES: dict[HandoffState, RowState] = {
    "requested": "waiting",
    "queued": "waiting",
    "accepted": "taken",
    "unavailable": "ticket",
    "ticket": "ticket",
}
_LONGEST = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxRow:
    """A conversation in the list.

    Args:
        key: which conversation it is.
        opened_ms: when it began.
        seq: the number of the newest entry that counts for the row.
        state: who has it, or what it waits for.
        by: the name of the person who has it, or who closed it; "" for none.
        account: the account that is responsible; "" for none.
        account_name: its name.
        why: why a person was last asked for.
        since_ms: since when the state is so.
        unanswered_ms: since when the customer waits for the person who has it; 0: they do not.
        last_text: what was said last by customer or person.
        routed: for which people the handoff is, and by which rule.
        asked_ms: when the handoff began; 0: there is none.
        answered: a person has written since then.
    """

    key: ConversationKey
    opened_ms: int = 0
    seq: int = 0
    state: RowState = "assistant"
    by: str = ""
    account: str = ""
    account_name: str = ""
    why: str = ""
    since_ms: int = 0
    unanswered_ms: int = 0
    last_ms: int = 0
    last_text: str = ""
    customer: str = ""
    name: str = ""
    level: Level = "anonymous"
    locale: str = "en"
    tags: tuple[str, ...] = ()
    routed: HandoffRouted | None = None
    asked_ms: int = 0
    answered: bool = False

    @property
    def priority(self) -> Priority:
        """How urgent the handoff is."""
        return self.routed.priority if self.routed is not None else "normal"

    def is_in(self, view: View, account: str) -> bool:
        """Whether this account sees it in this part of the inbox."""
        match view:
            case "waiting":
                return self.state in ("waiting", "ticket")
            case "mine":
                return self.account == account and self.state != "closed"
            case "closed":
                return self.state == "closed"
            case "all":
                return True

    def wire(self) -> dict[str, Json]:
        """The row as pages see it."""
        assigned: Json = {"id": self.account, "name": self.account_name} if self.account else None
        return {
            "id": self.key.conversation,
            "sample": self.key.is_sample,
            "customer": {"id": self.customer or self.key.customer, "name": self.name or None},
            "level": self.level,
            "locale": self.locale,
            "state": self.state,
            "by": self.by or None,
            "assigned": assigned,
            "why": self.why[:_LONGEST],
            "since": self.since_ms,
            "unanswered_since": self.unanswered_ms or None,
            "last_at": self.last_ms,
            "last_text": self.last_text[:_LONGEST],
            "tags": list(self.tags),
            "seq": self.seq,
            "priority": self.priority,
            **_routing(self.routed),
        }


def _routing(routed: HandoffRouted | None) -> dict[str, Json]:
    rule: Json = {"name": routed.rule, "why": routed.why[:_LONGEST]} if routed and routed.rule else None
    return {
        "rule": rule,
        "team": (routed.team or None) if routed else None,
        "skill": (routed.skill or None) if routed else None,
    }


def row_of(key: ConversationKey, entries: Iterable[Logged], *, name: str = "") -> InboxRow:
    """The row of a conversation.

    Args:
        key: which conversation it is.
        entries: all of its entries, or those of ``ROW_KINDS``.
        name: the customer's name, if the site has given it in this process.
    """
    row, requests = InboxRow(key=key), dict[str, tuple[int, str]]()
    for logged in entries:
        if isinstance(logged.entry, ROW_ENTRIES):
            row = replace(_after(row, logged, requests), seq=logged.seq)
    return replace(row, name=row.name or name)


def _after(row: InboxRow, logged: Logged, requests: dict[str, tuple[int, str]]) -> InboxRow:
    """The row after one more entry. ``requests``: when each handoff began, and why."""
    at_ms = logged.at_ms
    row = row if row.opened_ms else replace(row, opened_ms=at_ms)
    match logged.entry:
        case CustomerMessage(text=text, attachments=attachments, locale=locale):
            row = replace(row, last_ms=at_ms, last_text=with_files(text, attachments), locale=locale)
            if row.state == "taken":
                return replace(row, unanswered_ms=row.unanswered_ms or at_ms)
            open_again = row.state in ("assistant", "closed")
            return replace(row, state="assistant", by="", since_ms=at_ms) if open_again else row
        case AgentMessage(text=text):
            return replace(row, last_ms=at_ms, last_text=text, unanswered_ms=0, answered=True)
        case Handoff(state="ended"):
            free = replace(row, account="", account_name="", routed=None, asked_ms=0, answered=False)
            return replace(free, state="assistant", by="", since_ms=at_ms, unanswered_ms=0)
        case Handoff(handoff_id=handoff_id, state=state, name=name, why=why):
            began_ms, reason = requests.setdefault(handoff_id, (at_ms, why))
            taken = state == "accepted"
            return replace(
                row,
                state=_STATES[state],
                by=name,
                why=reason,
                asked_ms=began_ms,
                since_ms=at_ms if taken else began_ms,
                unanswered_ms=at_ms if taken else 0,
            )
        case Identified(level=level, customer=customer, name=name):
            return replace(row, level=level, customer=customer or row.customer, name=name or row.name)
        case Assigned(account=account, name=name):
            return replace(row, account=account, account_name=name)
        case HandoffRouted():
            return replace(row, routed=logged.entry)
        case Tagged(tags=tags):
            return replace(row, tags=tags)
        case ConversationClosed(name=name):
            return replace(row, state="closed", by=name, since_ms=at_ms, unanswered_ms=0)
        case _:
            return row
