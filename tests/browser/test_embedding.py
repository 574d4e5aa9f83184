"""The chat on other sites' pages: strict policies, aggressive styles, two copies, and an element that is
removed and added.
"""

import base64
import hashlib
from collections.abc import AsyncGenerator

import pytest
import pytest_asyncio
from playwright.async_api import expect

from tests.browser.conftest import Arrive
from tests.browser.fake_server import WEB, FakeServer
from tests.browser.scenes import Numbered, take_message
from tests.browser.visitor import Visitor

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session"), pytest.mark.slow]

RUDE = """* { all: unset !important }
meanwhile-chat { display: none; visibility: hidden; opacity: 0; filter: blur(9px);
    transform: scale(0); contain: strict; pointer-events: none; direction: rtl; font: 2px/0 fantasy }
button, textarea, dialog, div { position: static !important; width: 0 !important; color: red !important }"""


@pytest_asyncio.fixture(loop_scope="session")
async def shop() -> AsyncGenerator[FakeServer]:
    """A company's web site, which is not the assistant's server."""
    async with FakeServer().running() as site:
        yield site


def _integrity(name: str) -> str:
    digest = hashlib.sha384((WEB / "dist" / name).read_bytes()).digest()
    return f"sha384-{base64.b64encode(digest).decode()}"


def _script(server: FakeServer, attributes: str = "") -> str:
    return (
        f'<script type="module" src="{server.url}meanwhile-chat.js"'
        f' integrity="{_integrity("meanwhile-chat.js")}" crossorigin {attributes}></script>'
    )


def _strict(server: FakeServer, more: str = "") -> str:
    """Only what ``docs/reference/widget.md`` says that the chat needs."""
    at = f"127.0.0.1:{server.port}"
    return f"default-src 'none'; script-src http://{at}; connect-src ws://{at}; {more}"


def _host(shop: FakeServer, server: FakeServer, body: str, more: str = "") -> str:
    """The address of a page with this body on the shop's site."""
    shop.hosts["/shop"] = (f"<!doctype html><title>shop</title><body>{body}", _strict(server, more))
    return f"{shop.url}shop"


async def test_a_page_of_another_origin_needs_two_sources_and_nothing_inline(
    arrive: Arrive, server: FakeServer, shop: FakeServer
) -> None:
    chat = f"{_script(server)}<meanwhile-chat></meanwhile-chat>"
    visitor = await arrive(_host(shop, server, chat))
    frames = Numbered()
    await visitor.opens_chat()
    line = await server.welcomed()
    await visitor.says("When are you open?")
    await take_message(line, frames)
    await line.says(
        frames.tool_started("t1/c1.1", "looking it up"),
        frames.tool_finished("t1/c1.1", "ok"),
        *frames.told("m1", "response", "**Until six.** [More](https://example.com/)\n\n- one\n- two"),
        *frames.asked(),
        frames.turn_completed(),
    )
    await expect(visitor.button("Yes")).to_be_visible()
    await expect(visitor.launcher).to_have_css("border-radius", "50%")
    styled = "node => [...node.querySelectorAll('[style], style, link, img')].map(one => one.outerHTML)"
    assert await visitor.panel.evaluate(styled) == []
    assert visitor.complaints == []


async def test_a_page_may_name_the_script_policies_it_allows(
    arrive: Arrive, server: FakeServer, shop: FakeServer
) -> None:
    chat = f"{_script(server)}<meanwhile-chat></meanwhile-chat>"
    policy = "require-trusted-types-for 'script'; trusted-types meanwhile lit-html"
    visitor = await arrive(_host(shop, server, chat, policy))
    await visitor.opens_chat()
    line = await server.welcomed()
    await line.says(*Numbered().told("m1", "response", "**Hello.**"))
    await expect(visitor.message("Hello.")).to_be_visible()
    assert visitor.complaints == []


async def test_the_script_can_add_the_chat_to_the_page_by_itself(
    arrive: Arrive, server: FakeServer, shop: FakeServer
) -> None:
    visitor = await arrive(_host(shop, server, _script(server, 'data-create data-theme="dark" data-open=""')))
    await visitor.visits()
    await server.welcomed()
    await expect(visitor.panel).to_be_visible()
    assert await visitor.page.locator("meanwhile-chat").get_attribute("theme") == "dark"


async def test_styles_of_the_page_do_not_change_the_chat(
    arrive: Arrive, server: FakeServer, shop: FakeServer
) -> None:
    chat = f"{_script(server)}<meanwhile-chat></meanwhile-chat>"
    looks: list[object] = []
    for style in ("", f"<style>{RUDE}</style>"):
        visitor = await arrive(_host(shop, server, style + chat, "style-src 'unsafe-inline'"))
        await visitor.opens_chat()
        line = await server.welcomed()
        await line.says(*Numbered().told("m1", "response", "Hello."))
        await expect(visitor.message("Hello.")).to_be_visible()
        looks.append(
            await visitor.page.evaluate(
                """() => [...document.querySelector("meanwhile-chat").shadowRoot.querySelectorAll("*")]
                    .filter(node => !node.closest("svg"))
                    .map(node => [node, node.getBoundingClientRect(), getComputedStyle(node)])
                    .map(([node, box, style]) => [node.className, box.x, box.y, box.width, box.height,
                        style.color, style.backgroundColor, style.font, style.visibility, style.cursor])"""
            )
        )
        await visitor.page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
        assert visitor.complaints == []
    assert looks[0] == looks[1]


