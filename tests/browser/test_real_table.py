"""A tool whose narration is a Markdown table, with the real assistant and the page."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import expect

from tests.browser.conftest import Arrive
from tests.browser.real import served

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session"), pytest.mark.slow]

LONG = "Progressive lenses with a blue-light filter and an anti-reflective coating"
TOOL = f'''"""The statement of account."""

from assistant import Customer, tool


@tool(
    waiting_hint="preparing your statement of account",
    examples=["show me my statement of account", "statement of account", "When are you open?"],
    narration="""
        Here is your statement:

        | For | Due | Amount |
        | --- | --- | ---: |
        {{% for row in value %}}| {{{{ row["for"] }}}} | {{{{ row.due | day }}}} | {{{{ row.amount | money }}}} |
        {{% endfor %}}

        Please pay in time.
    """,
)
async def get_statement(customer: Customer) -> list[dict[str, str]]:
    """Give the customer's statement of account."""
    return [
        {{"for": "{LONG}", "due": "2026-12-01", "amount": "1150.00"}},
        {{"for": "Eye test", "due": "2026-12-15", "amount": "60.00"}},
    ]
'''


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def port(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[int]:
    folder: Path = tmp_path_factory.mktemp("table")
    (folder / "tools").mkdir()
    (folder / "tools" / "statement.py").write_text(TOOL)
    tools = str(folder / "tools")
    async with served(folder / "data", ASSISTANT_NOW="2026-11-21T10:00", ASSISTANT_TOOLS_DIR=tools) as found:
        yield found


@pytest.mark.parametrize(("width", "height"), [(320, 568), (1280, 800)])
async def test_a_table_in_a_narration_is_a_table_in_the_chat(
    arrive: Arrive, port: int, width: int, height: int
) -> None:
    ana = await arrive(f"http://127.0.0.1:{port}/", width=width, height=height)
    await ana.opens_chat()

    await ana.says("Show me my statement of account")

    answer = ana.log.locator("article").last.locator(".bubble")
    await expect(answer.locator("p")).to_have_text(["Here is your statement:", "Please pay in time."])
    rows = answer.locator("tr")
    cells = [await rows.nth(at).locator("th, td").all_inner_texts() for at in range(await rows.count())]
    assert cells == [
        ["For", "Due", "Amount"],
        [LONG, "Tuesday, December 1", "$1,150"],
        ["Eye test", "Tuesday, December 15", "$60"],
    ]
    assert await ana.page.evaluate("() => document.documentElement.scrollWidth") <= width
    assert await answer.evaluate("node => node.scrollWidth <= node.clientWidth")
    assert ana.complaints == []
