"""The operators' endpoints: access, the first agent, messages; and the hook of another program's agents."""

import json
from collections.abc import AsyncGenerator
from dataclasses import dataclass, replace
from typing import Any

import aiohttp
import orjson
import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.typing import Subprotocol

from assistant.errors import DeclarationError
from assistant.server.operators.access import Operators
from assistant.server.operators.handoff_events import PATH, HandoffHook
from assistant.server.operators.operator_frames import OPERATOR_SERVER_FRAMES
from assistant.server.operators.routes import change_frames, transcript
from assistant.testing.chat import Chat
from assistant.testing.counted_ids import CountedIds
from assistant.testing.script import calls, says
from assistant.webhooks.client import SIGNATURE, TIMESTAMP, signature
from tests.server.running_server import RunningServer, new_server, opened
from tests.support.handoff_scenario import HandoffScenario

TOKEN = "a-token-for-tests-that-is-long-enough"
SECRET = "a-secret-for-tests-that-is-long-enough"
ASKED = (calls("talk_to_a_person"), says("I've asked my colleagues."))

PLACE = {"conversation_id": "c-1", "handoff_id": f"h-{CountedIds('n0').secret()}"}
MESSAGE = {"type": "message", **PLACE, "id": "7", "name": "Kim", "text": "Hello, this is Kim."}


@dataclass
class OperatorClient:
    """A server in whose office Ana has asked for a person."""

    server: RunningServer
    scenario: HandoffScenario
    ana: Chat
    http: aiohttp.ClientSession

    async def get(self, path: str = "", token: str | None = TOKEN) -> tuple[int, Any]:
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        async with self.http.get(f"/v1/operators/conversations{path}", headers=headers) as answer:
            return answer.status, await answer.json()

    async def post(self, what: str, conversation: str = "c-1", **body: object) -> tuple[int, Any]:
        path = f"/v1/operators/conversations/{conversation}/{what}"
        async with self.http.post(path, json=body, headers={"Authorization": f"Bearer {TOKEN}"}) as answer:
            return answer.status, await answer.json()

    async def hook(self, event: dict[str, Any], secret: str = SECRET, at_s: float = 0.0) -> tuple[int, str]:
        body = orjson.dumps(event)
        timestamp = str(int(self.server.clock.at_s + at_s))
        headers = {TIMESTAMP: timestamp, SIGNATURE: signature(secret, timestamp, body)}
        async with self.http.post(PATH, data=body, headers=headers) as answer:
            return answer.status, (await answer.json())["message"]

    async def sits_down(self, name: str, token: str = TOKEN, **options: Any) -> ClientConnection:
        address = f"ws://127.0.0.1:{self.server.port}/v1/operators/ws"
        options = {"subprotocols": [Subprotocol("meanwhile.operators.v1")], **options}
        ws = await connect(address, proxy=None, **options)
        await ws.send(orjson.dumps({"type": "hello", "token": token, "name": name}).decode())
        return ws


async def hears(ws: ClientConnection) -> dict[str, Any]:
    raw = await ws.recv()
    OPERATOR_SERVER_FRAMES.validate_json(raw)
    return orjson.loads(raw)


@pytest.fixture
async def operator() -> AsyncGenerator[OperatorClient, None]:
    scenario = HandoffScenario()
    ana = await scenario.opens(*ASKED, says("Hello again."))
    await ana.says("A person please")
    server = new_server()
    operators = Operators(token=TOKEN, tenant="shop", handoffs=scenario.handoffs, clock=server.clock)
    hook = HandoffHook(secret=SECRET, tenant="shop", handoffs=scenario.handoffs, clock=server.clock)
    server.context = replace(server.context, handoffs=scenario.handoffs, operators=operators, hook=hook)
    async with (
        opened(server),
        aiohttp.ClientSession(
            f"http://127.0.0.1:{server.port}", connector=aiohttp.TCPConnector(force_close=True)
        ) as http,
    ):
        yield OperatorClient(server, scenario, ana, http)
    await scenario.handoffs.close()


