"""The results of requests: values, nothing, and failures with texts for customer, model and log."""

import asyncio
from pathlib import Path

import pytest
from aiohttp import web
from structlog.testing import capture_logs

from assistant.clock import SystemClock
from assistant.conversation.calls import Call
from assistant.conversation.customer import Customer
from assistant.conversation.outcomes import CallFailed, CallSucceeded, Outcome, outcome_name
from assistant.conversation.values import Json
from assistant.errors import ToolError
from assistant.prompts.book import shipped_book
from assistant.tools.execute import prepare, run_call
from assistant.tools.http.tool import HttpTool
from assistant.tools.registry import Tools
from assistant.tools.tool import PreparedCall
from tests.tools.conftest import CONTEXT
from tests.tools.http.conftest import OneTool, System, run

GET = 'path = "/orders"\n'
POST = 'path = "/orders"\nmethod = "POST"\n'


async def failing(one: OneTool, section: str = GET, api: str = "", locale: str = "en") -> tuple[str, str]:
    """The texts about a failure for the customer and for the model."""
    customer = Customer(tenant="t", id="7", level="verified", locale=locale)
    with pytest.raises(ToolError) as failed:
        await run(one(section, api), customer=customer)
    return failed.value.say, failed.value.for_model


@pytest.mark.parametrize(
    ("section", "answer", "value"),
    [
        ("", {"a": 1}, {"a": 1}),
        ('result = "data.items"', {"data": {"items": [1, 2]}}, [1, 2]),
        ('result = "items.0.name"', {"items": [{"name": "x"}]}, "x"),
        ('result = "items.0"', {"items": []}, None),
        (
            'fields = ["a", "b"]',
            [{"a": 1, "c": 2}, {"b": 3}, 4],
            [{"a": 1, "b": None}, {"a": None, "b": 3}, 4],
        ),
        ('fields = {total = "price.amount"}', {"price": {"amount": "1.50"}}, {"total": "1.50"}),
        ('fields = {total = "price.amount"}', {"price": "free"}, {"total": None}),
        ("", "plain words", "plain words"),
        ("", "", None),
    ],
)
async def test_a_result_is_read_from_the_answer(
    one: OneTool, system: System, section: str, answer: object, value: Json
) -> None:
    system.answers(answer)

    assert await run(one(GET + section)) == value


async def test_an_empty_answer_means_a_done_change_or_an_empty_lookup(one: OneTool, system: System) -> None:
    system.answers(b"", status=204)

    assert await run(one(POST)) == {"done": True}
    assert await run(one(GET)) is None
    assert await run(one(GET + 'method = "HEAD"')) == {"found": True}


async def test_a_status_may_mean_that_nothing_was_found(one: OneTool, system: System) -> None:
    system.answers({"detail": "none"}, status=404)

    assert await run(one(GET + "empty_on = [404]")) is None


@pytest.mark.parametrize(
    ("status", "say", "for_model"),
    [
        (400, "our shop did not accept that", "It answered 400. It says: day is wrong"),
        (
            401,
            "I have no access to our shop just now",
            "Access was refused (401); asking again will not help.",
        ),
        (
            403,
            "I have no access to our shop just now",
            "Access was refused (403); asking again will not help.",
        ),
        (404, "I can't find that", "It answered 404. It says: day is wrong"),
        (409, "our shop did not accept that", "It answered 409. It says: day is wrong"),
        (422, "our shop did not accept that", "It answered 422. It says: day is wrong"),
        (500, "our shop has a problem just now", "It answered 500. It says: day is wrong"),
        (302, "our shop has a problem just now", "It answered 302. It says: day is wrong"),
    ],
)
async def test_each_refusal_has_texts_for_its_readers(
    one: OneTool, system: System, status: int, say: str, for_model: str
) -> None:
    system.answers({"message": "day is wrong"}, status=status)

    with capture_logs() as logged:
        told = await failing(one)

    assert told[0] == say
    assert told[1].startswith(for_model)
    assert logged == [
        {"event": "request was refused", "log_level": "warning", "service": "our shop", "status": status}
    ]


@pytest.mark.parametrize("status", [429, 503])
async def test_a_busy_system_names_the_pause(one: OneTool, system: System, status: int) -> None:
    system.answers({}, status=status, Retry_After="120")

    assert await failing(one) == (
        "our shop is too busy just now",
        f"It is too busy ({status}). It asks to wait: 120.",
    )


@pytest.mark.parametrize(
    ("status", "temporary"), [(400, False), (404, False), (409, False), (429, True), (500, True), (503, True)]
)
async def test_only_temporary_failures_are_worth_another_attempt(
    one: OneTool, system: System, status: int, temporary: bool
) -> None:
    system.answers({}, status=status)

    with pytest.raises(ToolError) as failed:
        await run(one(GET))

    assert failed.value.temporary is temporary


