"""Our events as requests to Chatwoot's client API: each handoff is a contact with one conversation."""

from dataclasses import dataclass, field
from typing import Any, Literal

SEPARATOR = "~"
"""Between our conversation and our handoff in the contact's ``source_id``; in neither of them."""

NEWEST = "{newest}"
"""Stands in a path for the id of the contact's newest conversation, which :attr:`Wanted.newest_of` lists."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A request to make: its path below the inbox, and its JSON. ``newest_of``: what to GET first, if anything."""

    path: str
    json: dict[str, Any] = field(default_factory=dict[str, Any])
    method: Literal["POST"] = "POST"
    newest_of: str = ""


def wanted(event: dict[str, Any]) -> list[Wanted]:
    """The requests of one event, in their order; none for what Chatwoot need not know.

    Paths are below ``/public/api/v1/inboxes/<inbox identifier>``.
    """
    source = f"{event['conversation_id']}{SEPARATOR}{event['handoff_id']}"
    match event["event"]:
        case "handoff.requested":
            name = event["customer"]["name"] or "Customer"
            opened = [
                Wanted(path="/contacts", json={"source_id": source, "identifier": source, "name": name}),
                Wanted(path=f"/contacts/{source}/conversations"),
            ]
            return [*opened, _message(source, f"{event['event_id']}", _told(event))]
        case "message.created":
            return [_message(source, event["message"]["id"], event["message"]["text"])]
        case "handoff.ticket":
            return [_message(source, event["event_id"], f"[{event['ticket']}]")]
        case "handoff.ended":
            return [_message(source, event["event_id"], "[the assistant speaks again]")]
        case _:
            return []


def _message(source: str, id_: str, text: str) -> Wanted:
    conversations = f"/contacts/{source}/conversations"
    return Wanted(
        path=f"{conversations}/{NEWEST}/messages",
        json={"content": text, "echo_id": id_},
        newest_of=conversations,
    )


def _told(event: dict[str, Any]) -> str:
    lines = [f"{line['name'] or line['from']}: {line['text']}" for line in event["transcript"]]
    return "\n".join([*filter(None, [event["why"]]), "", *lines])
