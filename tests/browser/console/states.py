"""Every screen of the console in each of its states, in the account's language."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TypeAlias

from playwright.async_api import expect

from tests.browser.console.console_page import ConsolePage
from tests.browser.console.fake_console import ANA, BEN, NOON, FakeConsole, FakePerson, Refused

State: TypeAlias = Callable[[ConsolePage, FakeConsole], Awaitable[None]]

DAY_MS = 86_400_000
LONG = FakePerson(
    id="a3",
    login="maximiliane.schwarzenberger@kundenbetreuung.example.com",
    name="Maximiliane Schwarzenberger",
    roles=["agent", "editor", "analyst"],
    seen=NOON - 3 * DAY_MS,
)
KIM = FakePerson(id="a4", login="kim", name="kim", roles=[], disabled=True, seen=NOON - 90 * DAY_MS)
JOE = FakePerson(id="a5", login="joe@example.com", name="Joe", roles=["agent"], seen=None)


async def design(console: ConsolePage, server: FakeConsole) -> None:
    """Everything that screens are made of."""
    await console.open("/design")
    await expect(console.page.locator(".measured").first).not_to_be_empty()


async def sign_in(console: ConsolePage, server: FakeConsole) -> None:
    """The form, with the identity provider."""
    server.oidc = "Keycloak"
    await console.open()
    await expect(console.page.locator("#sign-in")).to_be_visible()


async def wrong_password(console: ConsolePage, server: FakeConsole) -> None:
    """The form, after a wrong password."""
    await sign_in(console, server)
    await _send_form(console, "wrong")
    await expect(console.problem).to_be_visible()


async def empty_form(console: ConsolePage, server: FakeConsole) -> None:
    """The form, with what is missing."""
    await sign_in(console, server)
    await console.page.keyboard.press("Enter")
    await console.page.locator("#sign-in .primary").click()
    await expect(console.page.locator(".field .problem")).to_have_count(2)


async def unreachable(console: ConsolePage, server: FakeConsole) -> None:
    """The server does not answer."""
    server.failures["GET session"] = Refused(503, "", "")
    await console.open()
    await expect(console.problem).to_be_visible()


async def link(console: ConsolePage, server: FakeConsole) -> None:
    """The page of a one-time link."""
    await console.open(f"/link#{server.make_link(ANA.id)}")
    await expect(console.page.locator(".primary")).to_be_visible()


async def used_link(console: ConsolePage, server: FakeConsole) -> None:
    """The page of a link that was used."""
    await console.open("/link#used")
    await console.page.locator(".primary").click()
    await expect(console.problem).to_be_visible()


async def new_password(console: ConsolePage, server: FakeConsole) -> None:
    """Choosing a password after a link."""
    await link(console, server)
    await console.page.locator(".primary").click()
    await expect(console.page.locator("#password-form")).to_be_visible()


async def planned(console: ConsolePage, server: FakeConsole) -> None:
    """A place that is not built."""
    await _signed_in(console, server, "/reports")


async def conversations(console: ConsolePage, server: FakeConsole) -> None:
    """Conversations with every outcome, on the first of two pages."""
    server.conversations.fill(60)
    await _signed_in(console, server, "/conversations")
    await expect(console.page.locator(".found-row")).to_have_count(50)


async def no_conversations(console: ConsolePage, server: FakeConsole) -> None:
    """A list without any."""
    await _signed_in(console, server, "/conversations")
    await expect(console.page.locator(".empty")).to_be_visible()


async def conversation(console: ConsolePage, server: FakeConsole) -> None:
    """A conversation with everything that a timeline shows."""
    await _signed_in(console, server, f"/conversations/{server.conversations.add_eventful()}")
    await expect(console.page.locator("section.turn")).to_have_count(5)


async def request(console: ConsolePage, server: FakeConsole) -> None:
    """A request in sections, with the reply and what was held back."""
    await conversation(console, server)
    await console.page.locator(".linklike").nth(2).click()
    await console.page.locator(".request-part summary").first.click()
    await expect(console.page.locator(".request-part pre").first).to_be_visible()


async def copied_test(console: ConsolePage, server: FakeConsole) -> None:
    """A conversation as a test that does not pass."""
    await conversation(console, server)
    await console.page.locator(".conversation .head button.button").click()
    await expect(console.page.locator("#test-text")).to_be_visible()
    widths = "node => [node.scrollWidth, node.clientWidth]"
    inner, outer = await console.dialog.evaluate(widths)
    assert inner <= outer


async def replayed(console: ConsolePage, server: FakeConsole) -> None:
    """A conversation next to its replay, in which one turn differs."""
    name = server.conversations.add_eventful()
    await _signed_in(console, server, f"/conversations/{name}?try=replay")
    await expect(console.page.locator(".differences")).to_be_visible()


async def what_if(console: ConsolePage, server: FakeConsole) -> None:
    """A turn with other outcomes, and what came of it."""
    name = server.conversations.add_eventful()
    await _signed_in(console, server, f"/conversations/{name}?try=t1")
    await console.page.locator(".what-if select").nth(0).select_option("failed")
    await console.page.locator(".what-if select").nth(1).select_option("value")
    await console.page.locator(".what-if .primary").click()
    await expect(console.page.locator(".differences")).to_be_visible()


async def no_conversation_fits(console: ConsolePage, server: FakeConsole) -> None:
    """A search with all filters open that finds nothing."""
    server.conversations.fill(3)
    await _signed_in(console, server, "/conversations?q=zebra&customer=zoe&since=2026-11-01")
    await expect(console.page.locator(".empty")).to_be_visible()


async def no_conversation(console: ConsolePage, server: FakeConsole) -> None:
    """The address of a conversation that was erased."""
    await _signed_in(console, server, "/conversations/k999")
    await expect(console.page.locator(".empty")).to_be_visible()


async def unknown(console: ConsolePage, server: FakeConsole) -> None:
    """An address that leads nowhere."""
    await _signed_in(console, server, "/nothing")


async def no_role(console: ConsolePage, server: FakeConsole) -> None:
    """An account that may see nothing."""
    server.people[ANA.id] = replace(server.people[ANA.id], roles=[])
    await _signed_in(console, server, "")


async def menu(console: ConsolePage, server: FakeConsole) -> None:
    """The account's menu."""
    await _signed_in(console, server, "/inbox")
    await _show_places(console)
    await console.page.locator(".account-button").click()
    await expect(console.page.locator("#account-menu")).to_be_visible()


