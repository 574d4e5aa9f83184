"""A conversation as staff read it: what was said, what the assistant looked up, and what colleagues did."""

from collections.abc import Sequence
from typing import Any

from assistant.conversation.calls import Call
from assistant.conversation.entries import (
    AgentMessage,
    CallEnded,
    CallRequested,
    CallStarted,
    CustomerMessage,
    Handoff,
    Identified,
    Logged,
    MessageClosed,
    MessageOpened,
    MessageText,
    Rated,
    ReplyWithheld,
    ReviewDecided,
    ReviewRequested,
    SupervisionChosen,
    TurnEnded,
)
from assistant.conversation.outcomes import CallDenied, CallEmpty, CallFailed, CallSucceeded, outcome_name
from assistant.conversation.staff_entries import (
    Assigned,
    ConversationClosed,
    HandoffRouted,
    NoteAdded,
    NoteToAssistant,
)
from assistant.server.frames.frame import JsonFrame

LONGEST = 400
"""The number of items that a page gets at once; older ones are counted and left out."""


class TranscriptItems:
    """Turns entries into items. Pass it all entries of a conversation, in order, from the first.

    An item has a ``key``; a later item with the same key replaces it. The texts of events are the page's.

    Args:
        details: whether items show arguments and results of tools.
    """

    def __init__(self, *, details: bool) -> None:
        self._details = details
        self._items: dict[str, dict[str, Any]] = {}
        self._calls: dict[str, Call] = {}
        self._account = ""
        self._secret: set[str] = set()

    def newest(self) -> tuple[list[JsonFrame], int]:
        """The newest items, oldest first, and the number of older ones."""
        items: list[JsonFrame] = [{**one} for one in self._items.values()]
        return items[-LONGEST:], max(0, len(items) - LONGEST)

    def add(self, entries: Sequence[Logged]) -> list[JsonFrame]:
        """The items that these entries add or change."""
        changed: dict[str, None] = {}
        for logged in entries:
            key = self._key_of(logged)
            if key is not None:
                changed[key] = None
        return [{**self._items[key]} for key in changed]

    def _key_of(self, logged: Logged) -> str | None:
        """Apply an entry; returns the key of the item that it changed."""
        entry = logged.entry
        match entry:
            case CustomerMessage(message_id=key, text=text):
                files = [one.name for one in entry.attachments]
                return self._put(key, logged, "customer", text=text, files=files, spoken=entry.spoken)
            case AgentMessage(message_id=key, name=name, text=text):
                return self._put(key, logged, "person", name=name, text=text)
            case MessageOpened(message_id=key):
                return self._put(key, logged, "assistant", text="", how=None, interrupted=False)
            case MessageText(message_id=key, text=text):
                if key in self._items:
                    self._items[key]["text"] += text
                return key if key in self._items else None
            case MessageClosed(message_id=key, kind=how, interrupted=interrupted):
                if key in self._items:
                    self._items[key].update(how=how, interrupted=interrupted)
                return key if key in self._items else None
            case SupervisionChosen(mode="shadow"):
                self._secret.add(logged.turn_id)
                return None
            case ReplyWithheld(message_id=key, text=text, kind="response") if logged.turn_id in self._secret:
                return self._put(key, logged, "proposal", text=text, state="shadow", name="")
            case ReviewRequested(text=text):
                return self._put(_review(logged), logged, "proposal", text=text, state="waiting", name="")
            case ReviewDecided(decision=state, name=name):
                return self._reviewed(logged, state, name)
            case TurnEnded(how="interrupted"):
                return self._reviewed(logged, "withdrawn", "")
            case CallRequested(call=call):
                self._calls[f"{logged.turn_id}/{call.id}"] = call
                return None
            case CallStarted(call_id=call_id, tool=tool):
                return self._call(logged, call_id, tool, outcome=None, ms=0)
            case CallEnded(outcome=outcome):
                told: dict[str, Any] = {"outcome": outcome_name(outcome), "ms": entry.duration_ms}
                if isinstance(outcome, CallFailed | CallDenied):
                    told["say"] = outcome.say
                if self._details and isinstance(outcome, CallSucceeded | CallEmpty):
                    told["result"] = outcome.value
                elif self._details and isinstance(outcome, CallFailed | CallDenied):
                    told["result"] = outcome.for_model
                return self._call(logged, outcome.call.id, outcome.call.tool, **told)
            case Handoff(state="queued" | "unavailable"):
                return None  # the request before it, and the ticket after it, say more
            case Handoff(state=state, name=name, why=why, ticket=ticket):
                self._account = "" if state == "ended" else self._account
                return self._event(logged, state, name=name, text=ticket or why)
            case Identified(customer=str() as customer, name=name):
                return self._event(logged, "identified", name=name or "", text=customer)
            case Rated(rating="up" | "down" as rating, text=text):
                return self._event(logged, f"rated_{rating}", text=text)
            case Assigned(account=account, name=name):
                self._account, before = account, self._account
                last = self._items[next(reversed(self._items))] if self._items else None
                accepted = last is not None and (last.get("event"), last.get("name")) == ("accepted", name)
                if account == before or accepted:
                    return None
                return self._event(logged, "assigned" if account else "unassigned", name=name)
            case NoteAdded(note_id=note_id, name=name, text=text):
                return self._put(f"note-{note_id}", logged, "note", name=name, text=text)
            case NoteToAssistant(name=name, text=text):
                return self._put(f"e{logged.seq}", logged, "hint", name=name, text=text)
            case HandoffRouted(rule=rule, why=why) if rule:
                return self._event(logged, "rule", name=rule, text=why)
            case ConversationClosed(name=name):
                return self._event(logged, "closed", name=name)
            case _:
                return None

    def _reviewed(self, logged: Logged, state: str, name: str) -> str | None:
        """What became of the reply of this turn that waited for a colleague; None if none did."""
        item = self._items.get(_review(logged))
        if item is None or item["state"] != "waiting":
            return None
        item.update(state=state, name=name)
        return item["key"]

    def _put(self, key: str, logged: Logged, kind: str, **fields: Any) -> str:
        self._items[key] = {"key": key, "kind": kind, "at": logged.at_ms, **fields}
        return key

    def _event(self, logged: Logged, event: str, **fields: str) -> str:
        return self._put(f"e{logged.seq}", logged, "event", event=event, **fields)

    def _call(self, logged: Logged, call_id: str, tool: str, **fields: Any) -> str:
        """Calls of one round are one item."""
        key = f"{logged.turn_id}/{call_id.partition('.')[0]}"
        if key not in self._items:
            self._put(key, logged, "tools", calls=[])
        calls: list[dict[str, Any]] = self._items[key]["calls"]
        known = next((one for one in calls if one["id"] == call_id), None)
        if known is None:
            known = dict[str, Any](id=call_id, tool=tool)
            requested = self._calls.get(f"{logged.turn_id}/{call_id}")
            if self._details and requested is not None:
                known["arguments"] = dict(requested.arguments)
            calls.append(known)
        known.update(fields)
        return key


def _review(logged: Logged) -> str:
    return f"{logged.turn_id}/review"
