"""Two real servers on one database: what staff do in the console of one is seen, and holds, on the other."""

import re
import time
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from tests.faults.servers import Installation, Server
from tests.server.console.browser import Browser
from tests.server.console.inbox_office import acts, live_line
from tests.server.test_agents_of_two_servers import Page, customer

pytestmark = pytest.mark.slow

PAUSED = "switched off at the moment"


@dataclass
class Shop:
    """The two servers, and the pages of people on either."""

    installation: Installation
    here: Server
    elsewhere: Server
    end: AsyncExitStack

    async def signs_in(self, login: str, role: str, server: Server) -> Browser:
        """A browser with this new person on a server."""
        printed = await self.installation.run("users", "add", login, role)
        link = re.search(r"#(\S+)", printed)
        assert link, printed
        browser = Browser(server.port, await self.end.enter_async_context(_http()))
        assert (await browser.opens_link(link[1])).status == 200
        return browser

    def goes_to(self, browser: Browser, server: Server) -> Browser:
        """The same person's page, when a load balancer leads it to another server."""
        other = Browser(server.port, browser.http)
        other.csrf = browser.csrf
        return other


def _http() -> aiohttp.ClientSession:
    jar = aiohttp.CookieJar(unsafe=True)
    return aiohttp.ClientSession(cookie_jar=jar, connector=aiohttp.TCPConnector(force_close=True))


@pytest.fixture
async def shop(tmp_path: Path, database: str) -> AsyncGenerator[Shop]:
    installation = Installation(tmp_path, {"ASSISTANT_DATABASE": database})
    async with installation.running(2) as (here, elsewhere), AsyncExitStack() as end:
        yield Shop(installation, here, elsewhere, end)


async def wants_a_person(ana: Page) -> None:
    await ana.send(type="message", id="m1", text="I want to talk to a person")
    await ana.until(type="turn.completed")


async def test_an_action_is_seen_live_on_the_other_server(shop: Shop) -> None:
    kim = await shop.signs_in("kim", "agent", shop.here)
    lea = await shop.signs_in("lea", "agent", shop.elsewhere)
    async with customer(shop.here) as (ana, _), live_line(lea) as line:
        await line.follows("inbox")
        await wants_a_person(ana)
        name = (await line.hears_row("waiting"))["row"]["id"]

        assert (await acts(kim, "take-over", name)).status == 200
        taken = await line.hears_row("taken")
        assert taken["row"]["by"] == "kim"

        assert (await acts(kim, "messages", name, id="1", text="Hello, this is Kim.")).status == 200
        assert (await ana.until(type="person.message"))["text"] == "Hello, this is Kim."
        assert (await acts(lea, "take-over", name)).code == "taken"


async def test_a_line_goes_on_at_the_other_server_after_a_cut(shop: Shop) -> None:
    lea = await shop.signs_in("lea", "agent", shop.elsewhere)
    kim = await shop.signs_in("kim", "agent", shop.here)
    async with customer(shop.here) as (ana, _):
        async with live_line(lea) as line:
            await line.follows("inbox")
            await wants_a_person(ana)
            name = (await line.hears_row("waiting"))["row"]["id"]
            began = await line.follows("conversation", id=name)
            while began["type"] != "following":
                began = await line.hears()
        await acts(kim, "take-over", name)
        await acts(kim, "messages", name, id="1", text="Said while the line was cut.")

        async with live_line(shop.goes_to(lea, shop.here)) as line:
            position = {"epoch": began["epoch"], "seq": began["seq"]}
            resumed: dict[str, Any] = await line.follows("conversation", id=name, **position)
            missed = resumed if resumed["resumed"] == "snapshot" else await line.hears()
            assert [one["text"] for one in missed["items"] if one["kind"] == "person"] == [
                "Said while the line was cut."
            ]
            await acts(kim, "messages", name, id="2", text="And this is live again.")
            assert (await line.hears_item(kind="person"))["text"] == "And this is live again."


async def test_a_pause_acts_on_the_other_server_within_two_seconds(shop: Shop) -> None:
    eva = await shop.signs_in("eva", "admin", shop.here)
    async with customer(shop.elsewhere) as (ana, _):

        async def answered(number: int) -> str:
            before = len(ana.frames)
            await ana.send(type="message", id=f"m{number}", text="What are your opening hours?")
            await ana.until(type="turn.completed")
            return " ".join(one.get("text", "") for one in ana.frames[before:])

        assert PAUSED not in await answered(0)
        assert (await eva.asks("POST", "pauses", {"kind": "assistant"})).status == 200
        paused_at, number, asked_at = time.monotonic(), 0, time.monotonic()
        while PAUSED not in await answered(number := number + 1):
            asked_at = time.monotonic()
            assert asked_at - paused_at < 2, "a question after two seconds was still answered"

        await eva.asks("POST", "pauses/resume", {"kind": "assistant"})
        resumed_at = time.monotonic()
        while PAUSED in await answered(number := number + 1):
            assert time.monotonic() - resumed_at < 2, "a question after two seconds was not answered"
