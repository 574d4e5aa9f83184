"""What a page can ask of the chat, before and after it has loaded, and what it is told."""

import base64
import json

import pytest
from playwright.async_api import expect

from tests.browser.conftest import Arrive
from tests.browser.fake_server import FakeServer, Frame, Line, Value, welcome
from tests.browser.scenes import Numbered, snapshot, take_message
from tests.browser.visitor import Visitor

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

EVENTS = ["ready", "open", "close", "message", "turn", "unread", "customer", "error"]
LISTEN = """names => {
    window.told = [];
    for (const name of names) Meanwhile.on(name, detail => told.push([name, detail ?? null]));
}"""
EARLY = """<!doctype html><title>shop</title>
<script>
    window.Meanwhile = window.Meanwhile || [];
    Meanwhile.push(["setLocale", "de"], ["open"], ["send", "Hallo"]);
</script>
<script type="module" src="/meanwhile-chat.js" data-create></script>"""
OPEN_POLICY = "default-src 'none'; script-src 'self' 'unsafe-inline'; connect-src 'self'"


def site_token(customer: str, nonce: str = "1") -> str:
    """A token as a site signs it; only a real server would look at the signature."""

    def part(value: dict[str, str]) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

    return f"{part({'alg': 'HS256'})}.{part({'sub': customer, 'jti': nonce})}.c2lnbmVk"


async def told(ana: Visitor) -> list[Value]:
    """What the listeners were told, in order."""
    return await ana.page.evaluate("() => told")


async def kept(ana: Visitor) -> list[str]:
    """The customers whose conversations this browser knows; visitors have no name."""
    return await ana.page.evaluate("() => Object.keys(localStorage).map(key => key.split(':').at(-1)).sort()")


async def _introduced(server: FakeServer) -> tuple[Line, Frame]:
    line = await server.line()
    return line, await line.hears("hello")


async def _visits_signed_in(ana: Visitor, server: FakeServer, token: str) -> None:
    """A page that says at once who is there, as a site does for whoever is signed in."""
    signed_in = f"""<!doctype html><title>account</title>
        <script>window.Meanwhile = [["setUser", {json.dumps(token)}]];</script>
        <script type="module" src="/meanwhile-chat.js"></script><meanwhile-chat></meanwhile-chat>"""
    server.hosts["/account"] = (signed_in, OPEN_POLICY)
    await ana.page.goto(f"{server.url}account")
    await expect(ana.launcher).to_be_visible()


async def test_calls_made_before_the_chat_is_there_are_made_when_it_is(
    arrive: Arrive, server: FakeServer
) -> None:
    server.hosts["/early"] = (EARLY, OPEN_POLICY)
    visitor = await arrive(f"{server.url}early")
    await visitor.visits()

    line = await server.line()

    assert (await line.hears("hello"))["locale"] == "de"
    await line.says(welcome())
    assert (await line.hears("message"))["text"] == "Hallo"
    await expect(visitor.panel).to_be_visible()
    assert visitor.complaints == []


async def test_the_page_opens_and_closes_the_chat(ana: Visitor, server: FakeServer) -> None:
    await ana.visits()
    await ana.tells("open")
    await server.welcomed()
    await expect(ana.panel).to_be_visible()
    await ana.tells("close")
    await expect(ana.panel).to_be_hidden()


async def test_the_page_can_speak_for_the_customer_without_opening_the_chat(
    ana: Visitor, server: FakeServer
) -> None:
    await ana.visits()
    await ana.tells("send", "  Where is my order?  ")
    line = await server.welcomed()
    assert (await line.hears("message"))["text"] == "Where is my order?"
    await expect(ana.panel).to_be_hidden()


async def test_the_page_is_told_what_happens(ana: Visitor, server: FakeServer) -> None:
    frames = Numbered()
    await ana.visits()
    await ana.page.evaluate(LISTEN, EVENTS)
    await ana.tells("open")
    line = await server.welcomed()
    await ana.says("When are you open?")
    await take_message(line, frames)
    await line.says(*frames.told("m1", "response", "Until six."), frames.turn_completed())
    await ana.sees("You: When are you open?", "Robin: Until six.")
    await ana.tells("close")
    await line.says(*frames.told("m2", "response", "Anything else?"))
    await expect(ana.launcher).to_have_accessible_name("Chat with us, 1 new message")

    assert await told(ana) == [
        ["open", None],
        ["customer", {"id": "v1", "level": "anonymous", "name": None}],
        ["message", {"id": "m1", "kind": "response", "text": "Until six.", "interrupted": False}],
        ["turn", {"id": "t1", "how": "answered"}],
        ["close", None],
        ["unread", {"count": 1}],
        ["message", {"id": "m2", "kind": "response", "text": "Anything else?", "interrupted": False}],
    ]