@pytest.mark.parametrize(
    ("locale", "say"),
    [("en", "that order has been sent already"), ("de-AT", "die Bestellung ist schon unterwegs")],
)
async def test_customers_hear_the_files_own_clauses(
    one: OneTool, system: System, locale: str, say: str
) -> None:
    system.answers({"detail": "state=SENT"}, status=409)
    words = 'errors = {409 = {en = "that order has been sent already", de = "die Bestellung ist schon unterwegs"}}'

    assert await failing(one, POST + words, locale=locale) == (say, "It answered 409. It says: state=SENT")


async def test_a_clause_in_one_language_is_used_for_all(one: OneTool, system: System) -> None:
    system.answers({}, status=409)

    assert (await failing(one, POST + 'errors = {409 = "it is gone"}', locale="de"))[0] == "it is gone"


async def test_an_unreachable_system_is_reported(one: OneTool, system: System, unused_tcp_port: int) -> None:
    system.address = f"http://127.0.0.1:{unused_tcp_port}"

    with pytest.raises(ToolError) as failed:
        await run(one(GET))
    assert failed.value.temporary
    for section in (GET, POST):
        assert await failing(one, section) == (
            "I can't reach our shop just now",
            "our shop cannot be reached (ClientConnectorError).",
        )


async def test_a_change_without_an_answer_may_have_been_made(one: OneTool, system: System) -> None:
    async def hang_up(request: web.Request) -> web.StreamResponse:
        assert request.transport is not None
        request.transport.close()
        return web.Response()

    system.respond = hang_up

    assert (await failing(one, GET))[0] == "I can't reach our shop just now"
    assert (await failing(one, POST)) == (
        "I can't tell whether our shop has done it",
        "The connection broke after the request was sent: it may or may not have been done. "
        "Do not ask for it again before it has been looked up.",
    )


@pytest.mark.parametrize(
    ("kind", "body", "what"),
    [
        ("application/json", b"{", "is called JSON and is none"),
        ("application/json", b'{"a": NaN}', "is called JSON and is none"),
        ("application/problem+json", b'"\xff"', "is called JSON and is none"),
        ("text/html", b"<h1>Sign in</h1>", "is text/html, which is neither JSON nor plain text"),
        ("text/plain", b"\xff\xfe", "utf-8"),
        ("application/json", b"[]", "has no 'data' on the way to 'data.items'; there is no object"),
        ("application/json", b'{"b": 1}', "has no 'data' on the way to 'data.items'; it has: b"),
    ],
)
async def test_an_unreadable_answer_is_a_failure(
    one: OneTool, system: System, kind: str, body: bytes, what: str
) -> None:
    system.answers(body, Content_Type=kind)

    with capture_logs() as logged:
        say, for_model = await failing(one, GET + 'result = "data.items"')

    assert say == "I can't read what our shop says just now"
    assert what in for_model
    (warning,) = [entry for entry in logged if entry["event"] == "answer cannot be read"]
    assert warning["answer"] == what.partition(";")[0] or what in warning["answer"]


async def test_an_endless_answer_is_not_read(one: OneTool, system: System) -> None:
    system.answers(["x" * 2000])

    say, for_model = await failing(one, api="max_bytes = 1000")

    assert say == "there is more than I can look through at once"
    assert for_model == "The answer has more than 1000 bytes and was not read; ask for less."


async def test_a_part_of_an_answer_has_the_size_limit_of_all_tools(one: OneTool, system: System) -> None:
    system.answers({"orders": [{"number": number, "note": "x" * 1000} for number in range(500)]})

    async def came(section: str) -> Outcome:
        tool = one(GET + section)
        ready = PreparedCall(Call(id="c1.1", tool="find"), tool, {})
        customer = Customer(tenant="t", id="7")
        return await run_call(ready, customer=customer, context=CONTEXT, timeout_s=10, clock=SystemClock())

    whole, fields = await came(""), await came('result = "orders"\nfields = ["number"]')

    assert isinstance(whole, CallFailed)
    assert whole.say == "there is more than I can look through at once"
    assert "at most 128000 are read" in whole.for_model
    assert isinstance(fields, CallSucceeded)


async def test_a_lookup_follows_redirects_only_on_its_host(one: OneTool, system: System) -> None:
    async def redirect(request: web.Request) -> web.StreamResponse:
        match request.path:
            case "/v1/orders":
                return web.Response(status=307, headers={"Location": "/v1/here"})
            case "/v1/away":
                return web.Response(status=302, headers={"Location": "http://localhost:1/"})
            case "/v1/round":
                return web.Response(status=302, headers={"Location": "/v1/round"})
            case _:
                return web.json_response("found")

    system.respond = redirect

    assert await run(one(GET)) == "found"
    assert (await failing(one, 'path = "/away"'))[1] == "It answered 302."
    assert (await failing(one, 'path = "/round"'))[1] == "our shop cannot be reached (RecursionError)."
    assert (await failing(one, POST))[1] == "It answered 307."


