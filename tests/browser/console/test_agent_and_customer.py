"""An agent in the console and a customer in the widget, each in a browser, with the real server between them."""

import asyncio
import os
import re
import sys
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Page, expect

from tests.browser.console.console_page import ConsolePage
from tests.browser.visitor import Visitor

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

ROOT = Path(__file__).resolve().parents[3]
START_S = 60.0


@dataclass
class Meeting:
    """Ana at the shop's page, and the admin at the console, who has taken her conversation over."""

    ana: Visitor
    agent: ConsolePage


@pytest_asyncio.fixture(loop_scope="session")
async def meeting(page: Page, tmp_path: Path) -> AsyncGenerator[Meeting]:
    """The customer asked for a person, and the agent came."""
    browser = page.context.browser
    assert browser is not None
    async with AsyncExitStack() as end:
        link = await end.enter_async_context(_served(tmp_path))
        pages = list[Page]()
        for _ in range(2):
            context = await browser.new_context(
                viewport={"width": 1280, "height": 800}, reduced_motion="reduce"
            )
            end.push_async_callback(context.close)
            pages.append(await context.new_page())
        agent = ConsolePage(pages[0], link.partition("/link#")[0])
        await agent.open(f"/link#{link.partition('#')[2]}")
        await agent.button("Sign in").click()
        await agent.button("Not now").click()

        ana = Visitor(pages[1], link.partition("/console")[0] + "/")
        await ana.visits()
        await ana.opens_chat()
        await ana.says("Can I speak to a person?")
        await agent.open("/inbox")
        await agent.page.locator("[data-row]").first.click()
        await agent.button("Take over").click()
        await expect(ana.panel.locator(".handoff p")).to_have_text("Admin is with you now")
        yield Meeting(ana, agent)
        assert (ana.complaints, agent.complaints) == ([], [])


async def test_each_sees_that_the_other_one_types(meeting: Meeting) -> None:
    ana, agent = meeting.ana, meeting.agent
    typing = agent.page.locator(".typing")
    await ana.field.fill("My sunglasses")
    await expect(typing).to_contain_text("is typing")
    await ana.field.press("Enter")
    await expect(agent.page.locator(".said.customer").last).to_contain_text("My sunglasses")
    await expect(typing).to_have_text("")

    await agent.page.locator("#reply").fill("Hello")
    dots = ana.panel.get_by_role("img", name="Admin is typing")
    await expect(dots).to_be_visible()
    await expect(dots).to_have_count(0, timeout=9_000)  # it ends by itself
    await agent.page.locator("#reply").fill("Hello Ana")
    await expect(dots).to_be_visible()
    await agent.page.keyboard.press("Control+Enter")
    await expect(ana.panel.locator(".person .bubble")).to_have_text("Hello Ana")
    await expect(dots).to_have_count(0)


@asynccontextmanager
async def _served(data: Path, *options: str, **settings: str) -> AsyncGenerator[str]:
    """Serve for as long as the block runs; gives the link that the server prints."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "assistant", "serve", "--port", "0", *options),
        cwd=ROOT,
        env=os.environ | {"ASSISTANT_DATA_DIR": str(data), "ASSISTANT_VOICE": "false"} | settings,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    try:
        said = ""
        async with asyncio.timeout(START_S):
            while not (found := re.search(r"http://\S+/console/link#\S+", said)):
                said += (await process.stdout.readline()).decode()
        yield found[0]
    finally:
        if process.returncode is None:
            process.terminate()
        await process.communicate()