async def test_only_the_token_gives_access(operator: OperatorClient) -> None:
    answers = [(await operator.get(token=token))[0] for token in (TOKEN, None, "", "wrong", TOKEN + "x", "ü")]

    assert answers == [200, 401, 401, 401, 401, 401]


async def test_a_guessing_client_must_wait_and_others_need_not(operator: OperatorClient) -> None:
    guesses = [(await operator.get(token="wrong"))[0] for _ in range(12)]

    assert guesses == [401] * 10 + [429] * 2
    assert (await operator.get())[0] == 200


async def test_too_many_wrong_tokens_get_a_retry_time(operator: OperatorClient) -> None:
    for _ in range(10):
        await operator.get(token="wrong")
    async with operator.http.get("/v1/operators/conversations") as refused:
        assert (refused.status, refused.headers["Retry-After"]) == (429, "60")
    operator.server.clock.advance(60)
    assert (await operator.get(token="wrong"))[0] == 401


async def test_too_many_wrong_signatures_of_the_hook_must_wait(operator: OperatorClient) -> None:
    wrong = [(await operator.hook(MESSAGE, secret="x" * 32))[0] for _ in range(12)]

    assert wrong == [401] * 10 + [429] * 2
    assert (await operator.hook(MESSAGE))[0] == 200
    async with operator.http.post(PATH, data=b"{}") as refused:
        assert (refused.status, refused.headers["Retry-After"]) == (429, "60")


async def test_the_list_has_the_waiting_customers_and_their_wishes(operator: OperatorClient) -> None:
    _, listed = await operator.get()
    _, one = await operator.get("/c-1")

    (waiting,) = listed["conversations"]
    assert {name: waiting[name] for name in ("conversation_id", "state", "why", "name", "customer_name")} == {
        "conversation_id": "c-1",
        "state": "queued",
        "why": "A person please",
        "name": None,
        "customer_name": "Ana",
    }
    assert [message["text"] for message in one["messages"]] == [
        "A person please",
        "Sure, I'll get a colleague for you.",
        "I've asked my colleagues.",
    ]
    assert (await operator.get("/c-2"))[0] == 404


async def test_the_second_of_two_agents_is_told_who_has_it(operator: OperatorClient) -> None:
    first = await operator.post("accept", name="Sam")
    second = await operator.post("accept", name="Kim")
    again = await operator.post("accept", name="Sam")

    assert (first[0], first[1]["state"], first[1]["name"]) == (200, "accepted", "Sam")
    assert (second[0], second[1]["code"], second[1]["name"]) == (409, "taken", "Sam")
    assert again[0] == 200


async def test_an_agent_writes_and_gives_back(operator: OperatorClient) -> None:
    early = await operator.post("messages", name="Sam", id="1", text="Hello")
    await operator.post("accept", name="Sam")
    answers = [
        (await operator.post("messages", name="Sam", id="1", text="Hello"))[0],
        (await operator.post("messages", name="Sam", id="1", text="Hello"))[0],
        (await operator.post("messages", name="Kim", id="2", text="Me too"))[0],
        (await operator.post("end", name="Kim"))[0],
        (await operator.post("end", name="Sam"))[0],
        (await operator.post("end", name="Sam"))[0],
        (await operator.post("decline", name="Sam"))[0],
    ]

    assert (early[0], early[1]["code"]) == (409, "not_yours")
    assert answers == [200, 200, 409, 409, 200, 409, 409]
    assert operator.ana.transcript[3:] == [
        "person: Hello",
        "assistant: This is Robin, the automated assistant, again. What else can I do for you?",
    ]


async def test_declining_opens_a_ticket(operator: OperatorClient) -> None:
    status, summary = await operator.post("decline", name="Sam", why="all busy")

    assert (status, summary["state"]) == (200, "ticket")
    assert summary["ticket"].startswith("T-")


@pytest.mark.parametrize("body", [{}, {"name": " "}, {"name": "Sam", "more": 1}])
async def test_an_invalid_command_is_refused(operator: OperatorClient, body: dict[str, Any]) -> None:
    assert (await operator.post("accept", **body))[0] == 422
    assert (await operator.post("accept", conversation="c-9", name="Sam"))[0] == 404


