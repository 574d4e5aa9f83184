"""The printed code works when it is copied, and the server's list of sites is checked."""

import asyncio
import re
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from typer.testing import CliRunner

from assistant.cli import app
from assistant.commands.embed import SIGNING_CODE, content_security_policy, embed, frame_tag, introduction
from assistant.errors import DeclarationError
from assistant.server.auth import UserRefused
from assistant.store.sqlite.credentials import SqliteUsedTokens
from tests.commands.conftest import ROOT
from tests.server.running_server import ManualClock
from tests.server.shop import Shop, browser, shop_with, visiting
from tests.server.site import SITE_SECRET, believing


@pytest.fixture(autouse=True)
def settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pytest.MonkeyPatch:
    """Nothing is set but what a test sets."""
    monkeypatch.chdir(tmp_path)
    return monkeypatch


def printed(*words: str, code: int = 0) -> str:
    done = CliRunner().invoke(app, ["embed", *words], catch_exceptions=False)
    assert done.exit_code == code
    return done.output


def to_copy(output: str, after: str) -> str:
    """The indented block that follows the line that begins so."""
    block = re.search(rf"^{re.escape(after)}.*\n\n((?:    .*\n|\n)+)", output, re.MULTILINE)
    assert block
    return dedent(block[1])


def test_it_prints_tags_policy_and_signing_code() -> None:
    output = printed("--server", "https://chat.example/")

    tags = to_copy(output, "On the page")
    assert 'src="https://chat.example/meanwhile-chat.js"' in tags
    assert re.search(r'integrity="sha384-[A-Za-z0-9+/]{64}" crossorigin="anonymous"', tags)
    assert "<meanwhile-chat></meanwhile-chat>" in tags
    assert to_copy(output, "If the page has") == (
        "script-src https://chat.example\nconnect-src wss://chat.example https://chat.example\n\n"
    )
    assert to_copy(output, "If your customers").strip() == SIGNING_CODE.strip()


def test_the_frame_needs_no_script_of_ours_on_the_page() -> None:
    output = printed("--frame", "--server", "https://chat.example")

    assert "meanwhile-chat.js" not in output
    assert '<iframe src="https://chat.example/frame"' in to_copy(output, "On the page")
    assert to_copy(output, "If the page has") == "frame-src https://chat.example\n\n"
    assert '<iframe src="https://chat.example/frame#introduced"' in to_copy(
        output, "and in place of the frame"
    )


def test_one_of_several_companies_is_named_unless_its_host_name_does(tmp_path: Path) -> None:
    (tmp_path / "tenants" / "acme").mkdir(parents=True)

    tags = to_copy(printed("--server", "https://chat.example"), "On the page")
    frame = to_copy(printed("--server", "https://chat.example", "--frame"), "On the page")
    own = to_copy(printed("--server", "http://acme.localhost:8000"), "On the page")

    assert '<meanwhile-chat tenant="acme"></meanwhile-chat>' in tags
    assert 'src="https://chat.example/t/acme/frame"' in frame
    assert "<meanwhile-chat></meanwhile-chat>" in own


@pytest.mark.parametrize(
    ("origins", "site", "code", "verdict"),
    [
        ("https://shop.example", "https://shop.example", 0, "https://shop.example may connect."),
        ("", "https://chat.example", 0, "https://chat.example may connect."),
        (
            "https://shop.example",
            "https://www.shop.example:443/",
            1,
            "https://www.shop.example may NOT connect: "
            "set ASSISTANT_ALLOWED_ORIGINS=https://shop.example,https://www.shop.example",
        ),
        ("", "http://shop.example", 1, "may NOT connect: set ASSISTANT_ALLOWED_ORIGINS=http://shop.example"),
        ("https://shop.example", None, 0, "These sites may connect: https://shop.example"),
        (
            "",
            None,
            0,
            "No other site may connect: name yours in ASSISTANT_ALLOWED_ORIGINS, and here with --origin.",
        ),
    ],
)
def test_it_says_whether_a_site_may_connect(
    settings: pytest.MonkeyPatch, origins: str, site: str | None, code: int, verdict: str
) -> None:
    settings.setenv("ASSISTANT_ALLOWED_ORIGINS", origins)
    words = [] if site is None else ["--origin", site]
    assert verdict in printed("--server", "https://chat.example", *words, code=code)


