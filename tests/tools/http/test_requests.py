"""What a tool sends: its arguments in their places, which they cannot change."""

import asyncio

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assistant.conversation.customer import Customer
from assistant.errors import BadArguments
from assistant.telemetry.context import begin_call, begin_work, traceparent
from assistant.tools.http.service import path_of, query_of
from tests.tools.http.conftest import ANA, OneTool, System, run

ORDER = """
path = "/customers/{customer.id}/orders/{number}"
query = {day = "{day}", limit = 20, tag = "{tags}", label = "no. {number}"}

[tools.find.params]
number = {type = "string", description = "the order's number"}
day = {type = "string", format = "date", description = "the day", required = false}
tags = {type = "array", items = {type = "string"}, description = "tags", required = false}
"""

CHANGE = """
method = "POST"
path = "/orders"
body = {order = {number = "{number}", lines = [{sku = "{sku}", count = "{count}"}]}, gift = "{gift}", via = "chat"}
headers = {"X-Channel" = "chat {customer.locale}"}

[tools.find.params]
number = {type = "string", description = "the number"}
sku = {type = "string", description = "the article"}
count = {type = "integer", description = "how many", default = 1}
gift = {type = "boolean", description = "whether it is a gift", required = false}
"""


async def test_arguments_and_the_customer_are_encoded_in_their_places(one: OneTool, system: System) -> None:
    await run(one(ORDER), {"number": "10/17 ä&b", "tags": ["a&b", "c"], "day": "2026-11-24"})

    assert system.heard[0].line == (
        "GET /v1/customers/c%207%2F8/orders/10%2F17%20%C3%A4%26b"
        "?day=2026-11-24&limit=20&tag=a%26b&tag=c&label=no.%2010%2F17%20%C3%A4%26b"
    )
    assert "Idempotency-Key" not in system.heard[0].headers


async def test_a_system_learns_which_trace_its_call_belongs_to(one: OneTool, system: System) -> None:
    await run(one(ORDER), {"number": "7"})

    async def traced() -> str | None:
        begin_work("shop", "c-1", "t1", share=1.0)
        begin_call("t1", "c1.1")
        await run(one(ORDER), {"number": "7"})
        return traceparent()

    parent = await asyncio.create_task(traced())

    assert parent is not None
    assert [heard.headers.get("traceparent") for heard in system.heard] == [None, parent]


async def test_omitted_arguments_are_not_sent(one: OneTool, system: System) -> None:
    await run(one(ORDER), {"number": "7", "day": None})

    assert system.heard[0].line == "GET /v1/customers/c%207%2F8/orders/7?limit=20&label=no.%207"


async def test_a_body_keeps_the_types_of_its_arguments(one: OneTool, system: System) -> None:
    await run(one(CHANGE), {"number": 7, "sku": 'a"b', "count": "3"})

    assert orjson.loads(system.heard[0].body) == {
        "order": {"number": "7", "lines": [{"sku": 'a"b', "count": 3}]},
        "via": "chat",
    }
    headers = system.heard[0].headers
    assert headers["Content-Type"] == "application/json"
    assert headers["X-Channel"] == "chat en"


async def test_a_change_has_the_calls_key_and_a_lookup_none(one: OneTool, system: System) -> None:
    await run(one(CHANGE), {"number": "7", "sku": "a"})
    named = one('path = "/x"\nmethod = "DELETE"', 'idempotency_header = "X-Once"')
    await run(named)
    unnamed = one('path = "/x"\nmethod = "DELETE"', 'idempotency_header = ""')
    await run(unnamed)
    await run(one('path = "/x"\nmethod = "POST"\neffect = "read"'))

    first, second, third, fourth = system.heard
    assert first.headers["Idempotency-Key"] == "key-1"
    assert second.headers["X-Once"] == "key-1"
    assert not {"key-1"} & {*third.headers.values(), *fourth.headers.values()}


async def test_a_form_is_sent_as_forms_are(one: OneTool, system: System) -> None:
    tool = one(
        """
        method = "POST"
        path = "/token/"
        body_as = "form"
        body = {note = "{note}", tags = "{tags}", key = "{call.key}"}
        [tools.find.params]
        note = {type = "string", description = "a note"}
        tags = {type = "array", items = {type = "string"}, description = "tags", default = ["x", "y"]}
        """
    )
    await run(tool, {"note": "a&b=c"})

    assert system.heard[0].line == "POST /v1/token/"
    assert system.heard[0].body == "note=a%26b%3Dc&tags=x&tags=y&key=key-1"
    assert system.heard[0].headers["Content-Type"] == "application/x-www-form-urlencoded"


