"""A small program between us and Chatwoot: it takes our events, and passes its people's words back."""

from dataclasses import dataclass, field

import aiohttp
import orjson
import structlog
from aiohttp import web

from assistant.handoff.chatwoot.inbound import to_hook
from assistant.handoff.chatwoot.outbound import NEWEST, wanted
from assistant.handoff.webhook.signature import SIGNATURE, TIMESTAMP, problem, signature
from assistant.ports import Clock

log = structlog.get_logger(__name__)


@dataclass(frozen=True, kw_only=True)
class Bridge:
    """``inbox`` is the address of an API inbox's client API, ``hook`` ours; ``secret`` signs both ways with us.

    ``callback`` is a path that only Chatwoot knows: not every release of it signs what it sends.
    """

    inbox: str
    hook: str
    secret: str = field(repr=False)
    callback: str = field(repr=False)
    clock: Clock

    def app(self) -> web.Application:
        """The application: ``/events`` for us, ``/chatwoot/<callback>`` for Chatwoot."""
        app = web.Application()
        app.router.add_post("/events", self._from_us)
        app.router.add_post(f"/chatwoot/{self.callback}", self._from_chatwoot)
        return app

    async def _from_us(self, request: web.Request) -> web.Response:
        body = await request.read()
        headers = (request.headers.get(TIMESTAMP), request.headers.get(SIGNATURE))
        if (wrong := problem(self.secret, headers, body, self.clock.now_ms() / 1000)) is not None:
            return web.Response(status=401, text=wrong)
        async with aiohttp.ClientSession(raise_for_status=True) as session:
            for one in wanted(orjson.loads(body)):
                path = one.path
                if one.newest_of:
                    async with session.get(self.inbox + one.newest_of) as listed:
                        newest = max(conversation["id"] for conversation in await listed.json())
                    path = path.replace(NEWEST, str(newest))
                async with session.request(one.method, self.inbox + path, json=one.json):
                    pass
        return web.json_response({})

    async def _from_chatwoot(self, request: web.Request) -> web.Response:
        event = to_hook(orjson.loads(await request.read()))
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