@pytest.mark.parametrize("secret", ["", "a secret that is long enough to be one"])
def test_it_says_when_no_site_can_identify_customers(settings: pytest.MonkeyPatch, secret: str) -> None:
    settings.setenv("ASSISTANT_SITE_SECRET", secret)
    assert ("ASSISTANT_SITE_SECRET is not set" in printed()) is (not secret)


@pytest.mark.parametrize("option", ["--server", "--origin"])
def test_a_value_that_is_no_origin_is_refused(option: str) -> None:
    with pytest.raises(DeclarationError, match=rf"^{option} 'shop.example/chat': not a web origin; write"):
        printed(option, "shop.example/chat")


def test_a_missing_build_of_the_widget_is_reported(tmp_path: Path) -> None:
    with pytest.raises(DeclarationError, match="npm run build"):
        embed(server="https://chat.example", site=None, framed=False, bundle=tmp_path)


async def test_the_token_of_the_signing_example_is_accepted_once(
    settings: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    settings.setenv("ASSISTANT_SITE_SECRET", SITE_SECRET.decode())
    site: dict[str, Any] = {}
    exec(to_copy(printed(), "If your customers"), site)  # noqa: S102 - that is what it is printed for
    clock, used = ManualClock(), SqliteUsedTokens(tmp_path / "used.db")
    clock.at_s = site["time"].time()
    tokens = believing(clock, used)

    token = site["chat_token"]("c-17", "Ana")
    introduced = await tokens.redeem(token)
    with pytest.raises(UserRefused):
        await tokens.redeem(token)
    await tokens.redeem(site["chat_token"]("c-17", "Ana"))
    await used.close()

    assert (introduced.customer.id, introduced.customer.name) == ("c-17", "Ana")


def nonced(shop: Shop, *, framed: bool) -> str:
    """The shop's policy: nothing, but for a script of its own and what was printed."""
    own = {"script-src": "'nonce-shop'", "connect-src": "'self'", "frame-src": ""}
    for line in content_security_policy(shop.chat, framed=framed).splitlines():
        name, _, value = line.partition(" ")
        own[name] += f" {value}"
    return "default-src 'none'; " + "; ".join(f"{name} {value}" for name, value in own.items() if value)


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.parametrize("framed", [False, True])
async def test_what_was_printed_works_on_a_page_with_a_strict_policy(tmp_path: Path, framed: bool) -> None:
    words, tags = (["--frame"], "and in place of the frame") if framed else ([], "On the page")

    def home(shop: Shop) -> str:
        output = printed("--server", shop.chat, *words)
        script = to_copy(output, "and in a script of the page")
        return f"""<!doctype html><title>Shop</title>
            <script nonce="shop">{script}</script>{to_copy(output, tags)}"""

    def token(shop: Shop) -> str:
        return shop.site.signs(name="Ana")

    pages = {"/": home, "/chat-token": token}
    async with (
        shop_with(tmp_path, pages, policy=lambda shop: nonced(shop, framed=framed)) as shop,
        browser() as chromium,
        visiting(chromium) as page,
    ):
        complaints: list[str] = []
        page.on("console", lambda message: complaints.append(message.text))
        await page.goto(shop.address)
        chat = page.frames[1] if framed else page
        if not framed:
            await chat.locator("meanwhile-chat button").first.click()
        await chat.locator("meanwhile-chat dialog").wait_for(state="visible")
        async with asyncio.timeout(10):
            while {session.customer.id for session in shop.server.sessions.known.values()} != {"c-17"}:
                await chat.evaluate("() => new Promise(requestAnimationFrame)")
    assert complaints == []


def test_the_guide_shows_what_is_printed() -> None:
    page = (ROOT / "docs" / "guides" / "embedding.md").read_text()
    assert SIGNING_CODE in page
    assert content_security_policy("https://chat.example", framed=False) in page
    for framed in (False, True):
        assert introduction("https://chat.example", framed=framed) in page
    for introduced in (False, True):
        assert frame_tag("https://chat.example", introduced=introduced) in page
