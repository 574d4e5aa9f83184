"""A small Chatwoot on loopback, with the bridge between it and us."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import aiohttp
import orjson
import pytest
from aiohttp import web

from assistant.handoff.chatwoot import ChatwootBridge, chatwoot_requests, hook_event
from assistant.testing.virtual_time import VirtualClock
from assistant.webhooks.client import SIGNATURE, TIMESTAMP, signature, signature_problem
from tests.support.rows import check_rows

SECRET = "a secret for tests that is long enough"
SOURCE = "c-1~h-1"
REQUESTED = {
    "event": "handoff.requested",
    "event_id": "c-1/12",
    "conversation_id": "c-1",
    "handoff_id": "h-1",
    "why": "a complaint",
    "customer": {"id": "4711", "name": "Ana", "level": "verified", "locale": "en"},
    "transcript": [{"from": "customer", "name": None, "text": "A person please"}],
}
SAID = {
    "event": "message.created",
    "event_id": "c-1/20",
    "conversation_id": "c-1",
    "handoff_id": "h-1",
    "message": {"id": "u2", "text": "My parcel is broken"},
}


@dataclass
class Chatwoot:
    """What the inbox's client API does, and the webhooks that it would send for it."""

    contacts: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    messages: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    heard: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    def app(self) -> web.Application:
        app = web.Application()
        app.router.add_post("/inbox/contacts", self.contact)
        app.router.add_get("/inbox/contacts/{source}/conversations", self.listed)
        app.router.add_post("/inbox/contacts/{source}/conversations", self.open)
        app.router.add_post("/inbox/contacts/{source}/conversations/{id}/messages", self.say)
        app.router.add_post("/hook", self.hook)
        return app

    async def contact(self, request: web.Request) -> web.Response:
        self.contacts.setdefault((await request.json())["source_id"], [])
        return web.json_response({})

    async def listed(self, request: web.Request) -> web.Response:
        return web.json_response([{"id": id_} for id_ in self.contacts[request.match_info["source"]]])

    async def open(self, request: web.Request) -> web.Response:
        self.contacts[request.match_info["source"]].append(40 + len(self.contacts))
        return web.json_response({})

    async def say(self, request: web.Request) -> web.Response:
        self.messages.append((int(request.match_info["id"]), (await request.json())["content"]))
        return web.json_response({})

    async def hook(self, request: web.Request) -> web.Response:
        body = await request.read()
        headers = (request.headers.get(TIMESTAMP), request.headers.get(SIGNATURE))
        assert signature_problem(SECRET, headers, body, 1000.0) is None
        self.heard.append(orjson.loads(body))
        return web.json_response({})


@asynccontextmanager
async def serving(app: web.Application) -> AsyncGenerator[str, None]:
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    await runner.cleanup()


@dataclass
class Both:
    chatwoot: Chatwoot
    bridge: str

    async def tells(self, event: dict[str, Any], secret: str = SECRET) -> int:
        body = orjson.dumps(event)
        headers = {TIMESTAMP: "1000", SIGNATURE: signature(secret, "1000", body)}
        return await self._post("/events", body, headers)

    async def webhook(self, webhook: dict[str, Any], path: str = "callback") -> int:
        return await self._post(f"/chatwoot/{path}", orjson.dumps(webhook), {})

    async def _post(self, path: str, body: bytes, headers: dict[str, str]) -> int:
        async with (
            aiohttp.ClientSession() as session,
            session.post(self.bridge + path, data=body, headers=headers) as answer,
        ):
            return answer.status


@pytest.fixture
async def both() -> AsyncGenerator[Both, None]:
    chatwoot = Chatwoot()
    async with serving(chatwoot.app()) as address:
        bridge = ChatwootBridge(
            inbox=f"{address}/inbox",
            hook=f"{address}/hook",
            secret=SECRET,
            callback="callback",
            clock=VirtualClock(datetime.fromtimestamp(1000, UTC)),
        )
        async with serving(bridge.app()) as at:
            yield Both(chatwoot, at)


