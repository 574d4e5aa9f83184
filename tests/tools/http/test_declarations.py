"""Files of HTTP tools: the resulting tools, and all mistakes in them together."""

from pathlib import Path

import pytest

from assistant.conversation.tool_spec import Hint
from assistant.errors import BadArguments, DeclarationError
from assistant.tools.discovery import discover, rediscover
from assistant.tools.http.service import Connections
from assistant.tools.http.tool import read_http_file
from tests.tools.http.conftest import ReadFile

HEAD = '[api]\nbase_url = "https://shop.example"\n'
TOOL = HEAD + '[tools.find]\ndescription = "Find."\npath = "/x"\nwaiting_hint = "looking"\n'

WHOLE = """
[api]
base_url = "https://shop.example/v1"
timeout_s = 4

[tools.get_order]
description = "Tell how far an order is."
path = "/customers/{customer.id}/orders/{number}"
query = {status = "{status}"}
waiting_hint = "tracking your order"
hints = {de = ["nach Ihrer Bestellung sehen", "sehe nach Ihrer Bestellung"]}
narration = {en = "It is {{ value.status }}.", de = "Stand: {{ value.status }}."}
examples = ["where is my order"]
retries = 2
cache_ttl_s = 30
max_concurrency = 4
instructions = "Say the day, not the time."
trusted = true

[tools.get_order.params.number]
type = "string"
description = "the order's number"

[tools.get_order.params.status]
type = "string"
description = "only those"
enum = ["open", "closed"]
default = "open"

[tools.cancel_order]
description = "Cancel an order."
method = "DELETE"
path = "/orders/{number}"
waiting_hint = "cancelling your order"
confirm = "cancel order {{ arguments.number }}"
timeout_s = 20
requires = "signed_in"
idempotent = true
acknowledge = "always"

[tools.cancel_order.params]
number = {type = "string", description = "the order's number"}
"""


def test_a_section_becomes_a_tool_like_any_other(read: ReadFile) -> None:
    order, cancel = (tool.spec for tool in read(WHOLE).tools)

    assert order.parameters == {
        "type": "object",
        "properties": {
            "number": {"type": "string", "description": "the order's number"},
            "status": {
                "type": "string",
                "description": "only those",
                "enum": ["open", "closed"],
                "default": "open",
            },
        },
        "required": ["number"],
        "additionalProperties": False,
    }
    assert order.hints == {
        "en": Hint(doing="tracking your order", will="track your order"),
        "de": Hint(doing="nach Ihrer Bestellung sehen", will="sehe nach Ihrer Bestellung"),
    }
    assert (order.effect, order.timeout_s, order.requires, order.confirm) == ("read", 4.0, "verified", False)
    assert (order.retries, order.cache_ttl_s, order.max_concurrency, order.idempotent) == (2, 30.0, 4, False)
    assert (order.narration, order.narrations) == (
        "It is {{ value.status }}.",
        {"de": "Stand: {{ value.status }}."},
    )
    assert (order.trusted, order.foreign) == (True, False)
    assert (order.examples, order.instructions) == (("where is my order",), "Say the day, not the time.")
    assert (cancel.effect, cancel.timeout_s, cancel.requires, cancel.confirm) == (
        "write",
        20.0,
        "signed_in",
        True,
    )
    assert (cancel.idempotent, cancel.acknowledge, cancel.narration) == (True, "always", None)
    assert (order.where, cancel.where) == ("shop.http.toml:5", "shop.http.toml:29")


def test_another_address_may_come_from_the_environment(read: ReadFile) -> None:
    source = TOOL.replace('"\n[', '"\nbase_url_from = "SHOP_URL"\n[', 1)
    here = read(source).tools[0].service.base.origin
    there = read(source, None, {"SHOP_URL": "http://127.0.0.1:8001/v2/"}).tools[0].service.base

    assert here == "https://shop.example"
    assert (there.origin, there.path) == ("http://127.0.0.1:8001", "/v2")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({}, "number is missing"),
        ({"number": []}, "number should be of type string (given: [])"),
        ({"number": "7", "status": "x"}, 'status should be one of: "open", "closed" (given: "x")'),
        ({"number": "7", "colour": 1}, "arguments does not fit: Additional properties are not allowed"),
    ],
)
def test_invalid_arguments_are_reported_one_by_one(
    read: ReadFile, arguments: dict[str, object], problem: str
) -> None:
    with pytest.raises(BadArguments) as bad:
        read(WHOLE).tools[0].validate(arguments)  # pyright: ignore[reportArgumentType]

    assert bad.value.problems[0].startswith(problem)


@pytest.mark.parametrize(
    ("parameter", "given", "fitted"),
    [
        ('type = "integer"', "3", 3),
        ('type = "integer"', 3.0, 3),
        ('type = "number"', "2.5", 2.5),
        ('type = "boolean"', "true", True),
        ('type = "string"', 12, "12"),
        ('type = "string", format = "date"', "2026-11-24", "2026-11-24"),
        ('type = "string", format = "date-time"', "2026-11-24T10:00:00+01:00", "2026-11-24T10:00:00+01:00"),
        ('type = "array", items = {type = "integer"}', ["1", 2], [1, 2]),
        ('type = "object", properties = {a = {default = 1}}', {}, {"a": 1}),
        ("minimum = 1", 1, 1),
    ],
)
def test_nearly_correct_arguments_are_corrected(
    read: ReadFile, parameter: str, given: object, fitted: object
) -> None:
    source = TOOL + f'method = "POST"\nbody = "{{p}}"\nparams = {{p = {{description = "it", {parameter}}}}}'
    tool = read(source).tools[0]
    once = tool.validate({"p": given})  # pyright: ignore[reportArgumentType]

    assert once == {"p": fitted}
    assert tool.validate(once) == once


