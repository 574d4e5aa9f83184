"""Chatwoot's webhooks as requests to our hook; what we posted ourselves is none of them."""

from typing import Any

from assistant.handoff.chatwoot.outbound import SEPARATOR

_OUTGOING = ("outgoing", 1)


def to_hook(webhook: dict[str, Any]) -> dict[str, Any] | None:
    """The request that one of Chatwoot's webhooks is to us; None for one that says nothing to the customer.

    Chatwoot tells of every message of a conversation, the customer's that we posted included: only a person's
    that is meant for the customer counts, not their private notes, and not what rules or bots say.
    """
    conversation = _part(webhook, "conversation") or webhook
    source = str(_part(conversation, "contact_inbox").get("source_id") or "")
    ours, _, handoff_id = source.partition(SEPARATOR)
    if not handoff_id:
        return None
    place = {"conversation_id": ours, "handoff_id": handoff_id}
    match webhook.get("event"):
        case "message_created" if _is_a_persons(webhook):
            name = (webhook["sender"].get("name") or "").strip() or "Support"
            text = webhook["content"]
            return {"type": "message", **place, "id": str(webhook["id"]), "name": name[:80], "text": text}
        case "conversation_status_changed" if webhook.get("status") == "resolved":
            return {"type": "end", **place}
        case _:
            return None


def _is_a_persons(webhook: dict[str, Any]) -> bool:
    said = bool((webhook.get("content") or "").strip())
    outgoing = webhook.get("message_type") in _OUTGOING and not webhook.get("private")
    return said and outgoing and _part(webhook, "sender").get("type") == "user"


def _part(whole: dict[str, Any], name: str) -> dict[str, Any]:
    return whole.get(name) or {}
