"""Hostile or odd systems, files and arguments."""

import gzip

import pytest
from aiohttp import web
from structlog.testing import capture_logs

from assistant.conversation.values import Json
from assistant.errors import BadArguments, ToolError
from assistant.tools.http.tool import HttpTool
from tests.tools.http.conftest import OneTool, System, run

GET = 'path = "/orders"\n'
POST = 'path = "/orders"\nmethod = "POST"\n'
NUMBER = """
method = "POST"
path = "/orders"
body = {n = "{n}"}
[tools.find.params]
n = {type = "TYPE", description = "n"}
"""


async def failing(tool: HttpTool) -> ToolError:
    with pytest.raises(ToolError) as failed:
        await run(tool)
    return failed.value


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (b"<html>", "text/html"),
        (b"not json", "application/json"),
        (b"\xff", "text/plain"),
        (b'{"a": 1}', "application/json"),
        (b"x" * 2000, "text/plain"),
    ],
)
async def test_a_change_with_an_unreadable_answer_is_not_repeated(
    one: OneTool, system: System, answer: bytes, kind: str
) -> None:
    system.answers(answer, Content_Type=kind)

    failed = await failing(one(POST + 'result = "order"\n', "max_bytes = 1000"))

    assert failed.say == "it was sent off, but I can't see what came of it"
    assert "do not ask for it again" in failed.for_model
    assert not failed.temporary


@pytest.mark.parametrize("status", [408, 500, 502, 504, 520])
async def test_a_change_that_failed_inside_the_system_may_have_been_made(
    one: OneTool, system: System, status: int
) -> None:
    system.answers({"detail": "oops"}, status=status)

    failed = await failing(one(POST))

    assert failed.say == "I can't tell whether our shop has done it"
    assert failed.for_model == (
        f"It answered {status}: it may or may not have been done. Do not ask for it again before it has been"
        " looked up. It says: oops"
    )
    assert "done" not in (await failing(one(GET))).for_model


@pytest.mark.parametrize("status", [400, 429, 501, 503])
async def test_a_change_that_was_refused_was_not_made(one: OneTool, system: System, status: int) -> None:
    system.answers({}, status=status)

    assert "may or may not" not in (await failing(one(POST))).for_model


@pytest.mark.parametrize("method", ["PUT", "DELETE", "POST"])
async def test_a_change_is_sent_once_even_if_its_connection_breaks(
    one: OneTool, system: System, method: str
) -> None:
    tool = one(f'path = "/orders"\nmethod = "{method}"\n')
    await run(tool)

    async def hang_up(request: web.Request) -> web.StreamResponse:
        assert request.transport is not None
        request.transport.abort()
        return web.Response()

    system.respond = hang_up
    with capture_logs() as logs:
        failed = await failing(tool)

    assert [one["event"] for one in logs] == ["a change was sent and not answered"]
    assert len(system.heard) == 2
    assert failed.say == "I can't tell whether our shop has done it"


async def test_compressed_answers_are_measured_after_decompression(one: OneTool, system: System) -> None:
    packed = gzip.compress(b"0" * 200_000_000)

    system.answers(packed, Content_Encoding="gzip")
    failed = await failing(one(GET))

    assert failed.say == "there is more than I can look through at once"


