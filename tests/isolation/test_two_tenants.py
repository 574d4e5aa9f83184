"""Of two companies in one process, neither reaches anything of the other's, whose real ids and tokens it has.

Routes, sockets and frames are found by introspection: one that is added needs a case here. Each is tried by both
ways of naming a company: the host name, and the path.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, get_args
from urllib.parse import urlencode

import orjson
import pytest
import pytest_asyncio
from websockets.exceptions import ConnectionClosed, InvalidStatus

from assistant.privacy.receipts import ReceiptSigner
from assistant.server.app import WebSocketRoutes
from assistant.server.frames.client_frames import CLIENT_FRAMES, AnyClientFrame
from assistant.server.operators.operator_frames import OPERATOR_FRAMES, AnyOperatorFrame
from tests.isolation.two_companies import (
    CALL,
    Company,
    Frame,
    Installation,
    Way,
    frames_until,
    hello,
    say,
    send,
    two_companies,
)

pytestmark = pytest.mark.asyncio(loop_scope="module")

WAYS: tuple[Way, ...] = ("host", "path")
OPERATORS = "meanwhile.operators.v1"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def companies(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Installation]:
    """Both companies, while nothing of either's is changed."""
    async with two_companies(tmp_path_factory.mktemp("installation")) as found:
        yield found


@dataclass(frozen=True, slots=True)
class Request:
    """A request by one company with ids of another. ``answers`` are what it may get: nothing of the other's."""

    path: str
    headers: Mapping[str, str]
    body: bytes = b""
    answers: Collection[int] = (404,)


Ask = Callable[[dict[str, str], Company], Request]
"""(the ids of one company's customer, who asks) -> the request."""


def _by_operator(path: str, answers: Collection[int] = (404,), **fields: str) -> Ask:
    def ask(ids: dict[str, str], who: Company) -> Request:
        headers = {**who.by_operator(), "Content-Type": "application/json"}
        return Request(path.format_map(ids), headers, orjson.dumps(fields), answers)

    return ask


def _by_staff(path: str, answers: Collection[int] = (404,), **fields: object) -> Ask:
    def ask(ids: dict[str, str], who: Company) -> Request:
        headers = {**who.by_staff(), "Content-Type": "application/json"}
        return Request(path.format_map(ids), headers, orjson.dumps(fields), answers)

    return ask


def _by_visitor(path: str, answers: Collection[int] = (404,)) -> Ask:
    return lambda ids, who: Request(path.format_map(ids), who.by_visitor(), b"a text", answers)


def _by_helpdesk(ids: dict[str, str], who: Company) -> Request:
    told = {"type": "message", "id": "x1", "name": "Eve", "text": "Hello"}
    body = orjson.dumps({**told, "conversation_id": ids["handed over"], "handoff_id": ids["handoff"]})
    return Request("/v1/handoff/events", who.by_helpdesk(body), body)


def _by_twilio(path: str) -> Ask:
    def ask(ids: dict[str, str], who: Company) -> Request:
        target = f"{path}?{urlencode({'call': CALL, 'handoff': ids['handoff']})}"
        form = {"CallSid": CALL, "CallStatus": "in-progress"}
        signed = who.by_twilio(f"https://phone.{who.name}.example{target}", form)
        headers = {**signed, "Content-Type": "application/x-www-form-urlencoded"}
        return Request(target, headers, urlencode(form).encode(), (200,))

    return ask


_IN_INBOX = "/console/api/inbox/{handed over}"
_HANDED = "/v1/operators/conversations/{handed over}"

CONSOLE = "a session is valid for the company of its account only: tests/server/console/test_access.py"

