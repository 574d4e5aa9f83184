"""A site identifies its customer, and signs them out."""

import json

import pytest
from playwright.async_api import expect

from tests.browser.fake_server import FakeServer, Value, welcome
from tests.browser.scenes import Numbered, snapshot
from tests.browser.site import LISTEN, OPEN_POLICY, introduced, site_token, told
from tests.browser.visitor import Visitor

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def kept(ana: Visitor) -> list[str]:
    """The customers whose conversations this browser knows; visitors have no name."""
    return await ana.page.evaluate("() => Object.keys(localStorage).map(key => key.split(':').at(-1)).sort()")


async def _visits_signed_in(ana: Visitor, server: FakeServer, token: str) -> None:
    """A page that identifies its customer at once, as a site does for a customer who is signed in."""
    signed_in = f"""<!doctype html><title>account</title>
        <script>window.Meanwhile = [["setUser", {json.dumps(token)}]];</script>
        <script type="module" src="/meanwhile-chat.js"></script><meanwhile-chat></meanwhile-chat>"""
    server.hosts["/account"] = (signed_in, OPEN_POLICY)
    await ana.page.goto(f"{server.url}account")
    await expect(ana.launcher).to_be_visible()


async def test_a_customer_is_identified_once_and_stays_known(ana: Visitor, server: FakeServer) -> None:
    await _visits_signed_in(ana, server, site_token("anna"))
    await ana.tells("open")
    line, hello = await introduced(server)
    assert hello["user"] == site_token("anna")
    assert "token" not in hello
    await line.says(welcome(token="anna's", customer={"id": "anna", "level": "signed_in", "name": "Anna"}))
    await expect(ana.button("When are you open?")).to_be_visible()
    assert await kept(ana) == ["anna"]

    sockets: list[str] = []
    ana.page.on("websocket", lambda socket: sockets.append(socket.url))
    await _visits_signed_in(ana, server, site_token("anna", "2"))

    _, hello = await introduced(server)
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
    line, hello = await introduced(server)
    assert hello["user"] == site_token("anna", "0")
    await line.says(welcome(token="anna's"))
    await expect(ana.button("When are you open?")).to_be_visible()

    line.cut()
    line, hello = await introduced(server)
    assert hello["token"] == "anna's"
    await line.says({"type": "error", "code": "token_invalid", "retryable": False, "message": "expired"})
    await line.close(4401)

    line, hello = await introduced(server)
    assert (hello.get("token"), hello["user"]) == (None, site_token("anna", "1"))


async def test_a_refused_token_is_not_sent_again(ana: Visitor, server: FakeServer) -> None:
    await ana.visits()
    await ana.page.evaluate(LISTEN, ["error"])
    await ana.tells("setUser", site_token("anna"))
    await ana.tells("open")
    line, _ = await introduced(server)
    await line.says({"type": "error", "code": "user_replayed", "retryable": False, "message": "used"})
    await line.close(4403)
    await expect(ana.panel.locator(".link")).to_have_text("The chat is not available here.")
    assert await told(ana) == [["error", {"code": "user_replayed", "message": "used"}]]

    await ana.tells("setUser", site_token("anna", "2"))

    _, hello = await introduced(server)
    assert hello["user"] == site_token("anna", "2")


async def test_a_function_whose_tokens_are_refused_is_not_called_forever(
    ana: Visitor, server: FakeServer
) -> None:
    await ana.visits()
    await ana.page.evaluate("token => Meanwhile.setUser(() => token)", site_token("anna"))
    await ana.tells("open")
    for _ in range(2):
        line, _hello = await introduced(server)
        await line.says({"type": "error", "code": "user_refused", "retryable": False, "message": "forged"})
        await line.close(4403)
    await expect(ana.panel.locator(".link")).to_have_text("The chat is not available here.")


async def test_a_site_that_cannot_identify_its_customer_gets_an_error(ana: Visitor) -> None:
    await ana.visits()
    await ana.page.evaluate(LISTEN, ["error"])
    await ana.page.evaluate("() => Meanwhile.setUser(async () => { throw new Error('not signed in'); })")
    await ana.tells("open")
    await ana.page.wait_for_function("() => told.length > 0")
    assert await told(ana) == [["error", {"code": "user_unknown", "message": "Error: not signed in"}]]