async def places(console: ConsolePage, server: FakeConsole) -> None:
    """The navigation, which a phone opens over the screen."""
    server.sample = True
    await _signed_in(console, server, "/inbox")
    await _show_places(console)


async def shortcuts(console: ConsolePage, server: FakeConsole) -> None:
    """All keyboard shortcuts."""
    await _signed_in(console, server, "/people")
    await console.page.keyboard.press("?")
    await expect(console.dialog).to_be_visible()


async def account(console: ConsolePage, server: FakeConsole) -> None:
    """The own account, with what is missing."""
    await _signed_in(console, server, "/account")
    await console.page.locator("#password-form .primary").click()
    await expect(console.page.locator(".field .problem")).to_be_visible()


async def people(console: ConsolePage, server: FakeConsole) -> None:
    """People in every state."""
    await _signed_in(console, server, "/people")
    await expect(console.page.locator("tbody tr")).to_have_count(5)


async def people_not_found(console: ConsolePage, server: FakeConsole) -> None:
    """A search that finds no one."""
    await people(console, server)
    await console.page.locator("#search").fill("zoe")
    await expect(console.page.locator(".empty")).to_be_visible()


async def people_failed(console: ConsolePage, server: FakeConsole) -> None:
    """A list that could not be loaded."""
    server.failures["GET people"] = Refused(500, "", "")
    await _signed_in(console, server, "/people")
    await expect(console.problem).to_be_visible()