BROKEN_TEXT = [
    rb'{"name": "Sam", "id": "1", "text": "half a smiley: \ud83d"}',
    rb'{"name": "\ud800", "id": "1", "text": "Hello"}',
    rb'{"name": "Sam", "id": "1\udfff", "text": "Hello"}',
    rb'{"name": "Sam", "id": "1", "text": "Hello", "more\ud800": 1}',
    b'{"name": "Sam", "id": "1", "text": NaN}',
]


async def test_text_that_cannot_be_stored_is_refused_as_invalid(operator: OperatorClient) -> None:
    await operator.post("accept", name="Sam")
    path, headers = "/v1/operators/conversations/c-1/messages", {"Authorization": f"Bearer {TOKEN}"}
    answers: dict[bytes, int] = {}
    for body in BROKEN_TEXT:
        sent = {**headers, "Content-Type": "application/json"}
        async with operator.http.post(path, data=body, headers=sent) as answer:
            answers[body] = answer.status
            assert [*(await answer.json())["detail"][0]] == ["type", "loc", "msg"]  # nothing that was sent

    assert set(answers.values()) == {422}, answers
    assert not [line for line in operator.ana.transcript if line.startswith("person:")]


@pytest.mark.parametrize("frame", [{"type": "say", "id": "1", "text": "\ud800"}, {"type": "\ud800"}])
async def test_text_that_cannot_be_stored_is_refused_at_the_socket(
    operator: OperatorClient, frame: dict[str, str]
) -> None:
    async with await operator.sits_down("Sam") as sam:
        await hears(sam)
        await sam.send(json.dumps({"conversation_id": "c-1", **frame}))
        assert (await hears(sam))["code"] == "bad_frame"


async def test_an_operator_at_the_socket_receives_and_sends(operator: OperatorClient) -> None:
    sam = await operator.sits_down("Sam")
    welcome = await hears(sam)
    for frame in (
        {"type": "ping"},
        {"type": "read", "conversation_id": "c-1"},
        {"type": "read", "conversation_id": "c-9"},
        {"type": "end", "conversation_id": "c-9"},
        {"type": "dance"},
        {"type": "hello", "token": TOKEN, "name": "Sam"},
        {"type": "accept", "conversation_id": "c-1"},
        {"type": "say", "conversation_id": "c-1", "id": "1", "text": "Hello"},
    ):
        await sam.send(orjson.dumps(frame).decode())

    heard = [await hears(sam) for _ in range(8)]
    await operator.ana.begins("Hi Sam")
    heard += [await hears(sam)]
    await sam.close()

    assert [one["state"] for one in welcome["conversations"]] == ["queued"]
    assert [(one["type"], one.get("code")) for one in heard] == [
        ("pong", None),
        ("transcript", None),
        ("refused", "unknown_conversation"),
        ("refused", "unknown_conversation"),
        ("refused", "bad_frame"),
        ("refused", "bad_frame"),
        ("conversation", None),
        ("message", None),
        ("message", None),
    ]
    assert heard[6]["conversation"]["name"] == "Sam"
    assert heard[7]["message"]["text"] == "Hello"
    assert heard[8]["message"] | {"at": 0} == {
        "from": "customer",
        "message_id": "m2",
        "text": "Hi Sam",
        "at": 0,
    }


@pytest.mark.parametrize(("token", "code"), [("wrong", 4401), ("ü", 4401)])
async def test_the_socket_is_closed_to_others(operator: OperatorClient, token: str, code: int) -> None:
    ws = await operator.sits_down("Sam", token=token)

    with pytest.raises(ConnectionClosed):
        await ws.recv()
    assert ws.close_code == code


async def test_an_agent_sees_spoken_text_and_how_much_was_heard(operator: OperatorClient) -> None:
    session = operator.ana.session
    await session.say(client_message_id="v-2", text="Are you there?", locale="en", spoken=True)
    await session.answered()
    answer = session.state.turns[-1].messages[-1]
    await session.heard(answer.id, 5)
    await session.answered()

    for shown in (list(change_frames(session, session.entries)), transcript(session)["messages"]):
        told = orjson.loads(orjson.dumps(shown))
        messages = [one["message"] if one.get("type") == "message" else one for one in told]
        said = {one["message_id"]: one for one in messages if "message_id" in one}
        assert (said["v-2"]["spoken"], said[answer.id]["heard"]) == (True, 5)