async def test_two_copies_of_the_script_do_no_harm(
    arrive: Arrive, server: FakeServer, shop: FakeServer
) -> None:
    again = _script(server).replace("chat.js", "chat.js?again")
    chat = "<meanwhile-chat></meanwhile-chat>"
    visitor = await arrive(_host(shop, server, f"{_script(server)}{chat}{again}{_script(server)}{chat}"))
    sockets: list[str] = []
    visitor.page.on("websocket", lambda socket: sockets.append(socket.url))
    await visitor.visits()
    await visitor.page.evaluate("() => Meanwhile.open()")
    line = await server.welcomed()
    await line.says(*Numbered().told("m1", "response", "Hello."))
    await expect(visitor.message("Hello.")).to_be_visible()
    await expect(visitor.launcher).to_have_count(1)
    assert len(sockets) == 1
    assert visitor.complaints == []


async def test_the_second_element_takes_over_when_the_first_is_removed(
    arrive: Arrive, server: FakeServer, shop: FakeServer
) -> None:
    chat = "<meanwhile-chat id=one></meanwhile-chat><meanwhile-chat id=two></meanwhile-chat>"
    visitor = await arrive(_host(shop, server, _script(server) + chat))
    await visitor.opens_chat()
    line = await server.welcomed()
    await visitor.page.evaluate("() => one.remove()")
    assert await line.is_closed() in {1000, 1005}
    await expect(visitor.launcher).to_have_count(1)
    await visitor.page.evaluate("() => Meanwhile.open()")
    await server.welcomed()
    await expect(visitor.panel).to_be_visible()


async def test_the_page_gets_exactly_one_global_name(
    arrive: Arrive, server: FakeServer, shop: FakeServer
) -> None:
    names = "() => Object.getOwnPropertyNames(window)"
    visitor = await arrive(_host(shop, server, ""))
    await visitor.visits()
    before = set(await visitor.page.evaluate(names))
    visitor = await arrive(_host(shop, server, f"{_script(server)}<meanwhile-chat></meanwhile-chat>"))
    await visitor.opens_chat()
    await server.welcomed()
    title = await visitor.page.title()
    after = set(await visitor.page.evaluate(names))
    assert {name for name in after - before if not name.startswith(("lit", "__playwright"))} == {"Meanwhile"}
    assert title == "shop"


async def test_a_removed_element_disconnects_and_a_returning_one_resumes(
    ana: Visitor, server: FakeServer
) -> None:
    frames = Numbered()
    await ana.opens_chat()
    line = await server.welcomed()
    await line.says(*frames.told("m1", "response", "Still here."))
    await ana.sees("Robin: Still here.")
    await ana.page.evaluate("() => (window.chat = document.querySelector('meanwhile-chat')).remove()")
    assert await line.is_closed() in {1000, 1005}

    await ana.page.evaluate("() => document.body.append(window.chat)")

    line = await server.line()
    assert (await line.hears("hello"))["last_seq"] == frames.seq
    await expect(ana.panel).to_be_visible()
    await ana.sees("Robin: Still here.")


async def test_a_page_from_the_browsers_page_cache_connects_again(ana: Visitor, server: FakeServer) -> None:
    frames = Numbered()
    await ana.opens_chat()
    line = await server.welcomed()
    await line.says(*frames.told("m1", "response", "Still here."))
    await ana.sees("Robin: Still here.")

    await ana.page.evaluate("() => dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))")
    assert await line.is_closed() in {1000, 1005}
    await ana.page.evaluate("() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")

    line = await server.line()
    assert (await line.hears("hello"))["last_seq"] == frames.seq


@pytest.mark.parametrize(
    "event", ["window.dispatchEvent(new Event('online'))", "document.dispatchEvent(new Event('resume'))"]
)
async def test_a_connection_that_may_be_dead_is_tested_immediately(
    ana: Visitor, server: FakeServer, event: str
) -> None:
    await ana.opens_chat()
    line = await server.welcomed()
    await expect(ana.button("When are you open?")).to_be_visible()
    await ana.page.evaluate(f"() => {{ {event} }}")
    assert await line.hears("ping") == {"type": "ping"}
    # No pong: the line is given up within seconds, and another one opened.
    again = await server.line()
    assert (await again.hears("hello"))["token"] == "t1"


async def test_a_network_that_returns_is_used_immediately(ana: Visitor, server: FakeServer) -> None:
    await ana.opens_chat()
    line = await server.welcomed()
    await expect(ana.button("When are you open?")).to_be_visible()
    # No attempt comes by itself any more.
    await ana.page.evaluate("() => { window.setTimeout = () => 1; }")
    line.cut()
    await expect(ana.panel.locator(".link")).to_have_text("Connection lost. Reconnecting…")
    await ana.page.evaluate("() => dispatchEvent(new Event('online'))")
    assert (await (await server.line()).hears("hello"))["token"] == "t1"