async def new_person(console: ConsolePage, server: FakeConsole) -> None:
    """The form for a person, with what is missing."""
    await people(console, server)
    await console.page.locator(".head .primary").click()
    await console.dialog.locator(".primary").click()
    await expect(console.page.locator(".field .problem")).to_have_count(3)


async def new_link(console: ConsolePage, server: FakeConsole) -> None:
    """A one-time link, to be copied."""
    await people(console, server)
    await console.row(LONG.name).get_by_role("button").nth(1).click()
    await console.dialog.locator(".primary").click()
    await console.page.locator("#link").wait_for()


async def disabling(console: ConsolePage, server: FakeConsole) -> None:
    """The question before a person is disabled."""
    await people(console, server)
    await console.row(LONG.name).get_by_role("button").nth(2).click()
    await expect(console.dialog.locator(".danger")).to_be_visible()


async def disabled(console: ConsolePage, server: FakeConsole) -> None:
    """The message afterwards, with the offer to undo."""
    await disabling(console, server)
    await console.dialog.locator(".danger").click()
    await expect(console.toast).to_be_visible()


async def audit(console: ConsolePage, server: FakeConsole) -> None:
    """Records of all kinds, on the second of three pages."""
    for number in range(120):
        who, object_ = [(BEN, "conversation:7f3a2c51e9d94b0a"), (LONG, f"account:{LONG.id}"), (None, None)][
            number % 3
        ]
        outcome = ["ok", "refused", "failed", "begun"][number % 4]
        detail = "roles: agent, editor" if who is LONG else None
        customer = "customer-0042" if who is BEN else None
        action = ["conversations.read", "people.change", "session.begin"][number % 3]
        server.record(action, who, object=object_, detail=detail, customer=customer, outcome=outcome)
    await _signed_in(console, server, "/audit?before=100")
    await expect(console.page.locator("tbody tr")).to_have_count(50)


async def audit_filtered(console: ConsolePage, server: FakeConsole) -> None:
    """Filters that no record fits."""
    await _signed_in(console, server, "/audit?action=people.link")
    await expect(console.page.locator(".empty")).to_be_visible()


async def approvals(console: ConsolePage, server: FakeConsole) -> None:
    """Changes that wait for approval."""
    server.wait_for_approval()
    server.wait_for_approval("c1.2", amount=4_000_000)
    await _signed_in(console, server, "/approvals")
    await expect(console.page.locator(".approval")).to_have_count(2)


async def waiting_reply(console: ConsolePage, server: FakeConsole) -> None:
    """A reply that waits for a colleague, with its results, and with an edited text."""
    server.wait_for_reply()
    await _signed_in(console, server, "/approvals")
    await console.page.locator("[data-reply] textarea").fill("It is 150 euros.")
    await expect(console.page.locator("[data-reply] .field .hint")).to_be_visible()


async def launching(console: ConsolePage, server: FakeConsole) -> None:
    """The dialog of the launch mode, with replies that are approved."""
    await _signed_in(console, server, "/stop")
    await console.page.locator('[data-item="launch"] button').click()
    await console.dialog.locator("[value=approval]").check()
    await expect(console.dialog.locator("#wait")).to_be_visible()


async def no_approvals(console: ConsolePage, server: FakeConsole) -> None:
    """No change waits."""
    await _signed_in(console, server, "/approvals")
    await expect(console.page.locator(".empty")).to_be_visible()


async def declining(console: ConsolePage, server: FakeConsole) -> None:
    """The question before a change is declined, with what is missing."""
    await approvals(console, server)
    await console.page.locator(".approval").first.get_by_role("button").nth(1).click()
    await console.dialog.locator(".danger").click()
    await expect(console.page.locator(".field .problem")).to_be_visible()


