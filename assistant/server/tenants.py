"""Passes each request to its tenant: by the path ``/t/NAME/``, or else by the host name."""

import re
from collections.abc import Mapping

from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse, RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket

from assistant.server.console.access import PREFIX_KEY
from assistant.server.origins import HEALTH, host_of, is_loopback, name_of_host

_PATH = re.compile(r"/t/([^/]+)(/.*)?")


class TenantServers:
    """The servers of all tenants behind one address.

    A page of one company cannot reach another company by the path: each tenant answers only to its own host
    names, and to those of the installation. An address without a tenant serves the widget's files, so that all
    sites can load them from one place; the widget's attribute ``tenant`` then chooses the path.

    Args:
        servers: the application of each tenant, by name.
        hosts: the tenant of each host name.
        widget: serves the widget's files, and raises ``HTTPException`` for any other path.
    """

    def __init__(self, servers: Mapping[str, ASGIApp], hosts: Mapping[str, str], widget: ASGIApp) -> None:
        self.servers, self._widget = servers, widget
        self._hosts = {host.lower(): name for host, name in hosts.items()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        host = name_of_host(host_of(scope))
        if (prefixed := _PATH.fullmatch(scope["path"])) is not None:
            name, path = prefixed[1], prefixed[2]
            if path is None:
                await RedirectResponse(f"/t/{name}/")(scope, receive, send)
                return
            scope = {**scope, "path": path, "raw_path": path.encode(), PREFIX_KEY: f"/t/{name}"}
            server = self.servers.get(name)
        elif scope["path"] in HEALTH:
            server = next(iter(self.servers.values()))  # all of them start and end together
        else:
            server = self.servers.get(self._hosts.get(host, ""))
        if server is not None:
            await server(scope, receive, send)
        elif scope["type"] == "websocket":
            await WebSocket(scope, receive, send).send_denial_response(self._unknown(host))
        else:
            try:
                await self._widget(scope, receive, send)
            except HTTPException:
                await self._unknown(host)(scope, receive, send)

    def _unknown(self, host: str) -> PlainTextResponse:
        problem = f"No company is served here under the name {host!r} or this path.\n"
        cure = "If it is yours, list the name in ASSISTANT_HOSTS of its tenant, or put /t/NAME/ before the path.\n"
        names = f"Tenants: {', '.join(self.servers)}\n" if is_loopback(host) else ""
        return PlainTextResponse(problem + cure + names, status_code=404)
