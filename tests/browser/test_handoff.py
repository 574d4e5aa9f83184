"""A customer at the page and an agent at the operators' endpoint, with the real assistant between them."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import expect

from tests.browser.conftest import Arrive
from tests.browser.operator import TOKEN, sits_down
from tests.browser.real import served

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session"), pytest.mark.slow]


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def port(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[int]:
    data: Path = tmp_path_factory.mktemp("data")
    async with served(data, ASSISTANT_NOW="2026-11-21T10:00", ASSISTANT_OPERATOR_TOKEN=TOKEN) as found:
        yield found


async def test_an_agent_is_requested_accepts_writes_and_ends_the_handoff(arrive: Arrive, port: int) -> None:
    ana = await arrive(f"http://127.0.0.1:{port}/")
    await ana.opens_chat()
    async with sits_down(port, "Sam") as sam:
        await ana.says("Can I speak to a person?")
        asked = (await sam.hears("conversation", state="queued"))["conversation"]
        place = asked["conversation_id"]
        await expect(ana.panel.get_by_text("A colleague has been asked to join")).to_be_visible()

        await sam.says(type="accept", conversation_id=place)
        await sam.says(
            type="say", conversation_id=place, id="1", text="Hello Ana, this is Sam.\nWhat can I do?"
        )
        await expect(ana.panel.locator(".person .bubble")).to_have_text(
            "Hello Ana, this is Sam.\nWhat can I do?"
        )
        await ana.says("My sunglasses arrived broken")
        heard = await sam.hears("message", text="My sunglasses arrived broken")

        await expect(ana.panel.locator(".handoff p")).to_have_text("Sam is with you now")
        await expect(ana.panel.locator(".thinking")).to_have_count(0)
        await ana.page.reload()
        await ana.opens_chat()
        await expect(ana.panel.locator(".person .who")).to_contain_text("Sam")
        await ana.button("Back to the assistant").click()

        await expect(ana.log.locator("article").last).to_contain_text(
            "This is Robin, the automated assistant, again."
        )
        await sam.hears("conversation", state=None)
        await ana.says("When are you open?")
        await expect(ana.log.locator("article").last).to_contain_text("Monday")

    assert asked["why"] == "Can I speak to a person?"
    assert heard["message"]["from"] == "customer"
    assert ana.complaints == []