async def test_a_whole_body_may_be_one_argument(one: OneTool, system: System) -> None:
    tool = one(
        """
        method = "PUT"
        path = "/x"
        body = "{address}"
        [tools.find.params.address]
        type = "object"
        description = "the address"
        required = false
        properties = {street = {type = "string"}, zip = {type = "string", required = false}}
        """
    )
    await run(tool, {"address": {"street": " Main St ", "zip": None}})
    await run(tool)

    assert [heard.body for heard in system.heard] == ['{"street":"Main St"}', ""]


@pytest.mark.parametrize(
    ("auth", "sent"),
    [
        ('auth = {bearer = "SHOP_TOKEN"}', "Bearer s3cret-token"),
        ('auth = {basic = ["SHOP_USER", "SHOP_PASSWORD"]}', "Basic cm9ib3Q6aHVudGVyMg=="),
        ('auth = {header = {Authorization = "SHOP_TOKEN"}}', "s3cret-token"),
    ],
)
async def test_secrets_come_from_the_environment(one: OneTool, system: System, auth: str, sent: str) -> None:
    await run(one('path = "/x"', auth))

    assert system.heard[0].headers["Authorization"] == sent


async def test_a_secret_in_the_query_is_next_to_the_others(one: OneTool, system: System) -> None:
    auth = 'auth = {query = {api_key = "SHOP_TOKEN"}}'
    await run(one('path = "/x"', auth))
    await run(one('path = "/x"\nquery = {a = 1}', auth))

    assert [heard.line for heard in system.heard] == [
        "GET /v1/x?api_key=s3cret-token",
        "GET /v1/x?a=1&api_key=s3cret-token",
    ]


async def test_a_name_cannot_break_out_of_a_header(one: OneTool, system: System) -> None:
    tool = one('path = "/x"\nheaders = {"X-Who" = "{customer.name}"}')
    await run(tool, customer=Customer(tenant="t", id="7", level="verified", name="Zoë\r\nX-Admin: 1"))

    assert system.heard[0].headers["X-Who"] == "ZoX-Admin: 1"
    assert "X-Admin" not in system.heard[0].headers


async def test_a_system_without_a_key_header_gets_none(one: OneTool, system: System) -> None:
    tool = one('path = "/x"\nheaders = {"X-Who" = "{customer.name}"}\nquery = {who = "{customer.name}"}')
    await run(tool, customer=Customer(tenant="t", id="7", level="verified"))

    assert system.heard[0].line == "GET /v1/x"
    assert "X-Who" not in system.heard[0].headers


BENDING = [
    "..",
    ".",
    "../admin",
    "a/../../admin",
    "..\\admin",
    "%2e%2e",
    "%252e%252e/x",
    "a\r\nHost: b",
    "\x00",
    " ",
    "",
    "9" * 501,
]


@pytest.mark.parametrize("number", BENDING)
async def test_no_argument_changes_an_address(one: OneTool, system: System, number: str) -> None:
    with pytest.raises(BadArguments, match="number "):
        await run(one(ORDER), {"number": number})

    assert system.heard == []


async def test_two_arguments_together_cannot_change_it_either(one: OneTool) -> None:
    tool = one(
        """
        path = "/x/{a}{b}"
        [tools.find.params]
        a = {type = "string", description = "a"}
        b = {type = "string", description = "b"}
        """
    )

    with pytest.raises(BadArguments, match="cannot be part of an address"):
        await run(tool, {"a": ".", "b": "."})


@given(value=st.text())
def test_any_value_stays_in_its_segment(value: str) -> None:
    try:
        path = path_of(["orders", value, "lines"])
    except ValueError:
        return

    assert path.split("/")[1::2] == ["orders", "lines"]
    assert not set(path) & set("?#\\ \r\n@")
    assert path.isascii()
    assert ".." not in path.split("/")


@given(value=st.text(st.characters(exclude_categories=["Cs"])))
def test_any_value_stays_in_its_parameter(value: str) -> None:
    query = query_of([("a", value), ("b", "c")])

    assert query.startswith("?a=")
    assert query.endswith("&b=c")
    assert query.count("&") == 1
    assert query.isascii()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25)
@given(key=st.text())
def test_every_key_fits_into_a_header_and_stays_unique(one: OneTool, key: str) -> None:
    plan = one(CHANGE).request
    values = {"number": "1", "sku": "2", "count": 1, "customer.locale": "en"}

    sent = plan.with_values({**values, "call.key": key}).headers["Idempotency-Key"]
    other = plan.with_values({**values, "call.key": f"{key}2"}).headers["Idempotency-Key"]

    assert sent.isascii()
    assert sent.isprintable()
    assert sent.strip() == sent != ""
    assert sent != other


async def test_a_request_does_not_show_its_customer(one: OneTool) -> None:
    request = one('path = "/x"').request.with_values({"customer.id": ANA.id})

    assert repr(request) == "Request(GET)"
