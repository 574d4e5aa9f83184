"""Two servers behind one address, which share a database; in one process, with the test's clock."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager

from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import CustomerMessage
from assistant.server.phone.phone_context import PhoneLimits, Via
from assistant.store.memory_log import MemoryLog
from assistant.testing.script import Line
from assistant.testing.virtual_time import VirtualClock
from tests.server.phone.company import Company
from tests.support.memory_leases import FencedLog, SharedLeases
from tests.support.memory_used_tokens import MemoryUsedTokens


class Servers:
    """Two servers that share a database."""

    def __init__(self) -> None:
        self.clock, self.used = VirtualClock(), MemoryUsedTokens()
        self.shared = SharedLeases(self.clock)
        self.log = FencedLog(self.shared)

    @asynccontextmanager
    async def open(
        self,
        here: tuple[Line, ...],
        there: tuple[Line, ...],
        *,
        via: Via = "relay",
        heard: tuple[tuple[str, ...], tuple[str, ...]] = ((), ()),
        transfer: str | None = None,
        limits: PhoneLimits | None = None,
    ) -> AsyncGenerator[tuple[Company, Company]]:
        """Two servers, with the lines of each one's model and what each one understands of speech."""
        async with AsyncExitStack() as stack:
            both = list[Company]()
            for name, lines, understood in (("a", here, heard[0]), ("b", there, heard[1])):
                company = Company(
                    clock=self.clock, log=self.log, name=name, shared=self.shared, used=self.used
                )
                voice = company.speaking(*understood) if via == "media" else None
                opened = company.open(*lines, via=via, voice=voice, transfer=transfer, limits=limits)
                both.append(await stack.enter_async_context(opened))
            for company in both:
                assert company.cluster is not None
                await company.cluster.beat()
            yield both[0], both[1]
        for company in both:
            assert company.model is not None
            company.model.assert_used_up()

    async def said(self, key: ConversationKey) -> list[str]:
        """What the customer has said in this conversation."""
        entries = await MemoryLog.read(self.log, key)
        return [one.entry.text for one in entries if isinstance(one.entry, CustomerMessage)]