ROUTES: Mapping[str, Ask | str] = {
    "GET /v1/attachments/{sealed}": lambda ids, _: Request(f"/{ids['attachment']}", {}),
    "GET /v1/operators/conversations": _by_operator("/v1/operators/conversations", (200,)),
    "GET /v1/operators/conversations/{conversation}": _by_operator(_HANDED),
    "POST /v1/operators/conversations/{conversation}/accept": _by_operator(f"{_HANDED}/accept", name="Eve"),
    "POST /v1/operators/conversations/{conversation}/messages": _by_operator(
        f"{_HANDED}/messages", name="Eve", id="1", text="Hello"
    ),
    "POST /v1/operators/conversations/{conversation}/end": _by_operator(f"{_HANDED}/end", name="Eve"),
    "POST /v1/operators/conversations/{conversation}/decline": _by_operator(f"{_HANDED}/decline", name="Eve"),
    "GET /v1/operators/customers/{customer:path}": _by_operator("/v1/operators/customers/{customer}"),
    "DELETE /v1/operators/customers/{customer:path}": _by_operator("/v1/operators/customers/{customer}"),
    "GET /v1/documents": _by_operator("/v1/documents", (200,)),
    "PUT /v1/documents/{name:path}": _by_operator("/v1/documents/letter.txt", (202,)),
    "GET /v1/documents/{ref:path}": _by_operator("/v1/documents/{document}"),
    "DELETE /v1/documents/{ref:path}": _by_operator("/v1/documents/{document}"),
    "POST /v1/uploads": _by_visitor("/v1/uploads?name=letter.txt", (201,)),
    "GET /v1/uploads/{ref:path}": _by_visitor("/v1/uploads/{upload}"),
    "DELETE /v1/uploads/{ref:path}": _by_visitor("/v1/uploads/{upload}"),
    "POST /v1/handoff/events": _by_helpdesk,
    "POST /v1/phone/incoming": _by_twilio("/v1/phone/incoming"),
    "POST /v1/phone/ended": _by_twilio("/v1/phone/ended"),
    "POST /v1/phone/answered": _by_twilio("/v1/phone/answered"),
    "POST /v1/phone/dialled": _by_twilio("/v1/phone/dialled"),
    "OPTIONS /v1/uploads": "the permission of a page's origin",
    "OPTIONS /v1/uploads/{ref:path}": "the permission of a page's origin",
    "GET /console/api/sign-in": CONSOLE,
    "GET /console/api/session": CONSOLE,
    "POST /console/api/session": CONSOLE,
    "DELETE /console/api/session": CONSOLE,
    "POST /console/api/session/link": CONSOLE,
    "PATCH /console/api/account": CONSOLE,
    "GET /console/api/people": CONSOLE,
    "POST /console/api/people": CONSOLE,
    "PATCH /console/api/people/{account_id}": CONSOLE,
    "POST /console/api/people/{account_id}/link": CONSOLE,
    "GET /console/api/audit": CONSOLE,
    "GET /console/api/conversations": _by_staff("/console/api/conversations", (200,)),
    "GET /console/api/conversations/{conversation_id}": _by_staff(
        "/console/api/conversations/{conversation}"
    ),
    "GET /console/api/conversations/{conversation_id}/requests/{seq}": _by_staff(
        "/console/api/conversations/{conversation}/requests/{request}"
    ),
    "GET /console/api/conversations/{conversation_id}/receipts/{turn_id}/{call_id}": (
        "the conversation is found as for its page"
    ),
    "POST /console/api/conversations/{conversation_id}/test": _by_staff(
        "/console/api/conversations/{conversation}/test"
    ),
    "POST /console/api/conversations/{conversation_id}/replay": _by_staff(
        "/console/api/conversations/{conversation}/replay"
    ),
    "GET /console/api/conversations/{conversation_id}/what-if": (
        "it answers the models of the company of the page, whatever conversation is named"
    ),
    "POST /console/api/conversations/{conversation_id}/what-if": _by_staff(
        "/console/api/conversations/{conversation}/what-if", turn="t1", message="Hello"
    ),
    "GET /console/api/inbox": _by_staff("/console/api/inbox", (200,)),
    "GET /console/api/inbox/colleagues": _by_staff("/console/api/inbox/colleagues", (200,)),
    "POST /console/api/inbox/{conversation}/take-over": _by_staff(f"{_IN_INBOX}/take-over"),
    "POST /console/api/inbox/{conversation}/messages": _by_staff(
        f"{_IN_INBOX}/messages", id="1", text="Hello"
    ),
    "POST /console/api/inbox/{conversation}/hand-back": _by_staff(f"{_IN_INBOX}/hand-back"),
    "POST /console/api/inbox/{conversation}/close": _by_staff(f"{_IN_INBOX}/close"),
    "POST /console/api/inbox/{conversation}/notes": _by_staff(f"{_IN_INBOX}/notes", id="1", text="Hello"),
    "POST /console/api/inbox/{conversation}/tags": _by_staff(f"{_IN_INBOX}/tags", tags=["broken"]),
    "POST /console/api/inbox/{conversation}/assign": _by_staff(f"{_IN_INBOX}/assign", account=None),
    "GET /console/api/approvals": CONSOLE,
    "GET /console/api/approvals/mark": CONSOLE,
    "POST /console/api/approvals/reply": CONSOLE,
    "POST /console/api/approvals": CONSOLE,
    "GET /console/api/pauses": CONSOLE,
    "POST /console/api/pauses": CONSOLE,
    "POST /console/api/pauses/resume": CONSOLE,
    "POST /console/api/presence": CONSOLE,
    "GET /console/api/replies": CONSOLE,
    "POST /console/api/replies": CONSOLE,
    "DELETE /console/api/replies/{reply}": CONSOLE,
    "POST /console/api/pauses/launch": CONSOLE,
    "GET /console": "the same pages for every company",
    "HEAD /console": "the same pages for every company",
    "GET /console/{path:path}": "the same pages for every company",
    "HEAD /console/{path:path}": "the same pages for every company",
    "GET /healthz": "test_public_data_names_no_other_company",
    "GET /readyz": "test_public_data_names_no_other_company",
    "GET /frame": "test_public_data_names_no_other_company",
    "the files of ": "test_public_data_names_no_other_company",
    "socket /console/live": CONSOLE,
    "socket /v1/ws": "test_no_frame_reaches_another_company",
    "socket /v1/operators/ws": "test_no_operators_frame_reaches_another_company",
    "socket /v1/phone/relay": "test_no_call_is_taken_over_by_another_company",
}
"""Each route: a request with the other's ids, or the test that tries it."""

