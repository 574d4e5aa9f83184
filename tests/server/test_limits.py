"""The limits apply, and the web server has them too."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from fastapi import FastAPI

from assistant.errors import LogError
from assistant.server.app import uvicorn_config
from assistant.server.limits import ClientRates, Limits, TokenBucket, TokenBuckets
from assistant.store.sqlite.credentials import SqliteUsedTokens
from tests.server.client import Client, Frame
from tests.server.running_server import ManualClock, new_server, opened, with_limits
from tests.server.site import Site, believing


def test_a_bucket_gives_what_a_minute_allows_and_refills_with_time() -> None:
    clock = ManualClock()
    bucket = TokenBucket(6, clock)
    assert [bucket.allow() for _ in range(7)] == [True] * 6 + [False]
    clock.advance(9)
    assert not bucket.allow()
    clock.advance(1)
    assert [bucket.allow(), bucket.allow()] == [True, False]
    clock.advance(3600)
    assert [bucket.allow() for _ in range(7)] == [True] * 6 + [False]


def test_the_web_server_accepts_no_larger_frames_and_stays_local() -> None:
    config = uvicorn_config(FastAPI(), limits=Limits(frame_bytes=1234))
    assert (config.host, config.ws_max_size, config.ws_per_message_deflate) == ("127.0.0.1", 1234, False)
    assert uvicorn_config(FastAPI()).ws_max_size == 64 * 1024


def test_a_quiet_client_is_forgotten() -> None:
    clock = ManualClock()
    buckets = TokenBuckets(2, clock)
    assert [buckets.allow(whose) for whose in "aaab"] == [True, True, False, True]
    clock.advance(59)
    assert buckets.allow("b")
    clock.advance(1)
    assert buckets.allow("c")
    assert len(buckets) == 2
    assert [buckets.allow("b"), buckets.allow("b")] == [True, False]


class CountsOfAllServers:
    """Allow what the test says, or are ``down``; remember what was asked."""

    def __init__(self, *, down: bool = False) -> None:
        self.down, self.allows = down, True
        self.asked: list[tuple[str, dict[str, int]]] = []

    async def allow(self, tenant: str, per_minute: Mapping[str, int]) -> bool:
        if self.down:
            raise LogError("the database is away")
        self.asked.append((tenant, dict(per_minute)))
        return self.allows


async def test_the_count_of_all_servers_decides_and_names_no_client() -> None:
    shared = CountsOfAllServers()
    rates = ClientRates("messages", 2, 10, ManualClock(), shared)
    assert await rates.allow("acme", "ana@shop.example", "192.0.2.7")
    shared.allows = False
    assert not await rates.allow("acme", "ana@shop.example", None)

    (tenant, asked), (_, without_address) = shared.asked
    assert (tenant, sorted(asked.values()), [*without_address.values()]) == ("acme", [2, 20], [2])
    assert not any(whose in name for name in asked for whose in ("ana", "192.0.2.7"))


async def test_without_the_others_counts_each_server_counts_alone() -> None:
    rates = ClientRates("messages", 2, 10, ManualClock(), CountsOfAllServers(down=True))

    assert [await rates.allow("acme", "ana", None) for _ in range(3)] == [True, True, False]


async def answers(client: Client, *ids: str) -> list[str]:
    for id_ in ids:
        await client.says(id_)
    heard: list[Frame] = []
    while len(heard) < len(ids):
        frame = await client.hear()
        if frame.get("id") in ids:
            heard.append(frame)
    return [frame.get("code", frame["type"]) for frame in heard]


async def test_a_second_socket_shares_the_first_ones_allowance() -> None:
    async with opened(with_limits(new_server(), messages_per_minute=3)) as server:
        phone, laptop, other = Client(server), Client(server), Client(server)
        await phone.enter()
        laptop.token = phone.token
        await laptop.enter()
        await other.enter()
        first = await answers(phone, "m1", "m2")
        second = await answers(laptop, "m3", "m4")
        elsewhere = await answers(other, "n1")
    assert (first, second) == (["accepted"] * 2, ["accepted", "rate_limited"])
    assert elsewhere == ["accepted"]  # another visitor, though both are the demo's customer


async def test_a_signed_in_customer_has_one_allowance_for_all_conversations(tmp_path: Path) -> None:
    closed = with_limits(new_server(), messages_per_minute=2)
    site, used = Site(closed.clock), SqliteUsedTokens(tmp_path / "used.db")
    closed.context = replace(closed.context, site=believing(closed.clock, used))
    async with opened(closed) as server:
        told: list[str] = []
        for number in range(3):
            ana = Client(server)
            await ana.enter(user=site.signs())
            told += await answers(ana, f"m{number}")
    await used.close()
    assert told == ["accepted", "accepted", "rate_limited"]


@pytest.mark.parametrize(
    ("addresses", "last"),
    [
        (["203.0.113.7"] * 3, "rate_limited"),
        (["203.0.113.7", "203.0.113.7", "203.0.113.8"], "accepted"),
        (["2001:db8::1", "2001:db8::2", "2001:db8::3"], "rate_limited"),
        ([None, None, None], "accepted"),
    ],
)
async def test_new_visitors_of_one_address_share_its_allowance(
    addresses: list[str | None], last: str
) -> None:
    strict = with_limits(new_server(), messages_per_minute=1, visitors_per_address=2)
    strict.trusted_proxies = ("127.0.0.1",)
    async with opened(strict) as server:
        told: list[str] = []
        for number, address in enumerate(addresses):
            visitor = Client(server)
            await visitor.dial(additional_headers={"X-Forwarded-For": address} if address else {})
            await visitor.say(type="hello")
            await visitor.hear()
            told += await answers(visitor, f"m{number}")
    assert told == ["accepted", "accepted", last]


async def test_a_flood_over_several_sockets_is_a_flood() -> None:
    async with opened(with_limits(new_server(), frames_per_minute=4)) as server:
        phone, laptop = Client(server), Client(server)
        await phone.enter()
        laptop.token = phone.token
        await laptop.enter()
        assert await phone.hears_nothing_more()
        assert await phone.hears_nothing_more()
        for _ in range(3):
            await laptop.say(type="ping")
        assert await laptop.is_shown_out() == 4429


async def test_an_address_that_floods_as_many_visitors_is_disconnected() -> None:
    strict = with_limits(new_server(), frames_per_minute=2, visitors_per_address=1)
    strict.trusted_proxies = ("127.0.0.1",)
    async with opened(strict) as server:
        for turned_away in (False, False, True):
            visitor = Client(server)
            await visitor.dial(additional_headers={"X-Forwarded-For": "203.0.113.7"})
            await visitor.say(type="hello")
            await visitor.hear()
            await visitor.say(type="ping")
            if turned_away:
                assert await visitor.is_shown_out() == 4429
            else:
                assert (await visitor.hear())["type"] == "pong"