@pytest.mark.parametrize("nobody", ["''", "undefined"])
async def test_a_value_that_is_no_token_is_sent_and_the_server_reports_it(
    ana: Visitor, server: FakeServer, nobody: str
) -> None:
    await ana.visits()
    await ana.page.evaluate(f"() => {{ Meanwhile.setUser({nobody}); Meanwhile.open(); }}")
    line, hello = await introduced(server)
    assert hello["user"] == ""
    await line.close(4403)
    await expect(ana.panel.locator(".link")).to_have_text("The chat is not available here.")


async def test_signing_out_forgets_the_customer_and_restores_the_visitor(
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

    line, hello = await introduced(server)
    assert hello["token"] == "t1"
    await line.says(welcome("snapshot"), snapshot(4))
    await ana.sees()
    await expect(ana.field).to_have_value("")
    assert await kept(ana) == [""]
    assert "secret" not in str(await ana.page.evaluate("() => JSON.stringify({...sessionStorage})"))


async def test_signing_out_on_a_later_page_forgets_the_customer_not_the_visitor(
    ana: Visitor, server: FakeServer
) -> None:
    await ana.opens_chat()
    await server.welcomed()
    await expect(ana.button("When are you open?")).to_be_visible()
    await ana.tells("setUser", site_token("anna"))
    await server.welcomed(token="anna's")
    await expect(ana.button("When are you open?")).to_be_visible()
    await ana.field.fill("My secret is")
    await ana.page.wait_for_function("() => JSON.stringify({...sessionStorage}).includes('secret')")

    await ana.visits()
    await ana.tells("setUser", None)

    _, hello = await introduced(server)
    assert hello["token"] == "t1"
    assert await kept(ana) == [""]
    assert "secret" not in str(await ana.page.evaluate("() => JSON.stringify({...sessionStorage})"))


SIGNED_IN: Value = {"id": "anna", "level": "signed_in", "name": "Anna"}


async def test_the_site_is_asked_again_when_tools_lack_a_credential(ana: Visitor, server: FakeServer) -> None:
    await _visits_signed_in(ana, server, site_token("anna"))
    await ana.tells("open")
    line, _ = await introduced(server)
    await line.says(welcome(token="anna's", customer=SIGNED_IN, credential={"expires_in_s": 300}))
    await expect(ana.button("When are you open?")).to_be_visible()

    await _visits_signed_in(ana, server, site_token("anna", "2"))
    line, hello = await introduced(server)
    assert hello["token"] == "anna's"
    await line.says(welcome(token="anna's", customer=SIGNED_IN, credential={"expires_in_s": 0}))

    assert (await line.hears("identity"))["user"] == site_token("anna", "2")


async def test_a_new_token_is_fetched_before_a_credential_expires(ana: Visitor, server: FakeServer) -> None:
    await ana.visits()
    tokens = [site_token("anna", str(n)) for n in range(3)]
    await ana.page.evaluate("all => Meanwhile.setUser(async () => all.shift())", tokens)
    await ana.tells("open")
    line, _ = await introduced(server)
    await line.says(welcome(token="anna's", customer=SIGNED_IN, credential={"expires_in_s": 1}))

    assert (await line.hears("identity"))["user"] == tokens[1]
    await line.says({"type": "identity.renewed", "credential": {"expires_in_s": 1}})
    assert (await line.hears("identity"))["user"] == tokens[2]


async def test_a_page_without_a_function_gets_an_event_and_gives_another_token(
    ana: Visitor, server: FakeServer
) -> None:
    await ana.visits()
    await ana.page.evaluate(LISTEN, ["error"])
    await ana.tells("setUser", site_token("anna"))
    await ana.tells("open")
    line, _ = await introduced(server)
    await line.says(welcome(token="anna's", customer=SIGNED_IN, credential={"expires_in_s": 1}))
    await ana.page.wait_for_function("() => told.length > 0")
    (event,) = await told(ana)
    assert isinstance(event, list)
    error = event[1]
    assert isinstance(error, dict)
    assert error["code"] == "user_expired"

    await ana.tells("setUser", site_token("anna", "2"))

    assert (await line.hears("identity"))["user"] == site_token("anna", "2")
