"""A fake Twilio, as a server sees it: signed requests, and the documented messages of its sockets."""

import asyncio
import ssl
from collections.abc import Mapping
from typing import Any, TypeAlias
from urllib.parse import urlsplit
from xml.etree.ElementTree import Element, fromstring

import httpx
import orjson
from twilio.request_validator import RequestValidator  # pyright: ignore[reportMissingTypeStubs]
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from tests.server.phone.company import TOKEN, URL, Company

Frame: TypeAlias = dict[str, Any]

CALL = "CA00000000000000000000000000000001"
CALLER = "+46701112233"


NO_AUTHORITIES = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""The requests are not encrypted: httpx need not load the certificates of all authorities for each."""


def signature(url: str, form: Mapping[str, str], token: str = TOKEN) -> str:
    """As Twilio's own package computes it."""
    return str(RequestValidator(token).compute_signature(url, dict(form)))  # pyright: ignore


async def request(company: Company, address: str, *, token: str = TOKEN, **form: str) -> httpx.Response:
    """POST a form to an address of the server's, signed."""
    whole = {"CallSid": CALL, "From": CALLER, "CallStatus": "in-progress", **form}
    url = address if address.startswith("https") else URL + address
    parts = urlsplit(url)
    target = parts.path + (f"?{parts.query}" if parts.query else "")
    async with httpx.AsyncClient(trust_env=False, verify=NO_AUTHORITIES) as client:
        return await client.post(
            f"http://127.0.0.1:{company.port}{target}",
            data=whole,
            headers={"X-Twilio-Signature": signature(url, whole, token)},
        )


async def asked(company: Company, address: str, **form: str) -> Element:
    """What the server wants to be done with the call."""
    answer = await request(company, address, **form)
    assert answer.status_code == 200, answer.text
    return fromstring(answer.text)  # noqa: S314 (our own)


def parameters(verb: Element) -> dict[str, str]:
    """What comes back with the first message of the socket that this verb opens."""
    return {str(one.get("name")): str(one.get("value")) for one in verb.findall("Parameter")}


class Socket:
    """A websocket that Twilio has opened: everything the server says is kept in ``frames``."""

    def __init__(self, ws: ClientConnection) -> None:
        self._ws = ws
        self.frames: list[Frame] = []
        self._read = 0
        self._reading = asyncio.create_task(self._listen())

    @staticmethod
    async def connected(company: Company, url: str, token: str = TOKEN) -> ClientConnection:
        """A connection to an address that the server has named, with a signed handshake."""
        return await connect(
            f"ws://127.0.0.1:{company.port}{urlsplit(url).path}",
            additional_headers={"X-Twilio-Signature": signature(url, {}, token)},
            compression=None,
            proxy=None,
            ping_interval=None,
            max_queue=None,
        )

    @classmethod
    async def open(cls, company: Company, url: str, token: str = TOKEN) -> "Socket":
        """The same, with a person who listens."""
        return cls(await cls.connected(company, url, token))

    async def _listen(self) -> None:
        try:
            while True:
                self.take(orjson.loads(await self._ws.recv()))
        except ConnectionClosed:
            pass

    def take(self, frame: Frame) -> None:
        """What the server says."""
        self.frames.append(frame)

    async def send(self, **frame: Any) -> None:
        await self._ws.send(orjson.dumps(frame).decode())

    async def send_raw(self, raw: str | bytes) -> None:
        await self._ws.send(raw)

    def new(self) -> list[Frame]:
        """What the server has said since this was asked last."""
        new, self._read = self.frames[self._read :], len(self.frames)
        return new

    async def closed(self) -> int:
        """Wait for the server to close; the code."""
        await self._ws.wait_closed()
        assert self._ws.close_code is not None
        return self._ws.close_code

    async def hang_up(self) -> None:
        await self._ws.close()
        await self._reading