FRAMES: Mapping[str, Callable[[dict[str, str], Company], Frame]] = {
    "hello": lambda ids, _: {"token": ids["token"], "conversation_id": ids["conversation"]},
    "message": lambda ids, _: {"id": "m1", "text": "Read my file to me", "attachments": [{"ref": ids["upload"]}]},
    "confirm": lambda ids, _: {"id": "m2", "confirmation_id": ids["confirmation"], "answer": "yes"},
    "cancel": lambda ids, _: {"turn_id": ids["turn"]},
    "seen": lambda ids, _: {"seq": 1},
    "typing": lambda ids, _: {},
    "handoff.end": lambda ids, _: {},
    "identity": lambda _, other: {"user": other.user_token()},
    "feedback": lambda ids, _: {"message_id": ids["message"], "rating": "down"},
    "audio.start": lambda ids, _: {}, "audio.end": lambda ids, _: {}, "audio.stop": lambda ids, _: {},
    "audio.played": lambda ids, _: {"clip": 1, "ms": 100},
    "ping": lambda ids, _: {"id": "p1"},
}  # fmt: skip
"""Each kind of a customer's frame, with the ids of another company's customer."""

OPERATOR_CASES: Mapping[str, Callable[[dict[str, str], Company], Frame]] = {
    "hello": lambda ids, other: {"token": other.operator_token, "name": "Eve"},
    "read": lambda ids, _: {"conversation_id": ids["handed over"]},
    "accept": lambda ids, _: {"conversation_id": ids["handed over"]},
    "say": lambda ids, _: {"conversation_id": ids["handed over"], "id": "1", "text": "Hello"},
    "end": lambda ids, _: {"conversation_id": ids["handed over"]},
    "decline": lambda ids, _: {"conversation_id": ids["handed over"]},
    "ping": lambda ids, _: {},
}


def _paths(routes: Any) -> set[str]:
    """All routes of an application or a router, with their methods, and of the routers within it."""
    found: set[str] = set()
    for route in routes.routes:
        inner = getattr(route, "original_router", None)
        if inner is not None:
            found |= _paths(inner)
        elif (methods := getattr(route, "methods", None)) is None:
            found.add(f"the files of {route.path}")
        else:
            found |= {f"{method} {route.path}" for method in methods}
    return found


def _kinds(frames: Any) -> set[str]:
    return {get_args(one.model_fields["type"].annotation)[0] for one in get_args(frames)}


async def test_each_route_and_each_frame_has_a_case(companies: Installation) -> None:
    for server in companies.application.servers.values():
        sockets = vars(server)["_app"]  # behind the check of the host
        assert isinstance(sockets, WebSocketRoutes)
        found = _paths(vars(sockets)["_app"]) | {f"socket {path}" for path in sockets.sockets}
        assert found == set(ROUTES)
    assert {case for case in ROUTES.values() if isinstance(case, str) and case[:4] == "test"} <= set(
        globals()
    )
    assert _kinds(AnyClientFrame) == set(FRAMES)
    assert _kinds(AnyOperatorFrame) == set(OPERATOR_CASES)
    for kind, frame in FRAMES.items():
        CLIENT_FRAMES.validate_python({"type": kind, **frame(companies.acme.ids, companies.acme)})
    for kind, frame in OPERATOR_CASES.items():
        OPERATOR_FRAMES.validate_python({"type": kind, **frame(companies.acme.ids, companies.acme)})


