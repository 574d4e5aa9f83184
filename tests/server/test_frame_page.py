"""The chat alone on a page, and the sites that may show it."""

from dataclasses import replace
from pathlib import Path

import aiohttp
import pytest

from assistant.server.pages import frame_page
from assistant.shipped import shipped
from tests.server.running_server import new_server, opened

SHOPS = frozenset({"https://shop.example", "https://other.example:8443"})


async def test_only_listed_sites_may_show_it_and_talk_to_it() -> None:
    closed = new_server()
    closed.context = replace(closed.context, origins=SHOPS)
    async with (
        opened(closed, web_dir=shipped("web")) as server,
        aiohttp.ClientSession() as session,
        session.get(f"http://127.0.0.1:{server.port}/frame") as answer,
    ):
        page, headers, host = await answer.text(), answer.headers, answer.url.authority
    assert '<meta name="meanwhile-origins" content="https://other.example:8443 https://shop.example">' in page
    assert headers["Content-Type"] == "text/html; charset=utf-8"
    assert headers["Cache-Control"] == "no-cache"
    assert headers["Content-Security-Policy"] == (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; "
        f"connect-src 'self' ws://{host} wss://{host}; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'self' https://other.example:8443 https://shop.example"
    )


def test_a_name_in_the_list_cannot_become_part_of_the_page() -> None:
    page = frame_page(shipped("web") / "page" / "frame.html", "chat.example", ['https://a"><script>hurt()'])
    assert b'content="https://a&quot;&gt;&lt;script&gt;hurt()">' in bytes(page.body)


def test_it_has_nothing_that_a_strict_policy_forbids() -> None:
    page = (shipped("web") / "page" / "frame.html").read_text()
    assert "<script>" not in page
    assert "<style" not in page
    assert "style=" not in page
    assert "onload" not in page


@pytest.mark.parametrize("path", ["/frame.html", "/"])
async def test_other_pages_are_shown_only_by_our_own(tmp_path: Path, path: str) -> None:
    (tmp_path / "page").mkdir()
    for name in ("frame.html", "index.html"):
        (tmp_path / "page" / name).touch()
    closed = new_server()
    closed.context = replace(closed.context, origins=SHOPS)
    async with (
        opened(closed, web_dir=tmp_path) as server,
        aiohttp.ClientSession() as session,
        session.get(f"http://127.0.0.1:{server.port}{path}") as answer,
    ):
        assert answer.headers["Content-Security-Policy"].endswith("frame-ancestors 'self'")


async def test_without_such_a_page_there_is_none(tmp_path: Path) -> None:
    async with (
        opened(new_server(), web_dir=tmp_path) as server,
        aiohttp.ClientSession() as session,
        session.get(f"http://127.0.0.1:{server.port}/frame") as answer,
    ):
        assert answer.status == 404
