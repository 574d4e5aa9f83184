"""A bridge between the handoff webhook and Chatwoot: an example of a connection to another program.

It receives our events, sends requests to Chatwoot, and passes agents' messages back to our hook.
"""

from dataclasses import dataclass, field
from typing import Any, Literal

import aiohttp
import orjson
import structlog
from aiohttp import web

from assistant.ports import Clock
from assistant.webhooks.client import SIGNATURE, TIMESTAMP, signature, signature_problem

SEPARATOR = "~"
"""Separates our conversation id from our handoff id in the contact's ``source_id``; neither id contains it."""

NEWEST = "{newest}"
"""Placeholder in a path for the id of the contact's newest conversation, which :attr:`Wanted.newest_of` lists."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatwootRequest:
    """A request to make: its path below the inbox, and its JSON. ``newest_of``: a path to GET first, or ""."""

    path: str
    json: dict[str, Any] = field(default_factory=dict[str, Any])
    method: Literal["POST"] = "POST"
    newest_of: str = ""


def chatwoot_requests(event: dict[str, Any]) -> list[ChatwootRequest]:
    """The requests for one event, in order; empty if Chatwoot need not receive the event.

    Paths are below ``/public/api/v1/inboxes/<inbox identifier>``.
    """
    source = f"{event['conversation_id']}{SEPARATOR}{event['handoff_id']}"
    match event["event"]:
        case "handoff.requested":
            customer = event["customer"]
            contact = {"source_id": source, "identifier": source, "name": customer["name"] or "Customer"}
            contact["custom_attributes"] = {
                "customer_id": customer["id"],
                "customer_level": customer["level"],
                "locale": customer["locale"],
            }
            opened = [
                ChatwootRequest(path="/contacts", json=contact),
                ChatwootRequest(path=f"/contacts/{source}/conversations", json=_routing(event)),
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


def _message(source: str, id_: str, text: str) -> ChatwootRequest:
    conversations = f"/contacts/{source}/conversations"
    return ChatwootRequest(
        path=f"{conversations}/{NEWEST}/messages",
        json={"content": text, "echo_id": id_},
        newest_of=conversations,
    )


def _told(event: dict[str, Any]) -> str:
    lines = [f"{line['name'] or line['from']}: {line['text']}" for line in event["transcript"]]
    rule = event.get("rule")
    rule_line = f"[rule: {rule['name']} ({rule['why']})]" if rule else ""
    return "\n".join([*filter(None, [rule_line, event["why"]]), "", *lines])


def _routing(event: dict[str, Any]) -> dict[str, Any]:
    """The conversation's attributes in Chatwoot, for its own rules: the rule, team, skill and priority."""
    rule: dict[str, Any] = event.get("rule") or {}
    wanted = {"rule": rule.get("name"), **{name: event.get(name) for name in ("team", "skill", "priority")}}
    attributes = {name: value for name, value in wanted.items() if value}
    return {"custom_attributes": attributes} if rule or event.get("team") or event.get("skill") else {}


_OUTGOING = ("outgoing", 1)


def hook_event(webhook: dict[str, Any]) -> dict[str, Any] | None:
    """Our event for one of Chatwoot's webhooks; None if it contains nothing for the customer.

    Chatwoot reports all messages of a conversation, including the customer's that we posted. Only an agent's
    message for the customer counts, not private notes, rules or bots.
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


log = structlog.get_logger(__name__)


@dataclass(frozen=True, kw_only=True)
class ChatwootBridge:
    """``inbox`` is the address of an API inbox's client API, ``hook`` is our hook's address; ``secret`` signs
    both directions.

    ``callback`` is a path that only Chatwoot knows, because some releases do not sign what they send.
    """

    inbox: str
    hook: str
    secret: str = field(repr=False)
    callback: str = field(repr=False)
    clock: Clock

    def app(self) -> web.Application:
        """The web application: ``/events`` for our events, ``/chatwoot/<callback>`` for Chatwoot's."""
        app = web.Application()
        app.router.add_post("/events", self._from_us)
        app.router.add_post(f"/chatwoot/{self.callback}", self._from_chatwoot)
        return app

    async def _from_us(self, request: web.Request) -> web.Response:
        body = await request.read()
        headers = (request.headers.get(TIMESTAMP), request.headers.get(SIGNATURE))
        if (wrong := signature_problem(self.secret, headers, body, self.clock.now_ms() / 1000)) is not None:
            return web.Response(status=401, text=wrong)
        async with aiohttp.ClientSession(raise_for_status=True) as session:
            for one in chatwoot_requests(orjson.loads(body)):
                path = one.path
                if one.newest_of:
                    async with session.get(self.inbox + one.newest_of) as listed:
                        newest = max(conversation["id"] for conversation in await listed.json())
                    path = path.replace(NEWEST, str(newest))
                async with session.request(one.method, self.inbox + path, json=one.json):
                    pass
        return web.json_response({})

    async def _from_chatwoot(self, request: web.Request) -> web.Response:
        event = hook_event(orjson.loads(await request.read()))
        if event is None:
            return web.Response(status=204)
        body, timestamp = orjson.dumps(event), str(self.clock.now_ms() // 1000)
        headers = {TIMESTAMP: timestamp, SIGNATURE: signature(self.secret, timestamp, body)}
        async with (
            aiohttp.ClientSession() as session,
            session.post(self.hook, data=body, headers=headers) as answer,
        ):
            if answer.status == 409:
                log.warning("not said to the customer: another person has the conversation")
            return web.Response(status=204 if answer.status < 500 else 502)
