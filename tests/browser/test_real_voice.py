"""Speaking with the real assistant in a real browser, with the embedded models."""

import asyncio
import os
import re
import sqlite3
from collections.abc import AsyncGenerator
from contextlib import closing
from pathlib import Path

import numpy as np
import orjson
import pytest
import pytest_asyncio
from playwright.async_api import Browser, expect

from assistant.clock import SystemClock
from assistant.ids import SystemIds
from assistant.models.speech.choose import choose_speech_to_text
from assistant.resilience import jitter_from
from assistant.speech_ports import HEARD_RATE, Pcm
from tests.browser.conftest import HEARS, opened_chromium
from tests.browser.page_sound import hears, lend_microphone, record, recorded
from tests.browser.real import can_speak, served
from tests.browser.sound import samples, write_wav
from tests.browser.visitor import Visitor
from tests.browser.voice import doing, microphone
from tests.models.speech.synthesised import said_aloud

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session"), pytest.mark.slow]

PATIENCE_MS = 60_000.0
"""The longest time for one step on a busy machine. These tests do not measure time."""

SLOW_TOOLS = '''"""The demo shop's books on a slow day: long enough that it is said aloud what is looked up."""

import asyncio

from assistant import Customer, tool


@tool(
    waiting_hint="looking up your appointments",
    examples=["check my appointments", "when is my next appointment"],
    narration="You have an appointment with Dr. Lee on Tuesday at 2 pm, in the shop on Harbour Street. "
    "Please bring your old glasses along.",
    timeout_s=60,
)
async def list_upcoming_appointments(customer: Customer) -> list[str]:
    """List the customer's appointments."""
    await asyncio.sleep(4)
    return ["2026-12-01T14:00"]


@tool(
    waiting_hint="checking your billing",
    examples=["check my billing", "how much do I owe you"],
    narration="Your balance is $150.",
    timeout_s=60,
)
async def get_open_invoices(customer: Customer) -> list[str]:
    """List the customer's unpaid invoices."""
    await asyncio.sleep(1)
    return ["150.00"]
'''
QUESTION = "Check my appointments, and check my billing."
UNDERSTOOD = re.compile("You: Check my appointments,?( and)? check my billing", re.IGNORECASE)
BEFORE_S, AFTER_S = 3.0, 1.0


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the assistant keeps its log."""
    return tmp_path_factory.mktemp("data")


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def port(data: Path, tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[int]:
    """The assistant, which one can speak with; the port that it found free."""
    tools = tmp_path_factory.mktemp("tools")
    (tools / "books.py").write_text(SLOW_TOOLS, encoding="utf-8")
    async with served(data, ASSISTANT_TOOLS_DIR=str(tools), ASSISTANT_NOW="2026-11-21T10:00") as found:
        await can_speak(found)
        yield found


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def chromium(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Browser]:
    """A browser whose microphone hears the question once: after some silence, and before more."""
    file = tmp_path_factory.mktemp("sound") / "question.wav"
    write_wav(file, _silence(BEFORE_S) + said_aloud(QUESTION) + _silence(AFTER_S), rate=HEARD_RATE)
    async with opened_chromium(*HEARS, f"--use-file-for-fake-audio-capture={file}%noloop") as found:
        yield found


@pytest_asyncio.fixture(loop_scope="session")
async def ben(chromium: Browser, port: int) -> AsyncGenerator[Visitor]:
    """A customer with a microphone. The page must not have complained in the end."""
    context = await chromium.new_context(permissions=["microphone"], reduced_motion="reduce")
    page = await context.new_page()
    await record(page)
    visitor = Visitor(page, f"http://127.0.0.1:{port}/")
    yield visitor
    await context.close()
    assert visitor.complaints == []


async def test_a_spoken_question_gets_a_spoken_answer(ben: Visitor) -> None:
    await ben.opens_chat()
    await microphone(ben).click()
    said = ben.log.locator("article")
    await expect(said.first).to_have_text(UNDERSTOOD, timeout=PATIENCE_MS)
    await expect(ben.chips).to_have_text(
        ["Looking up your appointments: done", "Checking your billing: done"], timeout=PATIENCE_MS
    )
    answer = ben.log.locator("article[data-message-kind=response]")
    await expect(answer).to_contain_text("$150", timeout=PATIENCE_MS)
    await expect(doing(ben)).to_have_text("Listening", timeout=PATIENCE_MS)
    await expect(answer).to_contain_text("2 pm")

    heard = await recorded(ben.page)
    assert float(np.abs(samples(heard)).max()) > 0.1
    words = await _understood(heard)
    assert "look up your appointments" in words
    assert re.search(r"\b(2|two) ?p\.?m\b", words), words
    assert re.search(r"\$150|(150|one hundred (and )?fifty) dollars", words), words
    assert words.index("look up") < words.rindex("tuesday")


async def test_an_interruption_is_answered_and_unheard_words_do_not_count(ben: Visitor, data: Path) -> None:
    await lend_microphone(ben.page)
    await ben.opens_chat()
    await microphone(ben).click()
    await expect(doing(ben)).to_have_text("Listening", timeout=PATIENCE_MS)
    await hears(ben.page, said_aloud(QUESTION))
    # Only its first words are sure to stay: a busy machine has played no more of it when it is cut off.
    answer = ben.message("You").first
    await expect(answer).to_contain_text("Dr. Lee", timeout=PATIENCE_MS)
    async with asyncio.timeout(PATIENCE_MS / 1000):
        while not _heard_of_the_first_answer(data):
            await ben.page.wait_for_timeout(100)

    await hears(ben.page, _silence(1) + said_aloud("How much do I owe you?"))
    await expect(answer).to_have_text(re.compile("…$"), timeout=PATIENCE_MS)
    await expect(ben.message("How much do I owe you?")).to_be_visible()
    await expect(ben.message("Your balance is $150.")).to_be_visible(timeout=PATIENCE_MS)
    up_to, whole = _heard_of_the_first_answer(data)[-1]
    assert 0 < up_to < len(whole)
    shown = (await answer.locator("p").inner_text()).removesuffix("…")
    assert whole[:up_to].rstrip(" .,") == shown
    # Nothing of what was cut off comes out of the loudspeakers after all; it stood at the very end.
    words = await _understood(await recorded(ben.page))
    assert "glasses" not in words or "glasses" in shown


def _silence(seconds: float) -> Pcm:
    return bytes(2 * int(seconds * HEARD_RATE))


async def _understood(heard: Pcm) -> str:
    """What a listener makes of it, in small letters."""
    hearing = choose_speech_to_text(
        "offline",
        clock=SystemClock(),
        jitter=jitter_from(SystemIds()),
        environ=os.environ,
        whisper_dir=None,
        worker_slots=1,
    )
    return (await hearing.transcribe(_without_silence(heard))).text.lower()


def _without_silence(heard: Pcm) -> Pcm:
    """The same without the long silences, which only take time to listen to."""
    look = HEARD_RATE // 2
    whole = np.frombuffer(heard, "<i2")
    parts = [whole[at : at + look] for at in range(0, len(whole), look)]
    return b"".join(part.tobytes() for part in parts if np.abs(part.astype(np.int32)).max() > 300)


def _heard_of_the_first_answer(data: Path) -> list[tuple[int, str]]:
    """Of the newest conversation's first answer: each time how many characters were heard by then, and all of it.

    From the log. Empty until it is being spoken.
    """
    with closing(sqlite3.connect(f"file:{data / 'log.db'}?mode=ro", uri=True)) as db:
        rows = db.execute(
            "SELECT kind, body FROM entries WHERE conversation ="
            " (SELECT conversation FROM conversations ORDER BY opened_ms DESC LIMIT 1) ORDER BY seq"
        ).fetchall()
    entries = [(kind, orjson.loads(body)) for kind, body in rows]
    answers = [
        body["message_id"]
        for kind, body in entries
        if kind == "message_closed" and body["kind"] == "response"
    ][:1]
    text = "".join(
        body["text"] for kind, body in entries if kind == "message_text" and body["message_id"] in answers
    )
    return [
        (body["up_to"], text)
        for kind, body in entries
        if kind == "delivery_receipt" and body["how"] == "heard" and body["message_id"] in answers
    ]
