"""The entries that staff make about a conversation. Customers see none of them; models see only what is for them.

They are entries of the log like all others, so that they are exported, erased, copied and shared with it.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

Priority: TypeAlias = Literal["low", "normal", "high", "urgent"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Assigned:
    """The colleague with this account is responsible from now on; "": no one in particular.

    With an agent who accepts in the console, it says which account accepted.
    """

    account: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Tagged:
    """The conversation has these tags from now on, and no others."""

    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteAdded:
    """A note for colleagues. No customer and no model ever sees it."""

    note_id: str
    account: str
    name: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteToAssistant:
    """What the assistant should know from the agent ``name`` who hands the conversation back.

    Models see it; the customer does not.
    """

    handoff_id: str
    name: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationClosed:
    """A colleague regards the matter as settled. The customer's next message opens it again."""

    account: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HandoffRouted:
    """For which people a handoff is, and which of the company's rules brought it to them.

    It comes just before the handoff's first entry. ``rule`` is "" if the customer asked for a person and no rule
    matched. ``team`` and ``skill`` are "" for anyone. ``why`` says in words what matched.
    """

    handoff_id: str
    rule: str = ""
    why: str = ""
    team: str = ""
    skill: str = ""
    priority: Priority = "normal"


StaffEntry: TypeAlias = Assigned | Tagged | NoteAdded | NoteToAssistant | ConversationClosed | HandoffRouted
