"""The widget on the sites of two companies that one server has; the attribute says which company answers."""

from collections.abc import AsyncGenerator

import pytest
import pytest_asyncio
from playwright.async_api import expect

from tests.browser.conftest import Arrive
from tests.browser.fake_server import FakeServer
from tests.browser.visitor import Visitor
from tests.isolation.two_companies import SECRET_WORDS, two_companies

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session"), pytest.mark.slow]


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def site(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[FakeServer]:
    """A site with a page for each company."""
    async with FakeServer().running() as site:
        origin = f"http://127.0.0.1:{site.port}"
        async with two_companies(tmp_path_factory.mktemp("installation"), site=origin) as companies:
            at = f"http://127.0.0.1:{companies.acme.port}"
            socket = at.replace("http", "ws")
            policy = (
                f"default-src 'none'; script-src {at}; connect-src {at} {socket}; style-src 'unsafe-inline'"
            )
            for name in SECRET_WORDS:
                page = f"""<!doctype html><title>{name}</title><h1>{name}</h1>
                    <script type="module" src="{at}/meanwhile-chat.js" crossorigin></script>
                    <meanwhile-chat tenant="{name}" open></meanwhile-chat>"""
                site.hosts[f"/{name}"] = (page, policy)
            yield site


async def test_each_company_answers_on_its_own_page(
    arrive: Arrive, site: FakeServer, tmp_path_factory: pytest.TempPathFactory
) -> None:
    pictures = tmp_path_factory.mktemp("pictures")
    visitors: dict[str, tuple[Visitor, list[str]]] = {}
    for name, word in SECRET_WORDS.items():
        visitor = await arrive(f"{site.url}{name}")
        await visitor.visits()
        file = {"name": f"{name}.txt", "mimeType": "text/plain", "buffer": b"a letter of mine"}
        await visitor.page.locator("meanwhile-chat input[type=file]").set_input_files([file])  # pyright: ignore
        await expect(visitor.page.locator("meanwhile-chat [part~='file-chip']")).to_contain_text("16")
        await visitor.says("Here it is")
        await visitor.says("Fetch my note")
        await expect(visitor.message(f"Here is your note: {word}.")).to_be_visible()
        link = visitor.log.get_by_role("link", name="note.txt")
        address = await link.get_attribute("href")
        assert address is not None
        assert f"/t/{name}/v1/attachments/" in address
        await visitor.page.screenshot(path=pictures / f"{name}.png")
        visitors[name] = visitor, await visitor.log.locator("article").all_text_contents()

    for name, (visitor, said) in visitors.items():
        await visitor.visits()  # both have a conversation in this browser: each goes on with its own
        await visitor.sees(*said)
        for other, word in SECRET_WORDS.items():
            assert (word in "".join(said)) == (other == name)
        assert visitor.complaints == []