async def stop(console: ConsolePage, server: FakeConsole) -> None:
    """What can be paused, with two things that are, one of which is not there any more."""
    for kind, name, why in (("assistant", "", "Wrong prices since this morning"), ("tool", "old_tool", None)):
        server.paused.append({"kind": kind, "name": name, "by": BEN.name, "since": NOON, "why": why})
    await _signed_in(console, server, "/stop")
    await expect(console.page.locator("tbody tr")).to_have_count(10)


async def stopping(console: ConsolePage, server: FakeConsole) -> None:
    """The question before a tool is paused."""
    await _signed_in(console, server, "/stop")
    await console.page.locator('[data-item="tool cancel_order"] button').click()
    await expect(console.dialog.locator(".danger")).to_be_visible()


async def stopped(console: ConsolePage, server: FakeConsole) -> None:
    """The message afterwards, with the offer to undo."""
    await stopping(console, server)
    await console.dialog.locator(".danger").click()
    await expect(console.toast).to_be_visible()


async def replies(console: ConsolePage, server: FakeConsole) -> None:
    """The canned replies, one in German."""
    named = "Hallo {name}, das können Sie auf der Seite „Meine Bestellungen“ selbst ändern."
    server.replies = [
        {
            "id": "r1",
            "title": "Adresse ändern",
            "text": named,
            "locale": "de",
            "by": "Ana",
            "changed_at": NOON,
        },
        {
            "id": "r2",
            "title": "Hello",
            "text": "Hello {name}, this is {agent}.",
            "locale": "",
            "by": "Ana",
            "changed_at": NOON,
        },
    ]
    await _signed_in(console, server, "/replies")
    await expect(console.page.locator(".reply-row")).to_have_count(2)


async def no_replies(console: ConsolePage, server: FakeConsole) -> None:
    """No canned reply yet."""
    await _signed_in(console, server, "/replies")
    await expect(console.page.locator(".empty")).to_be_visible()


async def editing_a_reply(console: ConsolePage, server: FakeConsole) -> None:
    """The dialog with a reply."""
    await replies(console, server)
    await console.page.locator(".reply-row button").first.click()
    await expect(console.dialog).to_be_visible()


async def ended(console: ConsolePage, server: FakeConsole) -> None:
    """The session has ended above an open dialog."""
    server.oidc = "Keycloak"
    await disabling(console, server)
    server.expire()
    await console.dialog.locator(".danger").click()
    await expect(console.page.locator("#again")).to_be_visible()


async def _signed_in(console: ConsolePage, server: FakeConsole, address: str) -> None:
    server.people |= {one.id: one for one in (LONG, KIM, JOE)}
    await console.open(address)
    await _send_form(console, ANA.password)
    await expect(console.page.locator(".shell h1")).to_be_visible()


async def _send_form(console: ConsolePage, password: str) -> None:
    await console.page.locator("#login").fill(ANA.login)
    await console.page.locator("#password").fill(password)
    await console.page.locator("#password").press("Enter")


async def _show_places(console: ConsolePage) -> None:
    if await console.page.locator(".top").is_visible():
        await console.page.locator(".top button").click()
    await expect(console.places.first).to_be_visible()


STATES: Mapping[str, State] = MappingProxyType(
    {
        state.__name__: state
        for state in (
            design,
            sign_in,
            wrong_password,
            empty_form,
            unreachable,
            link,
            used_link,
            new_password,
            planned,
            conversations,
            no_conversations,
            conversation,
            no_conversation,
            no_conversation_fits,
            request,
            copied_test,
            replayed,
            what_if,
            unknown,
            no_role,
            menu,
            places,
            shortcuts,
            account,
            people,
            people_not_found,
            people_failed,
            new_person,
            new_link,
            disabling,
            disabled,
            audit,
            audit_filtered,
            approvals,
            waiting_reply,
            launching,
            no_approvals,
            declining,
            replies,
            no_replies,
            editing_a_reply,
            stop,
            stopping,
            stopped,
            ended,
        )
    }
)
