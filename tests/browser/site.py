"""The page and the server of a site around the chat."""

import base64
import json

from tests.browser.fake_server import FakeServer, Frame, Line, Value
from tests.browser.visitor import Visitor

LISTEN = """names => {
    window.told = [];
    for (const name of names) Meanwhile.on(name, detail => told.push([name, detail ?? null]));
}"""
OPEN_POLICY = "default-src 'none'; script-src 'self' 'unsafe-inline'; connect-src 'self'"


def site_token(customer: str, nonce: str = "1") -> str:
    """A token as a site signs it; only a real server would look at the signature."""

    def part(value: dict[str, str]) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

    return f"{part({'alg': 'HS256'})}.{part({'sub': customer, 'jti': nonce})}.c2lnbmVk"


async def told(ana: Visitor) -> list[Value]:
    """What the listeners were told, in order."""
    return await ana.page.evaluate("() => told")


async def introduced(server: FakeServer) -> tuple[Line, Frame]:
    """The next websocket, and its hello."""
    line = await server.line()
    return line, await line.hears("hello")