async def test_a_proxy_in_the_environment_is_not_used(
    one: OneTool, system: System, monkeypatch: pytest.MonkeyPatch, unused_tcp_port: int
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{unused_tcp_port}")

    assert await run(one(GET)) == {}


@pytest.mark.parametrize(
    "there",
    [
        "http://[",
        "/a b",
        "/caf\u00e9?x=\u2713",
        "//elsewhere.example/x",
        "http://127.0.0.1:1/",
        "http://user:pass@{host}/x",
        "file:///etc/passwd",
        "\\\\elsewhere",
    ],
)
async def test_a_lookup_that_is_redirected_away_is_a_failure(
    one: OneTool, system: System, there: str
) -> None:
    system.answers("", status=302, Location=there.replace("{host}", system.address.removeprefix("http://")))

    failed = await failing(one(GET))

    assert failed.say == "our shop has a problem just now"
    assert len(system.heard) == 1


@pytest.mark.parametrize(
    ("kind", "value", "sent"),
    [
        ("integer", 1e300, None),
        ("integer", "99999999999999999999999", None),
        ("integer", 2**70, None),
        ("number", "Infinity", None),
        ("number", "NaN", None),
        ("number", float("inf"), None),
        ("number", "[" * 100_000, None),
        ("string", "\ud800", None),
        ("number", "1e3", '{"n":1000.0}'),
        ("integer", 2**63 - 1, '{"n":9223372036854775807}'),
    ],
)
async def test_values_that_no_body_can_contain_are_reported_to_the_model(
    one: OneTool, system: System, kind: str, value: Json, sent: str | None
) -> None:
    tool = one(NUMBER.replace("TYPE", kind))

    if sent is None:
        with pytest.raises(BadArguments, match=r"\bn\b"):
            await run(tool, {"n": value})
        assert system.heard == []
    else:
        await run(tool, {"n": value})
        assert system.heard[0].body == sent


async def test_half_a_surrogate_pair_in_a_parameter_is_reported_to_the_model(
    one: OneTool, system: System
) -> None:
    tool = one(
        'path = "/orders"\nquery = {q = "{q}"}\n[tools.find.params]\nq = {type = "string", description = "q"}'
    )

    with pytest.raises(BadArguments, match="q"):
        await run(tool, {"q": "a\ud800"})


async def test_a_secret_with_a_line_end_is_sent_without_it(one: OneTool, system: System) -> None:
    tool = one(GET, 'auth = {bearer = "SHOP_TOKEN"}', {"SHOP_TOKEN": " s3cret-token\r\n"})

    await run(tool)

    assert system.heard[0].headers["Authorization"] == "Bearer s3cret-token"


@pytest.mark.parametrize("secret", ["a\nX-Evil: 1", "a\x00b"])
async def test_a_secret_that_no_header_can_contain_counts_as_not_set(
    one: OneTool, system: System, secret: str
) -> None:
    tool = one(GET, 'auth = {bearer = "SHOP_TOKEN"}', {"SHOP_TOKEN": secret})

    failed = await failing(tool)

    assert tool.service.credentials.missing == ("SHOP_TOKEN",)
    assert "SHOP_TOKEN" in failed.for_model
    assert "Evil" not in failed.for_model
    assert system.heard == []


async def test_a_secret_in_an_address_is_removed_from_an_answer(one: OneTool, system: System) -> None:
    secret = "s3cret /+=&"

    async def respond(request: web.Request) -> web.StreamResponse:
        return web.json_response({"detail": f"{request.raw_path} {'x' * 440} {secret}"}, status=400)

    system.respond = respond
    failed = await failing(one(GET, 'auth = {query = {key = "SHOP_TOKEN"}}', {"SHOP_TOKEN": secret}))

    assert "s3cret" not in failed.for_model
    assert failed.for_model.count("[secret") == 2


async def test_a_header_is_sent_once_in_any_spelling(one: OneTool, system: System) -> None:
    api = 'headers = {"X-Channel" = "chat", "accept" = "application/vnd.shop+json"}'
    tool = one(
        POST
        + 'headers = {"x-channel" = "phone", "content-type" = "application/vnd.shop+json"}\nbody = {a = 1}',
        api,
    )

    await run(tool)

    headers = system.heard[0].headers
    assert headers.getall("X-Channel") == ["phone"]  # pyright: ignore
    assert headers.getall("Accept") == ["application/vnd.shop+json"]  # pyright: ignore
    assert headers.getall("Content-Type") == ["application/vnd.shop+json"]  # pyright: ignore


async def test_keys_of_an_unexpected_answer_are_listed_up_to_a_limit(one: OneTool, system: System) -> None:
    system.answers({f"ana{number}@example.com": 1 for number in range(5000)})

    with capture_logs() as logs:
        failed = await failing(one(GET + 'result = "orders"'))

    assert len(failed.for_model) < 1000
    assert "ana0@example.com" in failed.for_model
    assert "example.com" not in str(logs)


async def test_an_answer_may_begin_with_a_byte_order_mark(one: OneTool, system: System) -> None:
    system.answers(b'\xef\xbb\xbf{"a": 1}', Content_Type="application/json")

    assert await run(one(GET)) == {"a": 1}


async def test_an_answer_that_is_no_text_is_reported(one: OneTool, system: System) -> None:
    system.answers(b"\xff\xfe", Content_Type="text/plain")

    assert (await failing(one(GET))).for_model == "The answer is called text and is no utf-8."


@pytest.mark.parametrize(
    ("after", "seconds"),
    [("120", 120.0), ("Sun, 22 Nov 2026 10:00:30 GMT", 30.0), ("soon", None), ("", None)],
)
async def test_the_pause_of_a_busy_system_is_measured_by_its_clock(
    one: OneTool, system: System, after: str, seconds: float | None
) -> None:
    system.answers({}, status=503, Retry_After=after, Date="Sun, 22 Nov 2026 10:00:00 GMT")

    assert (await failing(one(GET))).retry_after_s == seconds