async def test_what_we_tell_stands_in_one_conversation_of_chatwoot(both: Both) -> None:
    ended = {**SAID, "event": "handoff.ended"}
    taken = [
        await both.tells(event) for event in (REQUESTED, SAID, {**SAID, "event": "handoff.accepted"}, ended)
    ]
    ticket = await both.tells({**SAID, "event": "handoff.ticket", "ticket": "T-1"})

    assert taken == [200] * 4
    assert ticket == 200
    assert both.chatwoot.contacts == {SOURCE: [41]}
    assert both.chatwoot.messages == [
        (41, "a complaint\n\ncustomer: A person please"),
        (41, "My parcel is broken"),
        (41, "[the assistant speaks again]"),
        (41, "[T-1]"),
    ]


async def test_text_that_is_not_for_the_customer_is_not_passed_on(both: Both) -> None:
    assert await both.tells(SAID, secret="another secret") == 401
    assert await both.webhook(PERSON, "guessed") == 404
    assert both.chatwoot.messages == both.chatwoot.heard == []


CONVERSATION: dict[str, Any] = {"id": 41, "contact_inbox": {"source_id": SOURCE}}
RESOLVED = {"event": "conversation_status_changed", "status": "resolved", **CONVERSATION}
PERSON: dict[str, Any] = {
    "event": "message_created",
    "id": 7,
    "content": "Hello, this is Kim.",
    "message_type": "outgoing",
    "private": False,
    "sender": {"type": "user", "name": "Kim"},
    "conversation": CONVERSATION,
}


async def test_an_agents_message_comes_to_us_signed(both: Both) -> None:
    assert await both.webhook(PERSON) == 204
    assert await both.webhook(RESOLVED) == 204

    assert both.chatwoot.heard == [
        {
            "type": "message",
            "conversation_id": "c-1",
            "handoff_id": "h-1",
            "id": "7",
            "name": "Kim",
            "text": "Hello, this is Kim.",
        },
        {"type": "end", "conversation_id": "c-1", "handoff_id": "h-1"},
    ]


@check_rows(
    "change",
    [
        {"message_type": "incoming", "sender": {"type": "contact", "name": "Ana"}},
        {"message_type": 0},
        {"private": True},
        {"sender": {"type": "agent_bot", "name": "Bot"}},
        {"sender": None},
        {"content": None},
        {"content": " "},
        {"event": "message_updated"},
        {"event": "conversation_status_changed", "status": "open"},
        {"conversation": {"id": 41, "contact_inbox": {"source_id": "somebody-else-s"}}},
        {"conversation": {"id": 41}},
    ],
)
def test_other_messages_of_the_helpdesk_are_ignored(change: dict[str, object]) -> None:
    assert hook_event({**PERSON, **change}) is None


def test_a_message_type_may_be_a_number_and_a_name_may_be_missing() -> None:
    heard = hook_event({**PERSON, "message_type": 1, "sender": {"type": "user", "name": None}})

    assert heard is not None
    assert heard["name"] == "Support"


def test_the_contact_says_who_the_customer_is() -> None:
    contact = chatwoot_requests(REQUESTED)[0]

    assert (contact.path, contact.json["name"]) == ("/contacts", "Ana")
    assert contact.json["custom_attributes"] == {
        "customer_id": "4711",
        "customer_level": "verified",
        "locale": "en",
    }


def test_chatwoot_gets_the_rule_that_brought_a_conversation() -> None:
    rule = {"name": "legal", "why": "said 'lawyer'"}
    event = {**REQUESTED, "rule": rule, "team": "law", "skill": None, "priority": "high"}

    contact, conversation, message = chatwoot_requests(event)

    assert contact.json["custom_attributes"]["customer_id"] == "4711"
    assert conversation.json == {"custom_attributes": {"rule": "legal", "team": "law", "priority": "high"}}
    assert message.json["content"].startswith("[rule: legal (said 'lawyer')]\na complaint\n")
