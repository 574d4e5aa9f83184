"""Who types is shown to the other one, and nothing of it stays."""

import asyncio
from pathlib import Path

from assistant.conversation.sharing import Typist
from tests.server.console.inbox_office import ASKED, InboxOffice, acts, live_line, open_inbox_office


async def _signals(scene: InboxOffice) -> asyncio.Queue[Typist]:
    """What the customer's pages hear from now on."""
    heard = asyncio.Queue[Typist]()
    (await scene.customer()).session.typing_signals.listen(heard.put_nowait)
    return heard


async def test_the_agent_sees_that_the_customer_types(tmp_path: Path) -> None:
    async with open_inbox_office(tmp_path, *ASKED) as scene:
        kim, ana = await scene.office.sits_down("kim"), await scene.customer()
        await ana.says("I want to talk to a person")
        before = len(await scene.entries())
        async with live_line(kim) as line:
            await line.follows("conversation", id="c-1")
            for _ in range(3):  # many letters are one signal
                ana.session.note_typist("customer")
            heard = await line.hears()
            await line.sends(type="ping")
            after = await line.hears()

        assert heard == {"type": "typing", "topic": "conversation", "id": "c-1"}
        assert after == {"type": "pong"}
        assert len(await scene.entries()) == before


async def test_only_the_agent_who_has_the_conversation_types_to_the_customer(tmp_path: Path) -> None:
    async with open_inbox_office(tmp_path, *ASKED) as scene:
        await scene.office.hires("sam", "agent")
        kim, sam = await scene.office.sits_down("kim"), await scene.office.sits_down("sam")
        await (await scene.customer()).says("I want to talk to a person")
        anyone = await _signals(scene)
        async with live_line(kim) as kims, live_line(sam) as sams:
            for line in (kims, sams):
                await line.follows("conversation", id="c-1")
            await kims.sends(type="typing", topic="conversation", id="c-1")
            await kims.sends(type="ping")
            assert await kims.hears() == {"type": "pong"}
            assert anyone.empty(), "no one has it yet"

            await acts(kim, "take-over")
            await sams.sends(type="typing", topic="conversation", id="c-1")
            await kims.sends(type="typing", topic="conversation", id="c-2")
            await kims.sends(type="typing", topic="inbox")
            await kims.sends(type="typing", topic="conversation", id="c-1")
            async with asyncio.timeout(5):
                assert await anyone.get() == "agent"
            assert anyone.empty()
