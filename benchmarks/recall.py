"""How long today's rules take for past conversations: ``python -m benchmarks.recall``.

One conversation of seven turns (lookups, documents, a write with its question, answers of 15 to 60 words) is held
once on the demo's tools and prompts. Its log is written again and again, each time with other numbers, amounts and
names, so that nothing is checked twice. Then ``assistant recall`` goes through all of them.
"""

import argparse
import asyncio
import tempfile
import time
from collections.abc import Awaitable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from random import Random

import orjson
import structlog

from assistant.assembly.storage import open_conversations
from assistant.conversation.codec import from_json, to_json
from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import CustomerMessage, Logged
from assistant.recall.conversation import Period
from assistant.recall.log import recall_log
from assistant.replay.cassette import Cassette, Turn
from assistant.replay.player.environment import environment_of
from assistant.replay.player.play import replay
from assistant.replay.replies import Called, Reply, Run
from assistant.settings import Settings
from assistant.store.sqlite.log import SqliteLog
from assistant.store.storage import LoggedConversation

ROOT = Path(__file__).parents[1]
RULES = (
    "Unopened goods can be sent back within 30 days of delivery. Opened contact lenses cannot be returned for"
    " reasons of hygiene. Send the parcel to our shop; we pay the postage where the goods are faulty. Refunds are"
    " paid to the account that the payment came from, usually within 7 days after the parcel has arrived with us."
)


def reply(text: str) -> Reply:
    return Reply(role="narrator", says=text, first_ms=500, each_ms=25)


def decision(tool: str, *more: str, **arguments: str) -> Reply:
    calls = (Called(tool=tool, arguments=arguments), *(Called(tool=name) for name in more))
    return Reply(role="decider", calls=calls, first_ms=400, each_ms=20)


CONVERSATION = Cassette(
    about="For measuring.",
    now=datetime(2026, 11, 23, 9, tzinfo=UTC),
    turns=(
        Turn(
            customer="Check my appointments and billing",
            replies=(
                decision("list_upcoming_appointments", "get_open_invoices"),
                reply(
                    "You have an eye test with Dr. Lee on Tuesday, November 24 at 2 pm. Your balance is $153.29:"
                    " $118.37 for sunglasses, due on December 3, and $34.92 for contact lenses, due on December 13."
                ),
            ),
            results=(
                Run(
                    tool="list_upcoming_appointments",
                    does="returns",
                    returns=[
                        {"id": "A1001", "starts": "2026-11-24T14:00", "service": "eye test", "with": "Dr. Lee"}
                    ],
                    after_ms=120,
                ),
                Run(
                    tool="get_open_invoices",
                    does="returns",
                    returns={
                        "balance": "153.29",
                        "invoices": [
                            {"number": "2041", "amount": "118.37", "for": "sunglasses", "due": "2026-12-03"},
                            {"number": "2057", "amount": "34.92", "for": "contact lenses", "due": "2026-12-13"},
                        ],
                    },
                    after_ms=150,
                ),
            ),
        ),
        Turn(
            customer="And where is order 10455?",
            after_ms=3_000,
            replies=(
                decision("get_order_status", order_number="10455"),
                reply("Order 10455, sunglasses, is being made. It should arrive on Wednesday, December 2."),
            ),
            results=(
                Run(
                    tool="get_order_status",
                    does="returns",
                    returns=[{"number": "10455", "product": "sunglasses", "arrives": "2026-12-02"}],
                    after_ms=200,
                ),
            ),
        ),
        Turn(
            customer="I don't need them any more. Cancel order 10455 please",
            after_ms=3_000,
            replies=(decision("cancel_order", order_number="10455"),),
            results=(Run(tool="cancel_order", does="asks", confirm="cancel order 10455, sunglasses"),),
        ),
        Turn(
            customer="yes please, go ahead",
            after_ms=3_000,
            replies=(reply("Order 10455 is cancelled. You will not be charged for it."),),
            results=(
                Run(
                    tool="cancel_order",
                    does="returns",
                    returns={"number": "10455", "product": "sunglasses", "status": "cancelled"},
                    after_ms=300,
                ),
            ),
        ),
        Turn(
            customer="What if I want to return the contact lenses?",
            after_ms=3_000,
            replies=(
                decision("search_documents", question="Can contact lenses be returned?"),
                reply(
                    "By our returns policy, unopened goods can be sent back within 30 days of delivery. Opened"
                    " contact lenses cannot be returned for reasons of hygiene. We pay the postage where the goods"
                    " are faulty, and refunds are paid to the account that the payment came from, usually within 7"
                    " days after the parcel has arrived with us."
                ),
            ),
            results=(
                Run(
                    tool="search_documents",
                    does="returns",
                    returns=[
                        {"source": "Returns policy", "place": f"part {part}", "text": RULES, "kind": "knowledge",
                         "score": 0.7, "ref": f"document:{part}"}
                        for part in range(3)
                    ],
                    after_ms=60,
                ),
            ),
        ),
        Turn(
            customer="What time do you open tomorrow?",
            after_ms=3_000,
            replies=(
                decision("get_opening_hours", day="2026-11-24"),
                reply("Tomorrow, on Tuesday, we are open from 9 am to 6 pm."),
            ),
            results=(
                Run(
                    tool="get_opening_hours",
                    does="returns",
                    returns={
                        "day": "2026-11-24",
                        "hours": [{"first": "Tuesday", "last": "Tuesday", "opens": "09:00", "closes": "18:00"}],
                        "closed": [],
                    },
                    after_ms=50,
                ),
            ),
        ),
        Turn(
            customer="thanks, that's all",
            after_ms=3_000,
            replies=(Reply(role="decider", says="You're welcome! Have a nice day, and see you on Tuesday."),),
        ),
    ),
)  # fmt: skip


