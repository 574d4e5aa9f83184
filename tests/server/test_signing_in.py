"""A customer whom the site identifies, and their conversations."""

from collections.abc import AsyncGenerator, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.conversation.customer import Customer
from assistant.server.auth import Visit
from assistant.store.sqlite.credentials import SqliteUsedTokens
from tests.server.client import Client, Frame
from tests.server.running_server import RunningServer, new_server, opened
from tests.server.site import Site, believing

NewClient = Callable[[], Client]


@pytest.fixture
async def server(tmp_path: Path) -> AsyncGenerator[RunningServer]:
    used = SqliteUsedTokens(tmp_path / "used.db")
    closed = new_server()
    closed.context = replace(closed.context, site=believing(closed.clock, used))
    async with opened(closed) as server:
        yield server
    await used.close()


@pytest.fixture
def site(server: RunningServer) -> Site:
    return Site(server.clock)


async def refused(client: Client, **hello: object) -> tuple[str, int]:
    """The code of the error frame and of the close."""
    await client.dial()
    await client.say(type="hello", **hello)
    error = await client.hear()
    assert (error["type"], error["retryable"]) == ("error", False)
    return error["code"], await client.is_shown_out()


async def test_the_sites_identity_has_priority_over_the_demo_customer(
    server: RunningServer, client: NewClient, site: Site
) -> None:
    welcome = await client().enter(user=site.signs(name="Ana"), locale="de")
    assert welcome["customer"] == {"id": "c-17", "level": "signed_in", "name": "Ana"}
    assert welcome["resumed"] == "new"
    assert server.session.customer == Customer(
        tenant="demo", id="c-17", level="signed_in", name="Ana", locale="de"
    )


async def test_a_signed_in_customer_returns_with_our_own_token(
    server: RunningServer, client: NewClient, site: Site
) -> None:
    ana = client()
    first = await ana.enter(user=site.signs(name="Ana"))
    await ana.says("m1")
    await ana.hear()
    server.clock.advance(2 * 3600)  # the site's token has long ended
    again = await ana.enter()
    assert (again["conversation_id"], again["resumed"]) == (first["conversation_id"], "replay")
    assert again["customer"] == first["customer"]


async def test_the_same_customer_continues_after_a_second_sign_in(client: NewClient, site: Site) -> None:
    ana = client()
    first = await ana.enter(user=site.signs())
    again = await ana.enter(user=site.signs(), conversation_id=first["conversation_id"])
    assert again["conversation_id"] == first["conversation_id"]


@pytest.mark.parametrize(
    "before", ["demo", "anonymous", "another", "same id, not signed in", "expired", "forged"]
)
async def test_with_another_customers_token_a_new_conversation_begins(
    server: RunningServer, client: NewClient, site: Site, before: str
) -> None:
    ana = client()
    earlier = await ana.enter(user=site.signs(sub="c-18") if before == "another" else None)
    await ana.says("m1", "A secret of mine")
    await ana.hear()
    if before == "anonymous":
        visitor = Customer(tenant="demo", id="v1")
        ana.token = server.context.tokens.issue(Visit(customer=visitor, conversation="x"))[0]
    if before == "same id, not signed in":
        visitor = Customer(tenant="demo", id="c-17", level="verified")
        ana.token = server.context.tokens.issue(Visit(customer=visitor, conversation="x"))[0]
    if before == "expired":
        server.clock.advance(40 * 86_400)
    if before == "forged":
        ana.token = "forged"

    now = await ana.enter(user=site.signs())

    assert now["customer"]["id"] == "c-17"
    assert now["resumed"] == "new"
    assert now["conversation_id"] not in {earlier["conversation_id"], "x"}
    assert (await ana.enter())["conversation_id"] == now["conversation_id"]


async def test_a_conversation_other_than_the_tokens_is_not_continued(client: NewClient, site: Site) -> None:
    ana = client()
    first = await ana.enter(user=site.signs())
    now = await ana.enter(user=site.signs(), conversation_id="another")
    assert now["conversation_id"] not in {first["conversation_id"], "another"}


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"aud": "shop"}, "user_refused"),
        ({"exp": 1_800_000_000 + 7200}, "user_refused"),
        ({"exp": 1_800_000_000 - 60}, "user_expired"),
        ({"how": {"key": b"what somebody else knows, which is not it"}}, "user_refused"),
    ],
)
async def test_an_invalid_frame_closes_the_socket_and_a_client_may_reconnect(
    server: RunningServer, client: NewClient, site: Site, changed: dict[str, object], code: str
) -> None:
    ana = client()
    assert await refused(ana, user=site.signs(**changed)) == (code, 4403)  # pyright: ignore[reportArgumentType]
    assert not server.sessions.known
    assert (await ana.enter())["customer"]["level"] == "verified"


async def test_a_replayed_token_opens_nothing_even_with_a_session_token(
    server: RunningServer, client: NewClient, site: Site
) -> None:
    token = site.signs()
    ana, thief = client(), client()
    await ana.enter(user=token)
    assert await refused(thief, user=token) == ("user_replayed", 4403)
    assert await refused(thief, user=token, token=ana.token) == ("user_replayed", 4403)
    assert len(server.sessions.known) == 1


async def test_of_two_concurrent_sockets_with_one_token_one_is_accepted(
    server: RunningServer, client: NewClient, site: Site
) -> None:
    token = site.signs()
    both = [client(), client()]
    for one in both:
        await one.dial()
    for one in both:
        await one.say(type="hello", user=token)
    answers: list[Frame] = [await one.hear() for one in both]
    assert sorted(answer["type"] for answer in answers) == ["error", "welcome"]
    assert len(server.sessions.known) == 1


async def test_a_huge_token_makes_the_hello_invalid(client: NewClient, site: Site) -> None:
    assert await refused(client(), user=site.signs(name="x" * 20_000)) == ("bad_frame", 4400)


async def test_a_server_without_a_site_says_so(site: Site) -> None:
    async with opened(new_server()) as server:
        ana = Client(server)
        assert await refused(ana, user=site.signs()) == ("user_unavailable", 4403)
        assert "ASSISTANT_SITE_SECRET" in ana.heard[-1]["message"]
        await ana.enter()


async def test_our_tokens_and_the_sites_tokens_are_different(client: NewClient, site: Site) -> None:
    ana = client()
    await ana.enter(user=site.signs())
    assert await refused(client(), token=site.signs()) == ("token_invalid", 4401)
    assert await refused(client(), user=ana.token) == ("user_refused", 4403)


async def test_the_customers_language_has_priority_over_the_pages(
    server: RunningServer, client: NewClient, site: Site
) -> None:
    ana = client()
    await ana.enter(user=site.signs(locale="de-AT"), locale="en")
    await ana.says("m1")
    await ana.hear()
    await ana.enter(locale="en")
    await ana.says("m2")
    await ana.hear()
    await ana.say(type="message", id="m3", text="Hi", locale="fr")
    await ana.hear()
    assert [said.locale for said in server.session.customer_said] == ["de-AT", "de-AT", "fr"]


async def test_visitors_are_told_their_identity(client: NewClient) -> None:
    assert (await client().enter())["customer"] == {"id": "ana", "level": "verified", "name": "Ana"}
