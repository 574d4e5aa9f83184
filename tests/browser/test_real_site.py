"""A company's site on another origin, with the real assistant behind its chat."""

import json
import time
import uuid
from collections.abc import AsyncGenerator
from typing import NamedTuple

import jwt
import pytest
import pytest_asyncio
from playwright.async_api import Page, expect

from tests.browser.conftest import Arrive
from tests.browser.fake_server import FakeServer
from tests.browser.real import served
from tests.browser.visitor import Visitor

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session"), pytest.mark.slow]

SECRET = "known-to-the-shops-site-and-to-the-chat"
UNAVAILABLE = "The chat is not available here."


class Place(NamedTuple):
    """A site, and the port of the assistant that lets it in."""

    site: FakeServer
    port: int


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def place(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Place]:
    """A site that is listed, and shares a secret with the assistant."""
    data = tmp_path_factory.mktemp("data")
    async with FakeServer().running() as site:
        origin = f"http://127.0.0.1:{site.port}"
        async with served(data, ASSISTANT_ALLOWED_ORIGINS=origin, ASSISTANT_SITE_SECRET=SECRET) as port:
            yield Place(site, port)


def _token(customer: str = "demo", *, secret: str = SECRET, ends_in_s: int = 300) -> str:
    now = int(time.time())
    claims: dict[str, str | int] = {"aud": "meanwhile", "sub": customer, "iat": now - 600, "name": "Anna"}
    claims |= {"exp": now + ends_in_s, "jti": str(uuid.uuid4())}
    return jwt.encode(claims, secret, algorithm="HS256")  # pyright: ignore[reportUnknownMemberType]


async def _signed_in(arrive: Arrive, place: Place, token: str) -> Visitor:
    """A customer on the site, which vouches for them with this token; the chat is open."""
    at = f"http://127.0.0.1:{place.port}"
    page = f"""<!doctype html><title>shop</title>
        <script>
            window.told = [];
            window.Meanwhile = [["setUser", {json.dumps(token)}],
                ["on", "customer", one => told.push([one.id, one.level, one.name])],
                ["on", "error", one => told.push(one.code)]];
        </script>
        <script type="module" src="{at}/meanwhile-chat.js" crossorigin></script>
        <meanwhile-chat open></meanwhile-chat>"""
    policy = f"default-src 'none'; script-src 'unsafe-inline' {at}; connect-src {at.replace('http', 'ws')}"
    place.site.hosts["/shop"] = (page, policy)
    visitor = await arrive(f"{place.site.url}shop")
    await visitor.visits()
    return visitor


async def _told(visitor: Visitor) -> object:
    await visitor.page.wait_for_function("() => told.length > 0")
    return await visitor.page.evaluate("() => told")


async def test_a_customer_has_the_sites_identity_also_after_a_reload(arrive: Arrive, place: Place) -> None:
    anna = await _signed_in(arrive, place, _token("c-17"))
    assert await _told(anna) == [["c-17", "signed_in", "Anna"]]
    await anna.says("When are you open?")
    await expect(anna.log.locator("article").last).to_contain_text("6 pm")
    said = await anna.log.locator("article").all_text_contents()

    # The site still has the page with the same token in it: it is not needed, and not shown again.
    await anna.visits()

    assert await _told(anna) == [["c-17", "signed_in", "Anna"]]
    await anna.sees(*said)
    assert anna.complaints == []


@pytest.mark.parametrize(
    ("token", "code"),
    [
        pytest.param(_token(secret="somebody else's idea of a shared secret"), "user_refused", id="forged"),
        pytest.param(_token(ends_in_s=-300), "user_expired", id="expired"),
        pytest.param("nonsense", "user_refused", id="nonsense"),
    ],
)
async def test_a_forged_token_opens_nothing(arrive: Arrive, place: Place, token: str, code: str) -> None:
    anna = await _signed_in(arrive, place, token)
    assert await _told(anna) == [code]
    await expect(anna.panel.locator(".link")).to_have_text(UNAVAILABLE)


async def test_a_used_token_opens_nothing_in_another_browser(arrive: Arrive, place: Place) -> None:
    token = _token("c-18")
    anna = await _signed_in(arrive, place, token)
    assert await _told(anna) == [["c-18", "signed_in", "Anna"]]
    await anna.page.evaluate("() => localStorage.clear()")

    await anna.visits()

    assert await _told(anna) == ["user_replayed"]
    await expect(anna.panel.locator(".link")).to_have_text(UNAVAILABLE)


async def test_an_unlisted_site_gets_no_chat(arrive: Arrive, place: Place, page: Page) -> None:
    async with FakeServer().running() as stranger:
        async with page.expect_console_message(lambda message: "CORS" in message.text):
            anna = await _signed_in(arrive, Place(stranger, place.port), _token())
        await expect(anna.page.locator("meanwhile-chat")).to_have_count(1)
        await expect(anna.launcher).to_have_count(0)