@pytest.mark.parametrize(
    ("parameter", "given", "problem"),
    [
        ('type = "integer"', "three", "p should be of type integer"),
        ('type = "integer"', True, "p should be of type integer"),
        ('type = "boolean"', "1", "p should be of type boolean"),
        ('type = "string"', True, "p should be of type string"),
        ('type = "string", format = "date"', "tomorrow", "p should be a date"),
        ('type = "string", format = "date-time"', "tomorrow", "p should be a date-time"),
        ('type = "string", maxLength = 3', "x" * 400, "p does not fit"),
        ('type = "array", maxItems = 1', [1, 2], "p does not fit"),
        (
            'type = "object", properties = {a = {type = "object", properties = {b = {}}}}',
            {"a": {}},
            "p.a.b is missing",
        ),
        ('type = "object", properties = {a = {}}', {"a": 1, "c": 2}, "p does not fit"),
    ],
)
def test_a_mistake_is_reported_with_its_place(
    read: ReadFile, parameter: str, given: object, problem: str
) -> None:
    source = TOOL + f'method = "POST"\nbody = "{{p}}"\nparams = {{p = {{description = "it", {parameter}}}}}'

    with pytest.raises(BadArguments) as bad:
        read(source).tools[0].validate({"p": given})  # pyright: ignore[reportArgumentType]

    assert bad.value.problems[0].startswith(problem)
    assert len(bad.value.problems[0]) < 300


FILES = (Path(__file__).parent / "mistakes.txt").read_text().removeprefix("=== ").split("\n=== ")
"""Each file below the mistake that is in it: its line, and how the sentence begins."""


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.partition("\n")[0][:50])
def test_a_mistake_is_reported_with_its_line_and_solution(read: ReadFile, file: str) -> None:
    told, _, source = file.partition("\n")
    found = read(source)
    shown = [str(mistake) for mistake in found.mistakes]

    assert any(line.startswith(f"shop.http.toml:{told}") for line in shown), shown
    assert "hunter2" not in "".join(shown)


def test_an_address_from_the_environment_is_not_quoted_either(read: ReadFile) -> None:
    source = TOOL.replace('"\n[', '"\nbase_url_from = "SHOP_URL"\n[', 1)
    (mistake,) = read(source, None, {"SHOP_URL": "https://me:hunter2@x"}).mistakes

    assert str(mistake).startswith("shop.http.toml:3: SHOP_URL has a user or password in it")
    assert "hunter2" not in str(mistake)


def test_mistakes_from_generated_files_are_reported_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.toml").write_bytes(b"\xff")
    (tmp_path / "b.toml").mkdir()
    told = [
        str(read_http_file(tmp_path / name, Connections(), {}).mistakes[0]) for name in ("a.toml", "b.toml")
    ]

    assert told[0] == "a.toml:1: not UTF-8 text (invalid start byte); save it as UTF-8"
    assert told[1] == "b.toml:1: cannot be read: Is a directory; give the server leave to"


PYTHON = '''
from assistant import tool

@tool(waiting_hint="looking")
def find() -> str:
    """Find."""
    return "x"
'''


def test_both_kinds_of_tools_may_be_in_one_folder(tmp_path: Path) -> None:
    (tmp_path / "found.py").write_text(PYTHON)
    (tmp_path / "shop.http.toml").write_text(TOOL.replace("find]", "seek]"))
    (tmp_path / "_aside.toml").write_text("broken")
    (tmp_path / "mcp.toml").write_text("[servers]")

    assert [spec.name for spec in discover(tmp_path).specs] == ["find", "seek"]
    assert [spec.name for spec in rediscover(tmp_path, Connections()).specs] == ["find", "seek"]


def test_mistakes_of_both_kinds_are_reported_together(tmp_path: Path) -> None:
    (tmp_path / "found.py").write_text(PYTHON.replace('"looking"', '"Wait."'))
    (tmp_path / "shop.http.toml").write_text(TOOL + "retries = 9")
    (tmp_path / "twice.toml").write_text(TOOL)

    with pytest.raises(DeclarationError) as refused:
        discover(tmp_path)

    told = str(refused.value).replace(f"{tmp_path}/", "").splitlines()
    assert [line.partition(": ")[0] for line in told] == ["found.py:4", "shop.http.toml:7", "twice.toml:3"]
    assert told[2].endswith("found.py:4 already; rename one of them")


def test_a_draft_is_for_testing_and_never_offered(tmp_path: Path) -> None:
    (tmp_path / "shop.http.toml").write_text(TOOL + "draft = true")

    assert list(discover(tmp_path)) == []
    assert [spec.name for spec in discover(tmp_path, drafts=True).specs] == ["find"]
