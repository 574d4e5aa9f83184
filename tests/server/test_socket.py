"""Which clients connect, and how."""

import asyncio
from collections.abc import Callable
from dataclasses import replace

import pytest
from structlog.testing import capture_logs
from websockets.exceptions import InvalidStatus
from websockets.typing import Subprotocol

from assistant.conversation.entries import MessageOpened, MessageText
from assistant.errors import LogError
from assistant.server.auth import Visit, VisitorTokens
from assistant.server.limits import Limits
from tests.server.client import Client
from tests.server.running_server import ANA, RunningServer, new_server, opened, with_limits
from tests.server.script import TURN

NewClient = Callable[[], Client]


async def test_a_first_hello_begins_a_conversation(client: NewClient) -> None:
    ana = client()

    welcome = await ana.enter()

    assert welcome == {
        "type": "welcome",
        "conversation_id": "id1",
        "token": ana.token,
        "expires_at": (1_800_000_000 + 30 * 86_400) * 1000,
        "customer": {"id": "ana", "level": "verified", "name": "Ana"},
        "epoch": "e1",
        "seq": 0,
        "resumed": "new",
        "developer": False,
        "notices": False,
        "max_text": 4000,
        "assistant": {
            "name": "Mia",
            "greeting": "Hello!",
            "starters": ["Check my billing"],
            "disclosure": "You are talking to an automated assistant.",
            "note": "Demo model, English only",
        },
    }
    assert ana.ws.subprotocol == "meanwhile.v1"


async def test_a_message_is_accepted_and_answered_in_order(server: RunningServer, client: NewClient) -> None:
    ana = client()
    await ana.enter()

    await ana.says("m1", "Check my appointments and billing")
    accepted = await ana.hear()
    server.session.publish(*TURN[1:], turn_id="t1")
    rest = await ana.hears(13)

    assert accepted["id"] == "m1"
    assert [frame["type"] for frame in rest] == [
        "turn.started",
        "message.started",
        "message.delta",
        "tool.started",
        "tool.started",
        "message.delta",
        "message.completed",
        "tool.finished",
        "tool.finished",
        "message.started",
        "message.delta",
        "message.completed",
        "confirmation.requested",
    ]
    assert (await ana.hear())["type"] == "turn.completed"


async def test_the_demo_pages_visitor_is_the_demo_customer(server: RunningServer, client: NewClient) -> None:
    await client().enter(locale="de")
    assert server.session.customer == replace(ANA, locale="de")


async def test_two_sockets_of_one_conversation_receive_the_same(
    server: RunningServer, client: NewClient
) -> None:
    phone, laptop = client(), client()
    await phone.enter()
    laptop.token = phone.token
    await laptop.enter()

    await phone.says("m1")
    server.session.publish(*TURN[1:], turn_id="t1")

    heard = [frame for frame in await phone.hears(15) if frame["type"] != "message.delta"]
    also = [frame for frame in await laptop.hears(15) if frame["type"] != "message.delta"]
    assert heard == also
    assert len(server.session.listeners) == 2


async def test_a_disconnected_client_receives_nothing_more(server: RunningServer, client: NewClient) -> None:
    ana, ben = client(), client()
    await ana.enter()
    ben.token = ana.token
    await ben.enter()
    await ana.leave()
    assert await ben.hears_nothing_more()  # by then the server has seen her go
    assert len(server.session.listeners) == 1


@pytest.mark.parametrize("allowed", [True, False])
async def test_developers_see_inside_tools_where_the_server_allows_it(allowed: bool) -> None:
    closed = new_server()
    closed.context = replace(closed.context, developer_allowed=allowed)
    async with opened(closed) as server:
        ana = Client(server)
        welcome = await ana.enter(capabilities={"developer": True, "from_the_future": 1})
        server.session.publish(*TURN, turn_id="t1")
        heard = await ana.hears(15)
    assert welcome["developer"] is allowed
    finished = next(frame for frame in heard if frame["type"] == "tool.finished")
    assert ("result" in finished) is allowed