async def test_a_page_that_listens_early_hears_that_the_chat_is_ready(
    arrive: Arrive, server: FakeServer
) -> None:
    early = """<!doctype html><title>shop</title><script>
        window.told = [];
        window.Meanwhile = [["on", "ready", () => told.push("ready")]];
    </script><script type="module" src="/meanwhile-chat.js"></script><meanwhile-chat></meanwhile-chat>"""
    server.hosts["/early"] = (early, OPEN_POLICY)
    visitor = await arrive(f"{server.url}early")
    await visitor.visits()
    await expect(visitor.launcher).to_be_visible()
    assert await told(visitor) == ["ready"]


async def test_a_listener_that_fails_costs_the_others_nothing(ana: Visitor, server: FakeServer) -> None:
    await ana.visits()
    await ana.page.evaluate("() => Meanwhile.on('open', () => { throw new Error('the page is broken'); })")
    await ana.page.evaluate(LISTEN, ["open"])
    await ana.tells("open")
    await server.welcomed()
    await expect(ana.button("When are you open?")).to_be_visible()
    assert await told(ana) == [["open", None]]
    ana.forgive("the page is broken")


async def test_a_listener_can_be_taken_off(ana: Visitor) -> None:
    await ana.visits()
    await ana.page.evaluate(
        """() => {
            window.told = [];
            const listener = () => told.push("open");
            Meanwhile.on("open", listener);
            Meanwhile.off("open", listener);
            Meanwhile.open();
        }"""
    )
    await expect(ana.panel).to_be_visible()
    assert await told(ana) == []


async def test_a_misspelt_call_says_which_there_are(ana: Visitor) -> None:
    await ana.visits()
    said = await ana.page.evaluate(
        "() => { try { Meanwhile.push(['opne']); } catch (e) { return e.message; } }"
    )
    assert "opne" in str(said)
    assert "open" in str(said)


async def test_the_language_can_be_changed_while_the_line_is_open(ana: Visitor, server: FakeServer) -> None:
    await ana.opens_chat()
    await server.welcomed()
    await expect(ana.button("When are you open?")).to_be_visible()

    await ana.tells("setLocale", "de-AT")

    line, hello = await _introduced(server)
    assert (hello["locale"], hello["token"]) == ("de-AT", "t1")
    await line.says(welcome("replay", assistant={"name": "Robin", "greeting": "Grüß Gott!", "starters": []}))
    await expect(ana.panel.get_by_text("Grüß Gott!")).to_be_visible()
    await expect(ana.page.get_by_role("textbox", name="Ihre Nachricht")).to_be_visible()


async def test_the_theme_can_be_set(ana: Visitor, server: FakeServer) -> None:
    await ana.opens_chat()
    await server.welcomed()
    colours: list[str] = []
    for theme in ("dark", "light"):
        await ana.tells("setTheme", theme)
        await expect(ana.page.locator("meanwhile-chat .root")).to_have_attribute("data-theme", theme)
        colours.append(await ana.panel.evaluate("node => getComputedStyle(node).backgroundColor"))
    assert colours[0] != colours[1]


async def test_a_destroyed_chat_is_gone_and_hangs_up(ana: Visitor, server: FakeServer) -> None:
    await ana.opens_chat()
    line = await server.welcomed()
    await expect(ana.button("When are you open?")).to_be_visible()

    await ana.tells("destroy")

    assert await line.is_closed() in {1000, 1005}
    await expect(ana.page.locator("meanwhile-chat")).to_have_count(0)


async def test_a_later_element_is_told_again_what_lasts(ana: Visitor, server: FakeServer) -> None:
    await ana.visits()
    await ana.page.evaluate(LISTEN, ["open"])
    await ana.tells("setUser", site_token("anna"))
    await ana.page.evaluate(
        """async () => {
            document.querySelector("meanwhile-chat").remove();
            await null;
            document.body.append(document.createElement("meanwhile-chat"));
            Meanwhile.open();
        }"""
    )
    _, hello = await _introduced(server)
    assert hello["user"] == site_token("anna")
    assert await told(ana) == [["open", None]]


async def test_a_customer_is_introduced_once_and_known_from_then_on(ana: Visitor, server: FakeServer) -> None:
    await _visits_signed_in(ana, server, site_token("anna"))
    await ana.tells("open")
    line, hello = await _introduced(server)
    assert hello["user"] == site_token("anna")
    assert "token" not in hello
    await line.says(welcome(token="anna's", customer={"id": "anna", "level": "signed_in", "name": "Anna"}))
    await expect(ana.button("When are you open?")).to_be_visible()
    assert await kept(ana) == ["anna"]

    sockets: list[str] = []
    ana.page.on("websocket", lambda socket: sockets.append(socket.url))
    await _visits_signed_in(ana, server, site_token("anna", "2"))

    _, hello = await _introduced(server)
    assert (hello["token"], hello.get("user")) == ("anna's", None)
    await expect(ana.panel).to_be_visible()
    assert len(sockets) == 1


