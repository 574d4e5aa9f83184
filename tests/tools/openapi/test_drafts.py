"""Descriptions as people write them: odd, circular, ambiguous. The draft says what it lost."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.errors import DeclarationError
from assistant.tools.discovery import discover
from assistant.tools.hints import hint_problem
from assistant.tools.http.service import Connections
from assistant.tools.http.tool import read_http_file
from assistant.tools.openapi.document import Document, read_document
from assistant.tools.openapi.draft_file import DraftedFile, draft_file, wording
from assistant.tools.openapi.draft_tool import comments, toml_value
from tests.support.rows import check_rows

ODD = Path(__file__).parent / "odd.yaml"


@pytest.fixture
def odd() -> DraftedFile:
    return draft_file(read_document(ODD))


@pytest.fixture
def written(odd: DraftedFile) -> dict[str, Any]:
    return tomllib.loads(odd.text)


def above(text: str, line: str) -> list[str]:
    """The comments right above a line."""
    lines = text.splitlines()
    at = lines.index(line)
    begin = next(number for number in range(at, -1, -1) if not lines[number - 1].startswith("#"))
    return [one.removeprefix("# ") for one in lines[begin:at]]


def test_possible_tools_are_drafted_and_the_rest_is_named_with_reasons(odd: DraftedFile) -> None:
    assert odd.names == (
        "get_account",
        "delete_account",
        "tickets_open",
        "search_everything",
        "search_everything_2",
        "list_orders",
    )
    assert odd.left_out == (
        "PUT /upload (upload): it takes neither JSON nor a form",
        "GET /broken//path (broken_path): path should have no empty or dotted part",
    )
    assert "# left out: PUT /upload (upload): it takes neither JSON nor a form" in odd.text


def test_the_system_is_drafted_with_variables_for_all_secrets(
    odd: DraftedFile, written: dict[str, Any]
) -> None:
    assert written["api"] == {
        "base_url": "http://crm.internal/v1",
        "plain_http": True,
        "base_url_from": "MOBEL_URL",
        "name": "our system",
        "auth": {
            "header": {"X-CRM-Key": "MOBEL_X_CRM_KEY"},
            "query": {"app": "MOBEL_APP"},
            "basic": ["MOBEL_USER", "MOBEL_PASSWORD"],
        },
    }
    assert written["tools"]["search_everything"]["auth"] == {"bearer": "{customer.token}"}
    assert written["tools"]["search_everything"]["requires"] == "signed_in"
    assert above(odd.text, "[api]") == []


def test_a_lookup_keeps_what_can_be_sent_and_names_the_rest(
    odd: DraftedFile, written: dict[str, Any]
) -> None:
    lookup = written["tools"]["get_account"]

    assert (lookup["path"], lookup["result"]) == ("/account/{id}", "data")
    assert lookup["query"] == {"verbose": "{verbose}", "tags": "{tags}", "user_id": "{customer.id}"}
    assert lookup["params"]["verbose"] == {"description": "Say more.", "type": "integer", "required": False}
    assert above(odd.text, "[tools.get_account]") == [
        "GET /account/{id}",
        "review: it is deprecated",
        "left out: query parameter 'filter' (an object), which is required",
        "left out: query parameter 'where' (an object)",
        "left out: header 'Accept-Language'",
        "left out: cookie 'session'",
    ]
    assert "# review: 'tags' is sent once for each value; the description wants commas between" in odd.text
    assert "# review: 'user_id' is always taken from the identified customer" in odd.text


def test_a_body_is_split_into_arguments(odd: DraftedFile, written: dict[str, Any]) -> None:
    ticket = written["tools"]["tickets_open"]

    assert ticket["path"] == "/customers/{customer.id}/tickets"
    assert ticket["body"] == {
        "topic": "{topic}",
        "kind": "{{ticket}}",
        "order-no": "{order_no}",
        "order no": "{order_no_2}",
        "id": "{id}",
        "urgency": "{urgency}",
        "amount": "{amount}",
        "about": "{about}",
        "maybe": "{maybe}",
        "both": "{both}",
        "any": "{any}",
        "map": "{map}",
        "tree": "{tree}",
        "customerId": "{customer.id}",
        "day": "{day}",
    }
    optional = {"required": False}
    described = {
        name: {k: v for k, v in keys.items() if k != "description"} for name, keys in ticket["params"].items()
    }
    assert described == {
        "topic": {"type": "string", "enum": ["billing", "other"]},
        "order_no": {"type": "string", "minLength": 3, "maxLength": 9, "pattern": "^[0-9]+$"},
        "order_no_2": {"type": "integer", "minimum": 1, "default": 4},
        "id": {"type": "string", **optional},
        "urgency": {"type": "string", "enum": ["low", "high"], **optional},
        "amount": optional,
        "about": {
            "type": "object",
            "properties": {"a": {"type": "string"}, "b": {"type": "integer", **optional}},
            **optional,
        },
        "maybe": {"type": "string", "format": "date", **optional},
        "both": optional,
        "any": optional,
        "map": {"type": "object", **optional},
        "tree": {
            "type": "object",
            "properties": {
                "name": {"type": "string", **optional},
                "next": optional,
                "loop": optional,
            },
            **optional,
        },
        "day": {"type": "string", "format": "date", **optional},
    }


def test_lost_parts_of_a_body_are_noted_in_the_draft(odd: DraftedFile) -> None:
    told = re.findall("# review: the body (.*)", odd.text)

    assert told == [
        "multipleOf is not checked",
        "pattern is not checked",
        "is one of several shapes",
        "is of type string or integer",
        "takes further keys of any name",
        "refers to itself or is very deep: anything goes there",
    ]
    assert (
        "# review: it is sent as application/json; the description says application/vnd.crm+json" in odd.text
    )
    assert (
        "# left out: header 'X-Idempotency-Key'; write idempotency_header = 'X-Idempotency-Key' into [api]"
        in odd.text
    )
    assert "# left out: header 'X-Tenant', which is required; write it into headers = {...}" in odd.text


def test_changes_ask_first_and_possible_lookups_are_questions(
    odd: DraftedFile, written: dict[str, Any]
) -> None:
    tools = written["tools"]

    assert {name: one.get("confirm", False) for name, one in tools.items()} == {
        "get_account": False,
        "delete_account": True,
        "tickets_open": True,
        "search_everything": True,
        "search_everything_2": True,
        "list_orders": False,
    }
    assert odd.text.count('review: if it changes nothing: effect = "read", and no confirm') == 2
    assert tools["search_everything"]["body"] == "{body}"
    assert "# review: the answer is text/html: it cannot be read" in odd.text
    assert "# review: it was not described; models choose by this" in odd.text


def test_hints_and_phrases_are_drafted_from_verbs_or_left_to_people(written: dict[str, Any]) -> None:
    assert {name: one["waiting_hint"] for name, one in written["tools"].items()} == {
        "get_account": "looking up your account",
        "delete_account": "deleting the account",
        "tickets_open": "opening your ticket",
        "search_everything": "searching your everything",
        "search_everything_2": "searching the everything",
        "list_orders": "looking up the orders",
    }
    assert written["tools"]["tickets_open"]["examples"] == [
        "open my ticket",
        "I want to open my ticket",
        "can you open my ticket",
    ]


def described(**parts: Any) -> DraftedFile:
    """The draft of one operation, in a description with these parts."""
    operation: dict[str, Any] = {"operationId": "getIt", **parts.pop("operation", {})}
    return draft_file(Document({"openapi": "3.1.0", "paths": {"/it": {"post": operation}}, **parts}))


@pytest.mark.parametrize(
    ("servers", "address"),
    [
        ([{"url": "/v2/"}], "https://shop.example/v2"),
        ([{"url": "https://[x"}], "https://shop.example"),
        ([], "https://shop.example"),
        ("wrong", "https://shop.example"),
    ],
)
def test_a_missing_address_is_requested(servers: object, address: str) -> None:
    drafted = described(servers=servers).text

    assert f'# review: is this where your system is?\nbase_url = "{address}"\n' in drafted


def test_an_unsupported_authentication_is_named() -> None:
    schemes = {"jar": {"type": "apiKey", "in": "cookie", "name": "s"}, "tls": {"type": "mutualTLS"}}
    drafted = described(
        components={"securitySchemes": schemes}, security=[{"jar": [], "tls": [], "nowhere": []}]
    ).text

    assert re.findall("# left out: security scheme (.*);", drafted) == ["'tls'", "'nowhere'"]
    assert 'auth = {header = {Cookie = "s={customer.token}"}}' in drafted


def test_programs_with_two_ways_to_sign_in_keep_the_token() -> None:
    machine: dict[str, Any] = {"type": "oauth2", "flows": {"clientCredentials": {}}}
    schemes: dict[str, Any] = {"machine": machine, "basic": {"type": "http", "scheme": "basic"}}
    drafted = described(
        info={"title": "Shop"},
        components={"securitySchemes": schemes},
        security=[{"machine": [], "basic": []}],
    ).text

    assert "# review: some operations are described with a user and a password instead" in drafted
    assert (
        "# review: tokens are not requested automatically: the variable must have one that stays valid"
        in drafted
    )
    assert 'auth = {bearer = "SHOP_TOKEN"}' in drafted


def test_a_customer_id_deep_in_a_body_is_a_question() -> None:
    owner = {"type": "object", "properties": {"customerId": {"type": "string"}}}
    body = {"type": "object", "properties": {"lines": {"type": "array", "items": owner}}}
    drafted = described(operation={"requestBody": {"content": {"application/json": {"schema": body}}}})

    assert (
        "# review: 'lines' has 'customerId' in it, which a model would fill in; take it out" in drafted.text
    )


def test_a_body_that_is_a_list_is_one_argument() -> None:
    line = {
        "type": "object",
        "required": ["sku"],
        "properties": {"sku": {"type": "string"}, "n": {"type": "integer"}},
    }
    content = {"application/json": {"schema": {"type": "array", "items": line, "minItems": 1}}}
    drafted = described(
        operation={"requestBody": {"content": content, "required": True, "description": "All lines"}}
    )
    tool = tomllib.loads(drafted.text)["tools"]["get_it"]

    assert tool["body"] == "{body}"
    assert tool["params"]["body"] == {
        "description": "All lines",
        "type": "array",
        "minItems": 1,
        "items": {
            "type": "object",
            "properties": {"sku": {"type": "string"}, "n": {"type": "integer", "required": False}},
        },
    }


def test_a_part_in_another_file_may_be_anything() -> None:
    body = {"content": {"application/json": {"schema": {"$ref": "other.yaml#/Order"}}}, "required": True}
    drafted = described(operation={"requestBody": body})

    assert tomllib.loads(drafted.text)["tools"]["get_it"]["params"] == {"body": {"description": "the body"}}


@pytest.mark.parametrize("only", [["tickets.open"], ["tickets_open"]])
def test_only_selected_operations_are_drafted(only: list[str]) -> None:
    assert draft_file(read_document(ODD), only).names == ("tickets_open",)


def test_an_unknown_name_is_reported_with_the_known_ones() -> None:
    with pytest.raises(DeclarationError, match=r"there is no operation 'ticket'; there are: get_account, "):
        draft_file(read_document(ODD), ["ticket"])


def test_an_empty_draft_says_why() -> None:
    with pytest.raises(
        DeclarationError, match=r"(?s)nothing that a tool.*PUT /upload \(upload\): it takes neither"
    ):
        draft_file(read_document(ODD), ["upload"])


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"a: {", "openapi:1: is neither JSON nor YAML: while parsing a flow node"),
        (b"\xff\xff", "is neither JSON nor YAML"),
        (b"[]", "is no OpenAPI description; OpenAPI 3.0 or 3.1 is needed"),
        (b"just words", "is no OpenAPI description"),
        (b"swagger: '2.0'", "is Swagger 2.0; OpenAPI 3.0 or 3.1 is needed, converters make it of 2.0"),
        (b'{"openapi": "4.0"}', "is no OpenAPI description"),
        (b'{"openapi": "3.1.0"}', "there is nothing that a tool could be made of"),
        (b'{"openapi": "3.1.0", "paths": []}', "there is nothing"),
        (b" " * 20_000_001, "has more than 20000000 bytes"),
    ],
)
def test_a_file_that_is_no_description_is_refused(tmp_path: Path, content: bytes, told: str) -> None:
    file = tmp_path / "openapi"
    file.write_bytes(content)

    with pytest.raises(DeclarationError, match=re.escape(told)):
        draft_file(read_document(file))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DeclarationError, match="nowhere: cannot be read: No such file"):
        read_document(tmp_path / "nowhere")


_word = st.sampled_from(
    [
        "get",
        "List",
        "cancels",
        "order",
        "by",
        "id",
        "the",
        "creates",
        "a",
        "tie",
        "update",
        "customer's",
        "x",
        "API",
    ]
)


@given(summary=st.lists(_word, max_size=7).map(" ".join), theirs=st.booleans())
def test_a_tool_has_one_drafted_hint_or_none(summary: str, theirs: bool) -> None:
    drafted = wording([summary], theirs=theirs)

    assert drafted.doing == "" or hint_problem(drafted.doing) is None


@check_rows(
    ("summary", "doing"),
    [
        ("Submits a claim", "submitting the claim"),
        ("Tie orders together", "tying the orders together"),
        ("Update shipping address for an order", "updating the shipping address"),
        ("Free seats", "freeing the seats"),
        ("Stop the subscription", "stopping the subscription"),
        ("Returns order data", "looking up the order"),
        ("Applies a voucher", "applying the voucher"),
        ("Find shops", "looking for the shops"),
        ("Get", ""),
        ("", ""),
    ],
)
def test_verbs_become_gerunds(summary: str, doing: str) -> None:
    assert wording([summary], theirs=False).doing == doing


_json = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@given(value=st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), st.text(), max_size=3))
def test_every_text_can_be_written_and_read_back(value: dict[str, str]) -> None:
    read = tomllib.loads(f"x = {toml_value(value)}")["x"]

    assert read == {key: one.encode("utf-8", "replace").decode() for key, one in value.items()}


@given(text=st.text())
def test_a_comment_stays_a_comment(text: str) -> None:
    assert tomllib.loads("\n".join(comments(text)).encode("utf-8", "replace").decode()) == {}


@given(
    path=st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    node=st.fixed_dictionaries(
        {},
        optional={
            "operationId": st.text(max_size=20),
            "summary": st.text(max_size=40),
            "parameters": st.lists(
                st.fixed_dictionaries(
                    {"name": st.text(max_size=8), "in": st.sampled_from(["query", "path"]), "schema": _json}
                ),
                max_size=3,
            ),
            "requestBody": _json,
            "responses": _json,
        },
    ),
    schema=_json,
)
def test_a_draft_can_be_read_or_nothing_is_drafted(
    tmp_path_factory: pytest.TempPathFactory, path: str, node: dict[str, Any], schema: object
) -> None:
    node = {**node, "requestBody": {"content": {"application/json": {"schema": schema}}}} if schema else node
    described = Document({"openapi": "3.1.0", "paths": {f"/{path}": {"post": node}}})
    file = tmp_path_factory.mktemp("drafts") / "api.http.toml"
    try:
        file.write_text(draft_file(described).text, encoding="utf-8")
    except DeclarationError:
        return

    read = read_http_file(file, Connections(), {})
    assert read.mistakes == ()
    assert [tool.draft for tool in read.tools] == [True]


def test_a_drafted_file_loads_unchanged(odd: DraftedFile, tmp_path: Path) -> None:
    (tmp_path / "crm.http.toml").write_text(odd.text)

    assert len(discover(tmp_path, drafts=True)) == len(odd.names)