def held(settings: Settings) -> Sequence[Logged]:
    """The log of the conversation."""
    played = replay(CONVERSATION, environment_of(settings))
    assert not played.unscripted, played.unscripted
    return played.entries


def written_again(entries: Sequence[Logged], times: int) -> Iterator[list[Logged]]:
    """The same conversation with other numbers, amounts and names."""
    text = orjson.dumps([to_json(one) for one in entries], default=dict).decode()
    random = Random(0)
    for number in range(times):
        owed = [random.randrange(1_000, 90_000) for _ in range(2)]
        new = text.replace("153.29", f"{sum(owed) / 100:.2f}").replace("118.37", f"{owed[0] / 100:.2f}")
        new = new.replace("34.92", f"{owed[1] / 100:.2f}").replace(
            "10455", str(random.randrange(10_000, 99_999))
        )
        new = new.replace(
            "Dr. Lee", f"Dr. {random.choice('ABCDEFGHKLMNPRSTVWZ')}{random.choice('aeiou')}{number}n"
        )
        yield [from_json(one) for one in orjson.loads(new)]


async def fill(settings: Settings, conversations: int) -> None:
    log = SqliteLog(settings.data_dir / "log.db")
    entries = held(settings)
    said = [one.entry.text for one in entries if isinstance(one.entry, CustomerMessage)]
    size = len(orjson.dumps([to_json(one) for one in entries], default=dict))
    print(f"{conversations} conversations, each {len(said)} messages, {len(entries)} entries, {size:,} bytes")
    appending: list[Awaitable[None]] = []
    for number, copy in enumerate(written_again(entries, conversations)):
        key = ConversationKey(tenant="demo", customer=f"customer-{number}", conversation=f"c-{number}")
        appending.append(log.append(key, copy))
        if len(appending) == 100:
            await asyncio.gather(*appending)
            appending.clear()
    await asyncio.gather(*appending)
    await log.close()


async def _listed(settings: Settings) -> list[LoggedConversation]:
    async with open_conversations(settings) as conversations:
        return await conversations.listed()


def main(conversations: int, processes: int | None) -> None:
    structlog.configure(processors=[_drop])
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(data_dir=Path(folder), tools_dir=ROOT / "tools", prompts_dir=ROOT / "prompts")
        asyncio.run(fill(settings, conversations))
        keys = [one.key for one in asyncio.run(_listed(settings))]
        began = time.perf_counter()
        found = recall_log(settings, keys, Period(), processes=processes)
        took_s = time.perf_counter() - began
    checked = ", ".join(f"{number} {what}" for what, number in found.checked.items())
    print(f"checked {checked}; {len(found.findings)} findings, {len(found.failures)} failures")
    print(f"{took_s:.1f} s, {took_s / conversations * 1_000:.1f} ms a conversation")


def _drop(*_: object) -> str:
    raise structlog.DropEvent


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--conversations", type=int, default=10_000)
    options.add_argument("--processes", type=int, default=None)
    chosen = options.parse_args()
    main(chosen.conversations, chosen.processes)
