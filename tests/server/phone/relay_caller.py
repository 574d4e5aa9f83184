"""A caller over ConversationRelay. Tests with it read as conversations."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from xml.etree.ElementTree import Element

from tests.server.phone.company import Company
from tests.server.phone.twilio import CALL, CALLER, Frame, Socket, asked, parameters


class RelayCaller:
    """A caller. What the assistant says is what Twilio was given to speak."""

    def __init__(self, company: Company, relay: Element, socket: Socket, call: str) -> None:
        self.company, self.relay, self.socket, self.call = company, relay, socket, call

    @property
    def greeting(self) -> str | None:
        return self.relay.get("welcomeGreeting")

    async def says(self, text: str, *, then_s: float = 6.0, last: bool = True) -> list[str]:
        """Say something, and listen for a while."""
        await self.socket.send(type="prompt", voicePrompt=text, lang="en-US", last=last)
        return await self.hears(then_s)

    async def presses(self, keys: str, *, then_s: float = 6.0) -> list[str]:
        for key in keys:
            await self.socket.send(type="dtmf", digit=key)
        return await self.hears(then_s)

    async def interrupts(self, after: str, *, ms: int = 400) -> None:
        """Begin to speak when so much was spoken: Twilio falls silent."""
        await self.socket.send(type="interrupt", utteranceUntilInterrupt=after, durationUntilInterruptMs=ms)
        await asyncio.sleep(0.05)

    async def hears(self, seconds: float = 6.0) -> list[str]:
        """What is said in this time."""
        return [frame["token"].strip() for frame in await self.gets(seconds) if frame["type"] == "text"]

    async def gets(self, seconds: float = 6.0) -> list[Frame]:
        """Every message of this time."""
        await asyncio.sleep(seconds)
        return self.socket.new()

    async def hang_up(self) -> None:
        await self.socket.hang_up()
        await asyncio.sleep(1)


@asynccontextmanager
async def calling(
    company: Company,
    *,
    call: str = CALL,
    address: str = "/v1/phone/incoming",
    told_by: Company | None = None,
    setup: bool = True,
    **form: str,
) -> AsyncGenerator[RelayCaller]:
    """Call: Twilio asks what to do, opens the socket that it is told to, and says which call it is.

    ``told_by`` is the server that Twilio asks, if the proxy passes the socket on to another.
    """
    response = await asked(told_by or company, address, CallSid=call, **form)
    relay = response.find("Connect/ConversationRelay")
    assert relay is not None, response
    socket = await Socket.open(company, str(relay.get("url")))
    if setup:
        await socket.send(
            type="setup",
            sessionId="VX00000000000000000000000000000000",
            accountSid="AC00000000000000000000000000000000",
            parentCallSid="",
            callSid=call,
            **{"from": CALLER, "to": "+46812345"},
            forwardedFrom="",
            callType="PSTN",
            callerName="",
            direction="inbound",
            callStatus="RINGING",
            customParameters=parameters(relay),
        )
    caller = RelayCaller(company, relay, socket, call)
    try:
        yield caller
    finally:
        await caller.hang_up()