async def test_the_socket_requires_its_protocol_and_a_known_page(operator: OperatorClient) -> None:
    with pytest.raises(InvalidStatus, match="400"):
        await operator.sits_down("Sam", subprotocols=[Subprotocol("meanwhile.v1")])
    with pytest.raises(InvalidStatus, match="403"):
        await operator.sits_down("Sam", origin="https://evil.example")


async def test_the_other_programs_agents_take_over_write_and_give_back(operator: OperatorClient) -> None:
    answers = [
        await operator.hook(MESSAGE),
        await operator.hook(MESSAGE),
        await operator.hook({"type": "accept", **PLACE, "name": "Sam"}),
        await operator.hook({"type": "end", **PLACE}),
        await operator.hook({"type": "end", **PLACE}),
        await operator.hook({"type": "decline", **PLACE}),
    ]

    assert answers == [
        (200, "done"),
        (200, "done"),
        (409, "Kim has it"),
        (200, "done"),
        (200, "nothing to do: this handoff is over"),
        (200, "nothing to do: this handoff is over"),
    ]
    assert operator.ana.transcript[3] == "person: Hello, this is Kim."
    assert len(operator.ana.transcript) == 5


async def test_the_other_program_cannot_write_after_an_operator_accepted(operator: OperatorClient) -> None:
    await operator.post("accept", name="Sam")

    answers = [
        await operator.hook(MESSAGE),
        await operator.hook({**MESSAGE, "name": "Sam"}),
        await operator.hook({"type": "accept", **PLACE, "name": "Kim"}),
        await operator.hook({"type": "end", **PLACE}),
    ]

    assert answers == [(409, "Sam has it")] * 4
    assert not [line for line in operator.ana.transcript if line.startswith("person:")]
    assert (await operator.scenario.states())[-1] == "accepted"


async def test_an_operator_cannot_write_after_the_other_program_accepted(operator: OperatorClient) -> None:
    await operator.hook({"type": "accept", **PLACE, "name": "Kim"})

    said = await operator.post("messages", name="Kim", id="1", text="Hello.")
    answers = [said, await operator.post("end", name="Kim")]

    assert [(status, told["code"]) for status, told in answers] == [(409, "taken")] * 2
    assert (await operator.scenario.states())[-1] == "accepted"


async def test_the_id_of_a_handoff_cannot_be_guessed(operator: OperatorClient) -> None:
    for guess in ("h-t1-c1.1", "h-1", PLACE["handoff_id"][:-1]):
        answer = await operator.hook({**MESSAGE, "handoff_id": guess})
        assert answer == (200, "nothing to do: this handoff is over"), guess

    assert not [line for line in operator.ana.transcript if line.startswith("person:")]


async def test_the_other_program_may_decline(operator: OperatorClient) -> None:
    await operator.hook({"type": "decline", **PLACE, "why": "closed"})

    assert (await operator.scenario.states())[-1] == "ticket"


async def test_the_hook_refuses_forged_old_and_invalid_requests(operator: OperatorClient) -> None:
    end = {"type": "end", **PLACE}

    assert (await operator.hook(end, secret="wrong"))[0] == 401
    assert (await operator.hook(end, at_s=-301))[0] == 401
    assert (await operator.hook({**end, "more": 1}))[0] == 422
    assert (await operator.hook({**end, "conversation_id": "c-2"}))[0] == 404
    assert (await operator.hook({**end, "why": "x" * 70_000}))[0] == 413
    assert await operator.scenario.states() == ["requested", "queued"]


def test_a_token_that_can_be_guessed_stops_the_start(operator: OperatorClient) -> None:
    with pytest.raises(DeclarationError, match="ASSISTANT_OPERATOR_TOKEN has 5 characters"):
        Operators(
            token="short", tenant="shop", handoffs=operator.scenario.handoffs, clock=operator.server.clock
        )
