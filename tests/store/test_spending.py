"""The spending of a day is counted once, on all servers together, and deleted after two days."""

import asyncio
from datetime import date, timedelta

from assistant.conversation.usage import Spent, SpentToday
from assistant.store.storage import Storage
from tests.store.conftest import Installation

TODAY = date(2026, 11, 27)
TURN = Spent(tokens=100, usd=0.01)


def rounded(spent: Spent) -> tuple[int, float]:
    return spent.tokens, round(spent.usd, 6)


async def test_the_sums_of_a_customer_and_of_the_tenant_are_kept_for_a_day(
    installation: Installation,
) -> None:
    async with installation.open() as server:
        assert await server.spending.spent("acme", "ana", TODAY) == SpentToday()
        await server.spending.add("acme", "ana", TODAY, TURN)
        await server.spending.add("acme", "ben", TODAY, TURN)
        again = await server.spending.add("acme", "ana", TODAY, Spent(tokens=50))
    async with installation.open() as server:
        kept = await server.spending.spent("acme", "ana", TODAY)
        others = [
            await server.spending.spent("bank", "ana", TODAY),
            await server.spending.spent("acme", "ana", TODAY + timedelta(days=1)),
        ]

    assert kept == again
    assert (rounded(kept.customer), rounded(kept.tenant)) == ((150, 0.01), (250, 0.02))
    assert others == [SpentToday(), SpentToday()]


async def test_sums_of_dollars_stay_exact(storage: Storage) -> None:
    for _ in range(100):
        await storage.spending.add("acme", "ana", TODAY, Spent(usd=0.000_001))

    assert (await storage.spending.spent("acme", "ana", TODAY)).tenant.usd == 0.0001


async def test_two_servers_lose_nothing_and_each_sum_is_seen_once(
    two_servers: tuple[Storage, Storage],
) -> None:
    added = await asyncio.gather(
        *(
            two_servers[n % 2].spending.add("acme", ("ana", "ben")[n % 3 % 2], TODAY, Spent(tokens=1))
            for n in range(60)
        )
    )

    assert sorted(one.tenant.tokens for one in added) == list(range(1, 61))


async def test_old_days_are_deleted(installation: Installation) -> None:
    async with installation.open() as server:
        for days in (5, 3, 2, 1, 0):
            await server.spending.add("acme", "ana", TODAY - timedelta(days=days), TURN)
        await server.spending.add("bank", "ben", TODAY, TURN)

    kept = {(row[0], row[1], row[2]) for row in await installation.rows("spending")}
    assert kept == {
        *(("acme", f"2026-11-{day}", whose) for day in (25, 26, 27) for whose in ("", "ana")),
        ("bank", "2026-11-27", ""),
        ("bank", "2026-11-27", "ben"),
    }


async def test_a_customer_is_erased_and_the_tenants_sum_stays(installation: Installation) -> None:
    async with installation.open() as server:
        assert await server.spending.erase("acme", "ana") == 0
        await server.spending.add("acme", "ana", TODAY, TURN)
        await server.spending.add("acme", "ben", TODAY, TURN)
        assert await server.spending.erase("acme", "ana") == 1
        assert await server.spending.erase("acme", "") == 0
        left = await server.spending.spent("acme", "ana", TODAY)

    assert (left.customer, left.tenant.tokens) == (Spent(), 200)
    assert {row[2] for row in await installation.rows("spending")} == {"", "ben"}