TRIED = [route for route, ask in ROUTES.items() if not isinstance(ask, str)]


async def _answer(route: str, way: Way, at: Company, ids: Company, by: Company) -> tuple[int, str, Request]:
    ask = ROUTES[route]
    assert not isinstance(ask, str)
    request = ask(ids.ids, by)
    method, _, _ = route.partition(" ")
    return *await at.request(way, method, request.path, request.headers, request.body), request


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("route", TRIED)
async def test_no_request_reaches_another_company(companies: Installation, route: str, way: Way) -> None:
    acme, globex = companies.acme, companies.globex
    before = await acme.contents()

    status, said, request = await _answer(route, way, at=globex, ids=acme, by=globex)

    assert status in request.answers, said
    assert acme.secret_word not in said
    assert await acme.contents() == before


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("route", [route for route in TRIED if "attachments" not in route])
async def test_credentials_of_one_company_are_not_valid_for_another(
    companies: Installation, route: str, way: Way
) -> None:
    for one, other in ((companies.acme, companies.globex), (companies.globex, companies.acme)):
        before = await one.contents()

        status, said, _ = await _answer(route, way, at=one, ids=one, by=other)

        assert status in (401, 403, 429), said  # 429: too many wrong tokens
        assert one.secret_word not in said
        assert await one.contents() == before


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/frame", "/", "/meanwhile-chat.js"])
@pytest.mark.parametrize("way", WAYS)
async def test_public_data_names_no_other_company(companies: Installation, path: str, way: Way) -> None:
    status, said = await companies.globex.request(way, "GET", path, {})

    assert status == 200
    assert "acme" not in said
    assert companies.acme.secret_word not in said


async def test_a_company_is_not_reached_under_the_name_of_another(companies: Installation) -> None:
    acme, globex = companies.acme, companies.globex
    host = {"Host": globex.place("host")[0]}

    status, said = await acme.request(
        "path", "GET", "/v1/operators/conversations", {**acme.by_operator(), **host}
    )

    assert status == 421
    assert acme.secret_word not in said
    with pytest.raises(InvalidStatus):
        async with acme.socket("path", **host):
            pass


async def test_pages_of_one_company_do_not_connect_to_another(companies: Installation) -> None:
    acme, globex = companies.acme, companies.globex
    for way in WAYS:
        with pytest.raises(InvalidStatus):
            async with globex.socket(way, Origin="https://www.acme.example"):
                pass
        async with acme.socket(way, Origin="https://www.acme.example"):
            pass


async def _heard(company: Company, way: Way, *frames: Frame) -> list[Frame]:
    """What a new visitor hears who says hello, and then this."""
    async with company.socket(way) as socket:
        heard = [await hello(socket)]
        for frame in frames:
            await send(socket, **frame)
        await send(socket, type="ping", id="end")
        while heard[-1] != {"type": "pong", "id": "end"}:
            heard.append(orjson.loads(await socket.recv()))
        return heard


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", FRAMES)
async def test_no_frame_reaches_another_company(companies: Installation, kind: str, way: Way) -> None:
    acme, globex = companies.acme, companies.globex
    before = await acme.contents()

    heard = await _heard(globex, way, {"type": kind, **FRAMES[kind](acme.ids, acme)})

    assert heard[0]["conversation_id"] != acme.ids["conversation"]
    assert acme.secret_word not in orjson.dumps(heard).decode()
    assert await acme.contents() == before


