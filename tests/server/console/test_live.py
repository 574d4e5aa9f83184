"""The live line of the console: who may follow what, and how a page goes on after its line was cut."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import orjson
import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidStatus
from websockets.typing import Origin, Subprotocol

from assistant.server.console.live import LOOK_AGAIN_S, PATH, SUBPROTOCOL
from assistant.server.console.live_topics import KEPT, NewsFeed
from tests.server.console.browser import Browser, Office


class Line:
    """A page's live line."""

    def __init__(self, ws: ClientConnection) -> None:
        self._ws = ws

    async def sends(self, **frame: Any) -> None:
        await self._ws.send(orjson.dumps(frame).decode())

    async def hears(self) -> dict[str, Any]:
        return orjson.loads(await self._ws.recv())

    async def follows(self, topic: str, **more: Any) -> dict[str, Any]:
        await self.sends(type="follow", topic=topic, **more)
        return await self.hears()

    async def is_closed_with(self) -> int:
        await self._ws.wait_closed()
        assert self._ws.close_code is not None
        return self._ws.close_code


def _feed(office: Office) -> NewsFeed:
    console = office.server.context.console
    assert console is not None
    feed = NewsFeed("inbox.read", "e1")
    console.topics["parcels"] = feed
    return feed


@asynccontextmanager
async def _line(
    browser: Browser, *, origin: str | None = None, cookie: str | None = None
) -> AsyncGenerator[Line]:
    address = browser.home.replace("http", "ws") + PATH
    async with connect(
        address,
        proxy=None,
        origin=Origin(origin or browser.home),
        subprotocols=[Subprotocol(SUBPROTOCOL)],
        additional_headers={"Cookie": f"meanwhile_console={browser.cookie if cookie is None else cookie}"},
    ) as ws:
        yield Line(ws)


@asynccontextmanager
async def _welcomed(browser: Browser) -> AsyncGenerator[Line]:
    async with _line(browser) as line:
        await line.sends(type="hello")
        assert await line.hears() == {"type": "welcome"}
        yield line


async def test_a_page_hears_what_it_follows_with_numbers(office: Office) -> None:
    feed = _feed(office)
    async with _welcomed(await office.sits_down("kim")) as line:
        began = await line.follows("parcels")
        feed.publish({"parcel": "one"})
        feed.publish({"parcel": "two"})
        heard = [await line.hears(), await line.hears()]

    assert began == {
        "type": "following",
        "resumed": "new",
        "epoch": "e1",
        "seq": 0,
        "topic": "parcels",
        "id": "",
    }
    assert [(one["seq"], one["parcel"]) for one in heard] == [(1, "one"), (2, "two")]


async def test_a_page_whose_line_was_cut_gets_what_it_missed(office: Office) -> None:
    feed = _feed(office)
    kim = await office.sits_down("kim")
    async with _welcomed(kim) as line:
        await line.follows("parcels")
        feed.publish({"parcel": "one"})
        seen = (await line.hears())["seq"]
    feed.publish({"parcel": "two"})

    async with _welcomed(kim) as line:
        resumed = await line.follows("parcels", epoch="e1", seq=seen)
        missed = await line.hears()

    assert (resumed["resumed"], missed["seq"], missed["parcel"]) == ("replay", 2, "two")


async def test_a_page_that_missed_too_much_reads_everything_again(office: Office) -> None:
    feed = _feed(office)
    for _ in range(KEPT + 2):
        feed.publish({"parcel": "another"})
    async with _welcomed(await office.sits_down("kim")) as line:
        answers = {
            name: (await line.follows("parcels", **position))["resumed"]
            for name, position in {
                "too old": {"epoch": "e1", "seq": 1},
                "of another server": {"epoch": "e0", "seq": KEPT},
                "of the future": {"epoch": "e1", "seq": KEPT + 99},
                "the newest": {"epoch": "e1", "seq": KEPT + 2},
            }.items()
        }

    assert answers == {
        "too old": "snapshot",
        "of another server": "snapshot",
        "of the future": "snapshot",
        "the newest": "replay",
    }


async def test_only_the_roles_that_include_a_topic_may_follow_it(office: Office) -> None:
    _feed(office)
    async with _welcomed(await office.sits_down("lee")) as line:
        refused = await line.follows("parcels")
        unknown = await line.follows("nothing")

    assert (refused["type"], refused["code"]) == ("refused", "not_allowed")
    assert (unknown["type"], unknown["code"]) == ("refused", "unknown")


async def test_no_one_connects_without_a_session_or_from_another_site(office: Office) -> None:
    kim = await office.sits_down("kim")
    async with _line(kim, cookie="guessed") as line:
        await line.sends(type="hello")
        assert await line.is_closed_with() == 4401
    with pytest.raises(InvalidStatus) as refused:
        async with _line(kim, origin="https://elsewhere.example"):
            pass
    assert refused.value.response.status_code == 403


async def test_a_line_ends_with_the_session_or_when_the_person_is_disabled(office: Office) -> None:
    for login, ends in (("kim", "signs out"), ("ana", "is disabled")):
        browser = await office.sits_down(login)
        async with _welcomed(browser) as line:
            if ends == "signs out":
                await browser.asks("DELETE", "session")
            else:
                await office.hires("boss", "admin")
                await office.staff.change_person(office.people[login].id, disabled=True)
            office.clock.advance(LOOK_AGAIN_S)
            assert await line.is_closed_with() == 4401, ends


async def test_a_lost_role_ends_what_a_page_follows(office: Office) -> None:
    feed = _feed(office)
    async with _welcomed(await office.sits_down("kim")) as line:
        await line.follows("parcels")
        await office.staff.change_person(office.people["kim"].id, roles=["analyst"])
        office.clock.advance(LOOK_AGAIN_S)
        assert (await line.hears())["code"] == "not_allowed"
        feed.publish({"parcel": "secret"})
        await line.sends(type="ping")
        assert await line.hears() == {"type": "pong"}


async def test_an_open_page_alone_keeps_no_session(office: Office) -> None:
    kim = await office.sits_down("kim")
    async with _welcomed(kim) as line:
        for _ in range(9):
            office.clock.advance(3600)
            await line.sends(type="ping")
        assert await line.is_closed_with() == 4401


async def test_invalid_frames_are_refused_and_change_nothing(office: Office) -> None:
    feed = _feed(office)
    async with _welcomed(await office.sits_down("kim")) as line:
        await line.follows("parcels")
        for frame in (
            {"type": "shout"},
            {"type": "follow"},
            {"type": "hello"},
            {"type": "follow", "topic": "x" * 99},
        ):
            await line.sends(**frame)
            assert (await line.hears())["code"] == "bad_frame", frame
        feed.publish({"parcel": "one"})
        assert (await line.hears())["parcel"] == "one"
