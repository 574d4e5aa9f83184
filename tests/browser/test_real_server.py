"""The page with the real assistant, the embedded model and the demo shop's data."""

import random
import re
import sqlite3
from collections.abc import AsyncGenerator, Generator, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import expect

from assistant.prompts.book import shipped_book
from assistant.prompts.utterances import OneMoment
from tests.browser.conftest import Arrive
from tests.browser.real import served
from tests.browser.relay import Relay
from tests.browser.visitor import Visitor

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session"), pytest.mark.slow]

CUTS = 50
QUESTIONS = ["Check my appointments and billing", "When are you open?", "Where is my order?"] * 4
SHOWN = """log => {
    const copy = log.cloneNode(true);
    copy.querySelectorAll("time, [part~=time]").forEach(time => time.remove());
    return copy.innerHTML.replaceAll(/<!--.*?-->|\\s+/g, " ").replaceAll(/>\\s+</g, "><");
}"""
ACKNOWLEDGEMENT = "Sure, I'll look up your appointments and check your billing."
WAITING = {shipped_book().render(OneMoment(number=number)) for number in range(1, 6)}
"""The status message that may also be shown while a busy machine delays the model."""


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the assistant keeps its log and the shop's books."""
    return tmp_path_factory.mktemp("data")


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def port(data: Path) -> AsyncGenerator[int]:
    """The assistant; the port that it found free."""
    async with served(data, ASSISTANT_NOW="2026-11-21T10:00") as found:
        yield found


@pytest_asyncio.fixture(loop_scope="session")
async def wire(port: int) -> AsyncGenerator[Relay]:
    """The way from the browser to the assistant."""
    async with Relay(port).running() as relay:
        yield relay


@pytest_asyncio.fixture(loop_scope="session")
async def ana(arrive: Arrive, wire: Relay) -> AsyncGenerator[Visitor]:
    """The demo customer, with the chat open."""
    visitor = await arrive(wire.url)
    await visitor.opens_chat()
    yield visitor
    assert visitor.complaints == []


async def test_two_requests_in_one_message(ana: Visitor) -> None:
    await ana.button("Check my appointments and billing").click()

    await expect(ana.log.locator("article").last).to_contain_text("$150")
    lines = [line.split(": ", 1)[1] for line in await ana.log.locator("article").all_text_contents()]
    said = [line for line in lines if line not in WAITING]
    assert said[:2] == ["Check my appointments and billing", ACKNOWLEDGEMENT]
    assert "2 pm" in said[2]
    assert len(said) == 3
    await expect(ana.chips).to_have_text(
        ["Looking up your appointments: done", "Checking your billing: done"]
    )


async def test_a_side_effect_waits_for_a_yes(ana: Visitor, data: Path) -> None:
    await ana.says("Cancel my Tuesday appointment")
    await expect(ana.button("Yes")).to_be_visible()
    assert _cancelled(data) == []
    await ana.button("Yes").click()
    await expect(ana.chips.last).to_have_text(re.compile("^Cancelling .*: done$"))
    await expect(ana.log.locator("article").last).to_contain_text("cancelled")
    assert _cancelled(data) == [("2026-11-24T14:00",)]
    _uncancel(data)


async def test_a_broken_ledger_does_not_affect_the_appointments(ana: Visitor, data: Path) -> None:
    with _without_invoices(data):
        await ana.says("Check my appointments and billing")
        await expect(ana.chips).to_have_text(
            ["Looking up your appointments: done", re.compile("^Checking your billing: did not work$")]
        )
        await expect(ana.log.locator("article")).to_have_count(3)
        await expect(ana.log.locator("article").last).to_contain_text("Dr. ")


async def test_a_cut_in_a_turn_and_a_reload_lose_nothing(ana: Visitor, wire: Relay) -> None:
    await ana.says("When are you open?")
    await expect(ana.button("Stop")).to_be_hidden()
    await expect(ana.log.locator("article").last).to_contain_text("6 pm")

    await ana.says("Where is my order?")
    wire.cut()
    await expect(ana.status).to_contain_text("Connected again.")
    await expect(ana.log.locator("article").last).to_contain_text("10482")
    await expect(ana.button("Stop")).to_be_hidden()
    said = await ana.log.locator("article").all_text_contents()
    assert [line for line in said if line.startswith("You:")] == [
        "You: When are you open?",
        "You: Where is my order?",
    ]

    await ana.opens_chat()

    await ana.sees(*said)


async def test_fifty_cuts_change_nothing(ana: Visitor, arrive: Arrive, wire: Relay) -> None:
    uncut = await _talks(ana)
    await ana.leaves()
    cuts: list[int] = []
    chance = random.Random(50)

    def fuses() -> Iterator[int]:
        while len(cuts) < CUTS:
            yield chance.randint(200, 1_200)
            cuts.append(1)

    again = await arrive(wire.url)
    await again.opens_chat()
    # Comes back at once: what is lost in between must not hang on how long that takes.
    await again.page.evaluate("() => { Math.random = () => -0.99; }")
    wire.cut_after(fuses())
    assert await _talks(again) == uncut
    assert len(cuts) == CUTS
    again.forgive("WebSocket")


async def _talks(visitor: Visitor) -> str:
    """The same conversation each time; what the page shows of it in the end."""
    responses = visitor.log.locator("[data-message-kind=response]")
    for number, question in enumerate(QUESTIONS, start=1):
        before = await responses.count()
        await visitor.says(question)
        await expect(visitor.log.locator("[part~='customer-message']")).to_have_count(number)
        await expect(visitor.log.get_by_text("Waiting to be sent")).to_have_count(0)
        # The stop button is hidden before a turn, too: only its answer tells that there has been one.
        await expect(responses).not_to_have_count(before)
        await expect(visitor.button("Stop")).to_be_hidden()
        await expect(visitor.panel.locator(".link")).to_be_hidden()
    return await visitor.log.evaluate(SHOWN)


def _books(data: Path) -> closing[sqlite3.Connection]:
    """The shop's books, for as long as the block runs."""
    return closing(sqlite3.connect(data / "crm.db", timeout=5, isolation_level=None))


def _cancelled(data: Path) -> list[tuple[str]]:
    with _books(data) as db:
        return db.execute("SELECT starts FROM appointments WHERE customer = 'demo' AND cancelled").fetchall()


def _uncancel(data: Path) -> None:
    with _books(data) as db:
        db.execute("UPDATE appointments SET cancelled = 0")


@contextmanager
def _without_invoices(data: Path) -> Generator[None]:
    """Billing's table is gone for as long as the block runs."""
    with _books(data) as db:
        db.execute("ALTER TABLE invoices RENAME TO invoices_away")
        try:
            yield
        finally:
            db.execute("ALTER TABLE invoices_away RENAME TO invoices")