HELLOS: Mapping[str, Callable[[Company], Frame]] = {
    "the other's token": lambda acme: {"token": acme.ids["token"]},
    "the other's token and conversation": lambda acme: {
        "token": acme.ids["token"],
        "conversation_id": acme.ids["conversation"],
    },
    "the other's conversation": lambda acme: {"conversation_id": acme.ids["conversation"]},
    "a token of the other's site": lambda acme: {"user": acme.user_token()},
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("case", HELLOS)
async def test_no_conversation_of_another_company_continues(
    companies: Installation, case: str, way: Way
) -> None:
    acme, globex = companies.acme, companies.globex
    before, heard = await acme.contents(), list[str | bytes]()

    async with globex.socket(way) as socket:
        await send(socket, type="hello", **HELLOS[case](acme))
        with suppress(ConnectionClosed):
            async with asyncio.timeout(20):
                while True:
                    heard.append(await socket.recv())

    assert [orjson.loads(one)["type"] for one in heard] == ["error"]
    assert acme.secret_word not in repr(heard)
    assert await acme.contents() == before


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", OPERATOR_CASES)
async def test_no_operators_frame_reaches_another_company(
    companies: Installation, kind: str, way: Way
) -> None:
    acme, globex = companies.acme, companies.globex
    before = await acme.contents()
    frame = {"type": kind, **OPERATOR_CASES[kind](acme.ids, acme)}

    async with globex.socket(way, "/v1/operators/ws", OPERATORS) as socket:
        if kind == "hello":
            await send(socket, **frame)
            with pytest.raises(ConnectionClosed):
                await socket.recv()
            assert socket.close_code in (4401, 4429)  # not the token, and too many of them
            return
        await send(socket, type="hello", token=globex.operator_token, name="Eve")
        await send(socket, **frame)
        await send(socket, type="ping")
        heard = await frames_until(socket, "pong")

    assert [one["type"] for one in heard[:-1]] == (["welcome"] if kind == "ping" else ["welcome", "refused"])
    assert acme.secret_word not in orjson.dumps([*heard]).decode()
    assert await acme.contents() == before


@pytest.mark.parametrize("way", WAYS)
async def test_no_call_is_taken_over_by_another_company(companies: Installation, way: Way) -> None:
    acme, globex = companies.acme, companies.globex
    before, path = await acme.contents(), "/v1/phone/relay"

    signed = globex.by_twilio(f"wss://phone.{globex.name}.example{path}", {})
    with pytest.raises(InvalidStatus):  # signed for the other
        async with acme.socket(way, path, None, **signed):
            pass
    async with globex.socket(way, path, None, **signed) as socket:
        await send(socket, type="setup", callSid=CALL, customParameters={"token": acme.ids["call token"]})
        with pytest.raises(ConnectionClosed):
            await socket.recv()

    assert socket.close_code == 4401
    assert await acme.contents() == before


async def test_receipts_of_one_company_are_not_signed_by_another(companies: Installation) -> None:
    keys = {
        ReceiptSigner(each.assistant.storage.secret).public_key for each in (companies.acme, companies.globex)
    }

    assert len(keys) == 2


async def test_each_helpdesk_gets_only_its_own_customers(companies: Installation) -> None:
    acme, globex = companies.acme, companies.globex
    for one, other in ((acme, globex), (globex, acme)):
        assert one.secret_word in "".join(companies.told[one.name])
        assert other.secret_word not in "".join(companies.told[one.name])


async def test_the_company_itself_reaches_all_of_it(tmp_path_factory: pytest.TempPathFactory) -> None:
    """The ids and tokens of the other tests are real: with them a company's own customers and people go on."""
    async with two_companies(tmp_path_factory.mktemp("installation")) as companies:
        acme = companies.acme
        async with acme.socket("path") as socket:
            welcome = await hello(socket, token=acme.ids["token"], conversation_id=acme.ids["conversation"])
            assert welcome["conversation_id"] == acme.ids["conversation"]
            assert acme.secret_word in (await socket.recv(decode=False)).decode()
            await send(socket, type="feedback", **FRAMES["feedback"](acme.ids, acme))
            await frames_until(socket, "rated")
            await send(socket, type="confirm", **FRAMES["confirm"](acme.ids, acme))
            assert "tool.finished" in str(await frames_until(socket, "turn.completed"))
            assert "accepted" in str(await say(socket, "Read my file to me", acme.ids["upload"]))
        async with acme.socket("path", "/v1/operators/ws", OPERATORS) as socket:
            await send(socket, type="hello", token=acme.operator_token, name="Eve")
            await send(socket, type="read", conversation_id=acme.ids["handed over"])
            assert acme.secret_word in str(await frames_until(socket, "transcript"))
        for way in WAYS:
            for route in TRIED:
                if route.startswith("GET") or way == "path":
                    status, said, _ = await _answer(route, way, at=acme, ids=acme, by=acme)
                    expected = 409 if route.endswith("/decline") else 200  # it has ended by then
                    assert expected <= status < expected + 100, (route, said)
