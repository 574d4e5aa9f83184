"""A customer sends a file and asks about it, with the real assistant behind the page."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import FilePayload, expect

from tests.browser.conftest import Arrive
from tests.browser.real import served
from tests.browser.visitor import Visitor

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session"), pytest.mark.slow]

PATIENCE_MS = 20_000
POLICY = b"My insurance\n\nIt pays 80 euros towards new glasses every two years.\n\nThe policy number is WX-4711.\n"
FOUND = """async () => {
    const kept = area => Object.values(area).map(JSON.parse).reduce((all, one) => ({ ...all, ...one }), {});
    const [{ token }, { files }] = [kept(localStorage), kept(sessionStorage)];
    const headers = { Authorization: `Bearer ${token}` };
    const answer = await fetch(`/v1/uploads/${files[0].ref}`, { headers });
    return (await answer.json()).state === "kept";
}"""
"""Whether the file can be found by meaning."""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def port(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[int]:
    """The assistant; the port that it found free."""
    data: Path = tmp_path_factory.mktemp("data")
    async with served(data, ASSISTANT_NOW="2026-11-21T10:00") as found:
        yield found


async def _attaches(ana: Visitor, name: str, content: bytes) -> None:
    async with ana.page.expect_file_chooser() as chosen:
        await ana.button("Attach a file").click()
    file: FilePayload = {"name": name, "mimeType": "application/octet-stream", "buffer": content}
    await (await chosen.value).set_files([file])


async def test_an_answer_from_a_file_names_the_file(arrive: Arrive, port: int) -> None:
    ana = await arrive(f"http://127.0.0.1:{port}/")
    await ana.opens_chat()
    await _attaches(ana, "insurance.txt", POLICY)
    chips = ana.panel.get_by_role("list", name="Files for your message").get_by_role("listitem")
    await expect(chips).to_have_text(["insurance.txt99 bytes"])
    # Asked a moment earlier, it would be loaded whole by a model that does so; the embedded one searches.
    await ana.page.wait_for_function(FOUND, timeout=PATIENCE_MS)

    await ana.says("What is the policy number in my file?")

    answer = ana.log.locator("article", has_text="WX-4711")
    await expect(answer).to_contain_text("insurance.txt", timeout=PATIENCE_MS)
    await ana.page.reload()
    await expect(ana.log.get_by_text("File: insurance.txt")).to_have_count(1)
    await expect(ana.log.locator("article").last).to_contain_text("WX-4711")
    assert ana.complaints == []


async def test_an_unreadable_file_is_refused_in_words(arrive: Arrive, port: int) -> None:
    ana = await arrive(f"http://127.0.0.1:{port}/")
    await ana.opens_chat()

    await _attaches(ana, "letter.pdf", b"%PDF-1.7 and then nothing of the kind")

    chips = ana.panel.get_by_role("list", name="Files for your message").get_by_role("listitem")
    await expect(chips).to_have_text(["letter.pdfNo text could be read in it."], timeout=PATIENCE_MS)
    ana.forgive("422")
