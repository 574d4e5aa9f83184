"""Measures how long a report takes: ``python -m benchmarks.reports [CONVERSATIONS] [FOLDER]``.

It writes conversations of thirty days into a data folder, then makes a report of all of them, one more, and one
after one conversation in a hundred has gone on.
"""

import asyncio
import random
import sys
import tempfile
from datetime import UTC
from pathlib import Path
from time import perf_counter

from assistant.assembly.reports import open_report_maker
from assistant.clock import SystemClock
from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import HandoffState
from assistant.ids import SystemIds
from assistant.reports.collect import Period
from assistant.settings import Settings
from assistant.store.sqlite.storage import open_sqlite_storage
from tests.support.logged_visits import DAY, MINUTE, LoggedVisits, empty, failed, ok

_DAYS = 30
_ASKED = {
    "get_open_invoices": ("What do I owe?", "Is there an open invoice?", "How much is my bill?"),
    "list_upcoming_appointments": ("When is my appointment?", "Do I have an eye test this week?"),
    "track_order": ("Where is my parcel?", "When does order 1002 come?", "My order has not arrived"),
}
_UNANSWERED = (
    "Do you repair bicycles?", "Can you fix my bike?", "Is there a bicycle repair service?",
    "Do you sell gift cards?", "Can I buy a voucher for my mother?", "What is the weather like on Mars today?",
    "Can I speak to the manager of the Berlin shop?", "Do you deliver to Norway?", "Is shipping to Oslo possible?",
)  # fmt: skip
_HANDOFFS: tuple[tuple[HandoffState, ...], ...] = (
    ("requested", "queued", "accepted", "ended"),
    ("requested", "unavailable", "ticket"),
)
_REASONS = (
    "a complaint about a broken frame",
    "the frame is broken",
    "wants to change the contract",
    "asks for a person",
)


def conversation(chance: random.Random, began_ms: int, now_ms: int) -> LoggedVisits:
    """One conversation of some turns, now and then with a second visit, a rating, a handoff."""
    made = LoggedVisits(began_ms)
    for visit in range(1 + (chance.random() < 0.15)):
        if visit:
            pause_ms = chance.randint(1, 9) * DAY
            if made.at_ms + pause_ms > now_ms - DAY:
                break
            made.waits(pause_ms)
        for _ in range(chance.choice((1, 2, 2, 3, 4))):
            tool = chance.choice([*_ASKED])
            outcome = chance.choices((ok, empty, failed), (92, 5, 3))[0](tool)
            words_ms = round(chance.lognormvariate(6.2, 0.5))
            if chance.random() < 0.12:
                made.asks(
                    chance.choice(_UNANSWERED), words_ms=words_ms, answer="I can't help with that here."
                )
            else:
                made.asks(
                    chance.choice(_ASKED[tool]),
                    outcome,
                    words_ms=words_ms,
                    cost_usd=chance.uniform(0.001, 0.02),
                )
            made.waits(chance.randint(5, 90) * 1000)
        if chance.random() < 0.2:
            made.rates(chance.choices(("up", "down"), (4, 1))[0])
        if chance.random() < 0.06:
            made.hands_over(*chance.choice(_HANDOFFS), why=chance.choice(_REASONS))
        if chance.random() < 0.05:
            made.asks("Cancel my eye test please", ok("cancel"), how="awaiting_confirmation", question=True)
    return made


async def write(folder: Path, number: int, now_ms: int) -> list[tuple[ConversationKey, LoggedVisits]]:
    """Fill the folder."""
    chance = random.Random(7)
    made = list[tuple[ConversationKey, LoggedVisits]]()
    async with open_sqlite_storage(folder, SystemClock(), SystemIds()) as storage:
        for place in range(number):
            key = ConversationKey(
                tenant="demo", customer=f"c{chance.randrange(number)}", conversation=f"v{place:06}"
            )
            each = conversation(
                chance, now_ms - chance.randrange(1, _DAYS) * DAY + chance.randrange(600) * MINUTE, now_ms
            )
            made.append((key, each))
            await storage.log.append(key, each.entries)
    return made


async def report(settings: Settings, now_ms: int) -> None:
    """Make a report and print how long it took."""
    period = Period(since_ms=now_ms - _DAYS * DAY, until_ms=now_ms + DAY, zone=UTC)
    began, read = perf_counter(), [0]
    async with open_report_maker(settings, lambda _all, some: read.__setitem__(0, read[0] + some)) as maker:
        made = await maker.report(period, now_ms)
    took = perf_counter() - began
    print(
        f"{read[0]:>7} conversations read, {made.total.visits} visits,"
        f" {made.total.unanswered} unanswered: {took:.1f} s"
    )


async def main() -> None:
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    now_ms = SystemClock().now_ms()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(sys.argv[2]) if len(sys.argv) > 2 else Path(temporary)
        made = await write(folder, number, now_ms)
        print(f"{sum(len(each.entries) for _, each in made)} entries in {number} conversations")
        settings = Settings(data_dir=folder)
        await report(settings, now_ms)
        await report(settings, now_ms)
        async with open_sqlite_storage(folder, SystemClock(), SystemIds()) as storage:
            for key, each in made[::100]:
                before = len(each.entries)
                each.at_ms = now_ms - 60_000
                each.asks("What do I owe?", ok("get_open_invoices"))
                await storage.log.append(key, each.entries[before:])
        await report(settings, now_ms + 3_600_000)


if __name__ == "__main__":
    asyncio.run(main())