async def test_without_the_subprotocol_the_server_says_what_is_missing(client: NewClient) -> None:
    with pytest.raises(InvalidStatus) as refused:
        await client().dial(subprotocols=[Subprotocol("chat")])
    assert refused.value.response.status_code == 400
    assert refused.value.response.body == b"Ask for the websocket subprotocol meanwhile.v1.\n"


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "", "http://", "http://[", "http://[::1", "http://127.0.0.1"]
)
async def test_a_page_of_another_site_is_refused(
    client: NewClient, origin: str, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(InvalidStatus) as refused:
        await client().dial(additional_headers={"Origin": origin})
    assert refused.value.response.status_code == 403
    assert caplog.text == ""  # this is no fault, and any client can cause it at any rate


async def test_a_token_in_the_address_opens_nothing(server: RunningServer, client: NewClient) -> None:
    welcome = await client().enter()
    stranger = client()
    await stranger.dial(uri=f"ws://127.0.0.1:{server.port}/v1/ws?token={welcome['token']}&user=anybody")
    await stranger.say(type="hello")
    assert (await stranger.hear())["conversation_id"] != welcome["conversation_id"]


async def test_pages_of_the_server_and_of_listed_sites_may_connect() -> None:
    closed = new_server()
    closed.context = replace(closed.context, origins=frozenset({"https://shop.example"}))
    async with opened(closed) as server:
        await Client(server).dial(origin="https://shop.example")
        await Client(server).dial(origin=f"http://127.0.0.1:{server.port}")


async def test_a_silent_client_is_disconnected(server: RunningServer, client: NewClient) -> None:
    ana = client()
    await ana.dial()
    server.clock.advance(10)
    assert await ana.is_shown_out() == 4408


@pytest.mark.parametrize(
    ("frame", "code", "problem"),
    [
        ({"type": "ping"}, "hello_expected", "the first frame was 'ping'; begin with 'hello'"),
        ({"type": "hello", "last_seq": -1}, "bad_frame", "hello.last_seq = -1: "),
    ],
)
async def test_the_first_frame_must_be_a_good_hello(
    client: NewClient, frame: dict[str, object], code: str, problem: str
) -> None:
    ana = client()
    await ana.dial()
    await ana.say(**frame)
    error = await ana.hear()
    assert (error["type"], error["code"]) == ("error", code)
    assert error["message"].startswith(problem)
    assert await ana.is_shown_out() == 4400


@pytest.mark.parametrize("kind", ["forged", "expired", "other conversation", "none"])
async def test_only_its_own_valid_token_opens_a_conversation(
    server: RunningServer, client: NewClient, kind: str
) -> None:
    ana = client()
    welcome = await ana.enter()
    conversation = welcome["conversation_id"]
    visit = Visit(customer=ANA, conversation="another one")
    token = {
        "forged": VisitorTokens(b"somebody else's secret, long enough", server.clock).issue(
            Visit(customer=ANA, conversation=conversation)
        )[0],
        "expired": ana.token,
        "other conversation": server.context.tokens.issue(visit)[0],
        "none": None,
    }[kind]
    if kind == "expired":
        server.clock.advance(31 * 86_400)

    intruder = client()
    await intruder.dial()
    await intruder.say(type="hello", token=token, conversation_id=conversation)

    error = await intruder.hear()
    assert (error["type"], error["code"], error["retryable"]) == ("error", "token_invalid", False)
    assert await intruder.is_shown_out() == 4401
    assert len(server.sessions.known) == 1


async def test_a_bug_behind_one_socket_closes_only_that_socket(
    server: RunningServer, client: NewClient
) -> None:
    ana, ben = client(), client()
    await ana.enter()
    await ben.enter()
    (session, _) = server.sessions.known.values()
    session.breaks = True

    with capture_logs() as logs:
        await ana.says("m1")
        assert await ana.is_shown_out() == 1011

    assert [line["event"] for line in logs] == ["socket broke"]
    assert await ben.hears_nothing_more()


async def test_after_a_log_failure_clients_are_told_to_reconnect(
    server: RunningServer, client: NewClient
) -> None:
    ana = client()
    await ana.enter()

    with capture_logs():
        server.session.failure = LogError("the log has failed")
        server.session.publish()
        assert await ana.is_shown_out() == 1011


async def test_an_entry_that_cannot_be_shown_closes_the_socket_too() -> None:
    def no_hint(tool: str, locale: str) -> str:
        raise KeyError(tool)

    async with opened(new_server()) as server:
        ana = Client(server)
        await ana.enter()
        server.session.doing = no_hint
        await ana.leave()
        await ana.enter()
        with capture_logs() as logs:
            server.session.publish(*TURN, turn_id="t1")
            assert await ana.is_shown_out() == 1011
    assert len(logs) == 1


async def test_a_client_that_leaves_before_the_welcome_causes_no_error(
    server: RunningServer, client: NewClient
) -> None:
    server.sessions.ready.clear()
    ana = client()
    await ana.dial()
    await ana.say(type="hello")
    await ana.leave()
    with capture_logs() as logs:
        server.sessions.ready.set()
        assert await client().enter()
    assert logs == []
    assert [len(session.listeners) for session in server.sessions.known.values()] == [0, 1]


async def test_a_frame_too_large_closes_with_its_documented_code(
    server: RunningServer, client: NewClient
) -> None:
    ana = client()
    await ana.enter()
    await ana.says("m1", "x" * 70_000)
    assert await ana.is_shown_out() == 1009
    await client().enter()


@pytest.mark.parametrize("text", ["x" * 100, "ä" * 50])
async def test_a_frame_too_large_is_noticed_even_if_the_web_server_accepts_it(text: str) -> None:
    strict = with_limits(new_server(), frame_bytes=100)
    async with opened(strict, web_limits=Limits()) as server:
        ana = Client(server)
        await ana.enter(last_seq=0, token=None, epoch=None)
        await ana.says("m1", text)  # the limit counts bytes, not characters
        assert await ana.is_shown_out() == 1009


async def test_a_flood_is_disconnected_and_may_return() -> None:
    async with opened(with_limits(new_server(), frames_per_minute=3)) as server:
        ana = Client(server)
        await ana.enter()
        for _ in range(4):
            await ana.say(type="ping")
        assert await ana.is_shown_out() == 4429
        assert (await ana.enter())["resumed"] == "new"


async def test_a_slow_reader_is_told_to_reconnect_and_resumes() -> None:
    async with opened(with_limits(new_server(), behind=50), send_buffer=4096) as server:
        ana = Client(server)
        await ana.dial(max_queue=1)
        await ana.say(type="hello")
        welcome = await ana.hear()
        session = server.session
        session.publish(MessageOpened(message_id="a1", round=1))
        while session.listeners:
            session.publish(MessageText(message_id="a1", text="x" * 8_000))
            await asyncio.sleep(0)  # lets the server try to send it

        assert await ana.reads_to_the_end() == 4409

        ana.token, ana.epoch = welcome["token"], welcome["epoch"]
        assert (await ana.enter())["resumed"] == "replay"
        assert 1 < ana.cursor < len(session.entries)