async def test_a_function_is_asked_for_a_token_only_when_one_is_needed(
    ana: Visitor, server: FakeServer
) -> None:
    await ana.visits()
    await ana.page.evaluate(
        """tokens => {
            window.asked = 0;
            Meanwhile.setUser(async () => tokens[asked++]);
        }""",
        [site_token("anna", str(n)) for n in range(4)],
    )
    assert await ana.page.evaluate("() => asked") == 0
    await ana.tells("open")
    line, hello = await _introduced(server)
    assert hello["user"] == site_token("anna", "0")
    await line.says(welcome(token="anna's"))
    await expect(ana.button("When are you open?")).to_be_visible()

    line.cut()
    line, hello = await _introduced(server)
    assert hello["token"] == "anna's"
    await line.says({"type": "error", "code": "token_invalid", "retryable": False, "message": "expired"})
    await line.close(4401)

    line, hello = await _introduced(server)
    assert (hello.get("token"), hello["user"]) == (None, site_token("anna", "1"))


async def test_a_token_that_was_refused_is_not_shown_again(ana: Visitor, server: FakeServer) -> None:
    await ana.visits()
    await ana.page.evaluate(LISTEN, ["error"])
    await ana.tells("setUser", site_token("anna"))
    await ana.tells("open")
    line, _ = await _introduced(server)
    await line.says({"type": "error", "code": "user_replayed", "retryable": False, "message": "used"})
    await line.close(4403)
    await expect(ana.panel.locator(".link")).to_have_text("The chat is not available here.")
    assert await told(ana) == [["error", {"code": "user_replayed", "message": "used"}]]

    await ana.tells("setUser", site_token("anna", "2"))

    _, hello = await _introduced(server)
    assert hello["user"] == site_token("anna", "2")


async def test_a_function_whose_tokens_are_refused_is_not_asked_for_ever(
    ana: Visitor, server: FakeServer
) -> None:
    await ana.visits()
    await ana.page.evaluate("token => Meanwhile.setUser(() => token)", site_token("anna"))
    await ana.tells("open")
    for _ in range(2):
        line, _hello = await _introduced(server)
        await line.says({"type": "error", "code": "user_refused", "retryable": False, "message": "forged"})
        await line.close(4403)
    await expect(ana.panel.locator(".link")).to_have_text("The chat is not available here.")


async def test_a_site_that_cannot_say_who_is_there_is_told_so(ana: Visitor) -> None:
    await ana.visits()
    await ana.page.evaluate(LISTEN, ["error"])
    await ana.page.evaluate("() => Meanwhile.setUser(async () => { throw new Error('not signed in'); })")
    await ana.tells("open")
    await ana.page.wait_for_function("() => told.length > 0")
    assert await told(ana) == [["error", {"code": "user_unknown", "message": "Error: not signed in"}]]


@pytest.mark.parametrize("nobody", ["''", "undefined"])
async def test_what_is_no_token_at_all_is_shown_to_the_server_which_says_so(
    ana: Visitor, server: FakeServer, nobody: str
) -> None:
    await ana.visits()
    await ana.page.evaluate(f"() => {{ Meanwhile.setUser({nobody}); Meanwhile.open(); }}")
    line, hello = await _introduced(server)
    assert hello["user"] == ""
    await line.close(4403)
    await expect(ana.panel.locator(".link")).to_have_text("The chat is not available here.")


async def test_signing_out_forgets_the_customer_and_brings_the_visitor_back(
    ana: Visitor, server: FakeServer
) -> None:
    frames = Numbered()
    await ana.opens_chat()
    line = await server.welcomed()
    await line.says(*frames.told("m1", "response", "Hello, whoever you are."))
    await ana.sees("Robin: Hello, whoever you are.")
    await ana.tells("setUser", site_token("anna"))
    line = await server.welcomed(token="anna's")
    await line.says(*Numbered().told("m1", "response", "Hello, Anna."))
    await ana.sees("Robin: Hello, Anna.")
    await ana.field.fill("My secret is")
    assert await kept(ana) == ["", "anna"]

    await ana.tells("setUser", None)

    line, hello = await _introduced(server)
    assert hello["token"] == "t1"
    await line.says(welcome("snapshot"), snapshot(4))
    await ana.sees()
    await expect(ana.field).to_have_value("")
    assert await kept(ana) == [""]
    assert "secret" not in str(await ana.page.evaluate("() => JSON.stringify({...sessionStorage})"))


async def test_signing_out_on_a_later_page_forgets_too_and_leaves_the_visitor(
    ana: Visitor, server: FakeServer
) -> None:
    await ana.opens_chat()
    await server.welcomed()
    await ana.tells("setUser", site_token("anna"))
    await server.welcomed(token="anna's")
    await ana.field.fill("My secret is")
    await ana.page.wait_for_function("() => JSON.stringify({...sessionStorage}).includes('secret')")

    await ana.visits()
    await ana.tells("setUser", None)

    _, hello = await _introduced(server)
    assert hello["token"] == "t1"
    assert await kept(ana) == [""]
    assert "secret" not in str(await ana.page.evaluate("() => JSON.stringify({...sessionStorage})"))