async def test_missing_secrets_are_named_and_nothing_is_sent(one: OneTool, system: System) -> None:
    tool = one(GET, 'auth = {basic = ["SHOP_USER", "SHOP_PASSWORD"]}', {"SHOP_USER": "robot"})

    with capture_logs() as logged, pytest.raises(ToolError) as failed:
        await run(tool)

    assert failed.value.say == "I can't reach our shop just now"
    assert (
        failed.value.for_model
        == "our shop is not set up (SHOP_PASSWORD not set); asking again will not help."
    )
    assert logged[0]["missing"] == ["SHOP_PASSWORD"]
    assert system.heard == []


@pytest.mark.parametrize(
    ("auth", "secrets"),
    [
        ('{bearer = "SHOP_TOKEN"}', ["s3cret-token"]),
        ('{basic = ["SHOP_USER", "SHOP_PASSWORD"]}', ["hunter2", "cm9ib3Q6aHVudGVyMg=="]),
        ('{query = {key = "SHOP_TOKEN"}}', ["s3cret-token"]),
    ],
)
async def test_a_secret_in_an_answer_is_in_no_log_and_no_outcome(
    one: OneTool, system: System, auth: str, secrets: list[str]
) -> None:
    async def echo(request: web.Request) -> web.StreamResponse:
        return web.json_response(
            {"detail": f"wrong: {request.headers.get('Authorization')} {request.raw_path} {secrets[0]}"},
            status=401,
        )

    system.respond = echo

    with capture_logs() as logged:
        told = await failing(one, GET, f"auth = {auth}")

    shown = f"{told} {logged} {one(GET, f'auth = {auth}')!r}"
    assert [secret for secret in secrets if secret in shown] == []
    assert "[secret]" in told[1]


async def test_cancelling_a_call_releases_its_connection(one: OneTool, system: System) -> None:
    arrived, gone = asyncio.Event(), asyncio.Event()

    async def wait(_: web.Request) -> web.StreamResponse:
        arrived.set()
        await gone.wait()
        return web.Response()

    system.respond = wait
    running = asyncio.create_task(run(one(GET)))
    await arrived.wait()
    running.cancel()

    with pytest.raises(asyncio.CancelledError):
        await running
    gone.set()


class Hasty(SystemClock):
    """Waits for nothing."""

    async def sleep(self, seconds: float) -> None: ...


@pytest.mark.parametrize(
    ("section", "asked", "ended"),
    [
        (GET + "retries = 2", 3, "ok"),
        (GET + "retries = 1", 2, "failed"),
        (POST + "idempotent = true\nretries = 2", 3, "ok"),
        (POST, 1, "failed"),
    ],
)
async def test_a_busy_system_is_asked_again_with_the_same_key(
    one: OneTool, system: System, section: str, asked: int, ended: str
) -> None:
    async def busy_twice(_: web.Request) -> web.StreamResponse:
        return web.json_response("done", status=503 if len(system.heard) < 3 else 200)

    system.respond = busy_twice
    tool = one(section)
    customer = Customer(tenant="t", id="7", level="verified")
    ready = prepare(Call(id="c1.1", tool="find"), Tools([tool]), customer)
    assert isinstance(ready, PreparedCall)

    outcome = await run_call(ready, customer=customer, context=CONTEXT, timeout_s=10, clock=Hasty(None, None))

    assert (len(system.heard), outcome_name(outcome)) == (asked, ended)
    assert len({heard.headers.get("Idempotency-Key") for heard in system.heard}) == 1


async def test_one_pool_of_connections_serves_all_and_can_be_opened_again(
    one: OneTool, system: System
) -> None:
    tool = one(GET)
    await run(tool)
    session = await tool.service.connections.session()
    await run(tool)
    assert await tool.service.connections.session() is session

    await tool.service.connections.close()
    assert session.closed
    assert await run(tool) == {}


def test_an_unclosed_pool_is_closed_with_its_loop(one: OneTool, tmp_path: Path) -> None:
    async def ask() -> object:
        return await one(GET).service.connections.session()

    session = asyncio.run(ask())

    assert getattr(session, "closed", False)


async def test_a_read_back_is_a_clause_in_the_customers_language(one: OneTool) -> None:
    words = (
        'confirm = {en = "cancel order {{ arguments.n }}", de = "Bestellung {{ arguments.n }} stornieren"}\n'
    )
    tool = one(
        'path = "/{n}"\nmethod = "DELETE"\n' + words + '[tools.find.params]\nn = {description = "it"}\n'
    )
    plain = one('path = "/x"\nmethod = "DELETE"\nconfirm = true')

    async def asked(tool: HttpTool, locale: str) -> str | None:
        customer = Customer(tenant="t", id="7", level="verified", locale=locale)
        return await tool.read_back({"n": "7"}, customer=customer, book=shipped_book())

    assert await asked(tool, "en") == "cancel order 7"
    assert await asked(tool, "de-AT") == "Bestellung 7 stornieren"
    assert await asked(tool, "fr") is None
    assert await asked(plain, "en") is None
    assert (tool.spec.confirm, plain.spec.confirm) == (True, True)
