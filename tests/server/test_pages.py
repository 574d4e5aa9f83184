"""The page, the widget's files and the health check."""

from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

import aiohttp
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from assistant.server.pages import content_security_policy
from tests.server.running_server import new_server, opened


@pytest.fixture
async def web(tmp_path: Path) -> AsyncGenerator[aiohttp.ClientSession, None]:
    (tmp_path / "index.html").write_text("<!doctype html><title>Shop</title>")
    for name in ("chat.js", "chat.mjs", "chat.css", "logo.svg", "data.json", "odd.xyz"):
        (tmp_path / name).write_text(f"/* {name} */")
    closed = new_server()
    closed.context = replace(closed.context, origins=frozenset({"https://shop.example"}))
    async with opened(closed, web_dir=tmp_path) as server:
        connector = aiohttp.TCPConnector(force_close=True)
        async with aiohttp.ClientSession(f"http://127.0.0.1:{server.port}", connector=connector) as session:
            yield session


async def test_the_health_check_names_the_model(web: aiohttp.ClientSession) -> None:
    async with web.get("/healthz") as answer:
        assert await answer.json() == {"status": "ok", "model": "offline", "demo": True}


async def test_the_page_has_a_policy_that_allows_nothing_else(web: aiohttp.ClientSession) -> None:
    async with web.get("/") as answer:
        assert "<title>Shop" in await answer.text()
        assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
        policy = answer.headers["Content-Security-Policy"]
        host = answer.url.authority
    assert policy == (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; "
        f"connect-src 'self' ws://{host} wss://{host}; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'self'"
    )


@pytest.mark.parametrize("host", ["a b", "x; script-src *", "", "[::1"])
def test_an_unknown_host_adds_nothing_to_the_policy(host: str) -> None:
    assert "connect-src 'self';" in content_security_policy(host)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("chat.js", "text/javascript; charset=utf-8"),
        ("chat.mjs", "text/javascript; charset=utf-8"),
        ("chat.css", "text/css; charset=utf-8"),
        ("logo.svg", "image/svg+xml"),
        ("data.json", "application/json"),
        ("odd.xyz", "application/octet-stream"),
    ],
)
async def test_every_file_has_its_type(web: aiohttp.ClientSession, name: str, kind: str) -> None:
    async with web.get(f"/{name}") as answer:
        assert answer.headers["Content-Type"] == kind
        assert answer.headers["X-Content-Type-Options"] == "nosniff"


async def test_a_file_in_the_browsers_cache_is_not_sent_again(web: aiohttp.ClientSession) -> None:
    async with web.get("/chat.js") as first:
        tag = first.headers["ETag"]
    async with web.get("/chat.js", headers={"If-None-Match": tag}) as second:
        assert second.status == 304


@pytest.mark.parametrize("path", ["/nothing.js", "/../pyproject.toml", "/%2e%2e/pyproject.toml"])
async def test_no_other_paths_exist(web: aiohttp.ClientSession, path: str) -> None:
    async with web.get(path) as answer:
        assert answer.status == 404


@pytest.mark.parametrize(
    ("origin", "shared"),
    [("https://shop.example", "https://shop.example"), ("https://evil.example", None), ("http://[", None)],
)
async def test_listed_sites_may_load_the_widget(
    web: aiohttp.ClientSession, origin: str, shared: str | None
) -> None:
    async with web.get("/chat.js", headers={"Origin": origin}) as answer:
        assert answer.headers.get("Access-Control-Allow-Origin") == shared


async def test_a_websocket_elsewhere_is_refused(web: aiohttp.ClientSession) -> None:
    async with web.get("/healthz") as answer:
        host = answer.url.authority
    with pytest.raises(InvalidStatus) as refused:
        await connect(f"ws://{host}/elsewhere", proxy=None)
    assert refused.value.response.status_code == 403


@pytest.mark.parametrize(
    ("there", "answers"),
    [
        (["page.html"], {"/page.html": "page.html", "/dist/chat.js": None}),
        (["index.html", "page/frame.html"], {"/": "index.html", "/frame.html": "page/frame.html"}),
        (
            ["index.html", "chat.js", "dist/chat.js", "dist/meanwhile-chat.js", "page/frame.html"],
            {"/": "index.html", "/chat.js": "dist/chat.js"},
        ),
        (
            ["index.html", "old.js", "dist/meanwhile-chat.js", "page/index.html", "src/element.js"],
            {
                "/": "page/index.html",
                "/meanwhile-chat.js": "dist/meanwhile-chat.js",
                "/old.js": None,
                "/src/element.js": None,
            },
        ),
    ],
)
async def test_files_come_from_the_bundle_then_the_pages_then_the_folder(
    tmp_path: Path, there: list[str], answers: dict[str, str | None]
) -> None:
    for name in there:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    async with opened(new_server(), web_dir=tmp_path) as server, aiohttp.ClientSession() as session:
        for path, expected in answers.items():
            async with session.get(f"http://127.0.0.1:{server.port}{path}") as answer:
                assert (await answer.text() if answer.status == 200 else None) == expected


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("icons-0A1B2C3D.js", "public, max-age=31536000, immutable"),
        ("icons.0a1b2c3d.css", "public, max-age=31536000, immutable"),
        ("shop-sections.css", "no-cache"),
        ("meanwhile-chat.js", "no-cache"),
    ],
)
async def test_only_files_named_by_content_are_cached_without_a_request(
    tmp_path: Path, name: str, kept: str
) -> None:
    (tmp_path / name).touch()
    async with (
        opened(new_server(), web_dir=tmp_path) as server,
        aiohttp.ClientSession() as session,
        session.get(f"http://127.0.0.1:{server.port}/{name}") as answer,
    ):
        assert answer.headers["Cache-Control"] == kept


async def test_without_a_folder_there_is_no_page() -> None:
    async with (
        opened(new_server()) as server,
        aiohttp.ClientSession() as session,
        session.get(f"http://127.0.0.1:{server.port}/") as answer,
    ):
        assert answer.status == 404
