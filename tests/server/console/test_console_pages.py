"""The console's page and files: where they are, and what browsers may do with them."""

from collections.abc import AsyncGenerator, Mapping
from pathlib import Path

import pytest

from tests.server.console.browser import Office, open_office
from tests.server.running_server import new_server, opened

PAGE = '<!doctype html><script type="module" src="/console/console.js"></script>'


@pytest.fixture
async def served(tmp_path: Path) -> AsyncGenerator[Office, None]:
    bundle = tmp_path / "web" / "dist" / "console"
    bundle.mkdir(parents=True)
    (bundle / "index.html").write_text(PAGE)
    (bundle / "console.js").write_text("export {}")
    (bundle / "screen-0A1B2C3D.js").write_text("export {}")
    async with open_office(tmp_path, web_dir=tmp_path / "web") as office:
        yield office


async def get(office: Office, path: str, **headers: str) -> tuple[int, str, Mapping[str, str]]:
    http = (await office.browser()).http
    async with http.get(
        f"http://127.0.0.1:{office.server.port}{path}", headers=headers, allow_redirects=False
    ) as answer:
        return answer.status, await answer.text(), answer.headers


@pytest.mark.parametrize(
    "path", ["", "/", "/link", "/people", "/conversations/c-1", "/customers/ana.b", "/index.html"]
)
async def test_each_view_is_the_page(served: Office, path: str) -> None:
    status, text, headers = await get(served, f"/console{path}")

    assert (status, text) == (200, PAGE)
    assert headers["Content-Type"] == "text/html; charset=utf-8"
    assert headers["Cache-Control"] == "no-cache"


async def test_nothing_foreign_runs_and_no_page_frames_it(served: Office) -> None:
    _, _, headers = await get(served, "/console/people")

    policy = dict(part.split(" ", 1) for part in headers["Content-Security-Policy"].split("; "))
    assert policy.pop("connect-src").split()[0] == "'self'"
    assert policy == {
        "default-src": "'none'", "script-src": "'self'", "style-src": "'self'", "img-src": "'self'",
        "font-src": "'self'", "base-uri": "'none'", "form-action": "'none'", "frame-ancestors": "'none'",
    }  # fmt: skip
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert headers["X-Content-Type-Options"] == "nosniff"


async def test_its_files_have_their_types_and_are_cached(served: Office) -> None:
    _, text, headers = await get(served, "/console/console.js")
    assert (text, headers["Content-Type"]) == ("export {}", "text/javascript; charset=utf-8")
    assert (await get(served, "/console/console.js", **{"If-None-Match": headers["ETag"]}))[0] == 304

    _, _, headers = await get(served, "/console/screen-0A1B2C3D.js")
    assert headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert headers["Content-Security-Policy"].endswith("frame-ancestors 'none'")


@pytest.mark.parametrize("path", ["missing.js", "icons/missing.svg", "api", "api/nothing", "../../staff.db"])
async def test_what_is_not_there_is_not_the_page(served: Office, path: str) -> None:
    assert (await get(served, f"/console/{path.replace('..', '%2e%2e')}"))[0] == 404


async def test_without_its_files_the_console_says_so(tmp_path: Path) -> None:
    (tmp_path / "web").mkdir()
    async with open_office(tmp_path, web_dir=tmp_path / "web") as office:
        status, text, _ = await get(office, "/console/people")

    assert (status, text) == (
        404,
        "This installation has no pages for the console: its files were not built. Run `make web`.\n",
    )


async def test_where_the_console_is_off_there_is_nothing_of_it(served: Office, tmp_path: Path) -> None:
    async with opened(new_server(), web_dir=tmp_path / "web") as server:
        home = f"http://127.0.0.1:{server.port}/console"
        http = (await served.browser()).http
        for path in ("", "/people", "/console.js", "/index.html", "/api/session"):
            async with http.get(f"{home}{path}") as answer:
                assert answer.status == 404
