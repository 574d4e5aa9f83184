"""``assistant tools``, with tools of MCP servers."""

import json
from pathlib import Path

import pytest
import structlog
from typer.testing import CliRunner, Result

from assistant.commands.project.tools import app
from tests.mcp.conftest import CRM_AND_GONE, Write


@pytest.fixture
def tools(folder: Write) -> Path:
    return folder(CRM_AND_GONE)


def run(*arguments: str, answers: str = "") -> Result:
    try:
        return CliRunner().invoke(app, arguments, input=answers)
    finally:
        structlog.reset_defaults()


def test_nothing_is_offered_until_it_is_approved(tools: Path) -> None:
    assert run("list").output == "There are no tools in tools.\n"

    refused = run("approve", "crm", answers="n\n")
    assert refused.exit_code == 1
    assert refused.output.startswith("new: ping\n    Ping.\n")
    assert not (tools / "mcp.approved.json").exists()

    approved = run("approve", "crm", answers="y\n")
    assert approved.exit_code == 0
    assert approved.output.endswith(
        "Approve ping? [y/N]: y\nApproved. It is stored in tools/mcp.approved.json.\n"
    )
    assert list(json.loads((tools / "mcp.approved.json").read_text())["servers"]["crm"]) == ["ping"]
    assert run("list").output == "crm_ping  (write, tools/mcp.toml:1)\n    Ping.\n"

    assert run("approve", "crm").output == "Nothing is left to approve.\n"


def test_a_tool_that_a_server_dropped_is_removed_when_approved(tools: Path) -> None:
    run("approve", "crm", "--yes")
    file = tools / "mcp.approved.json"
    file.write_text(file.read_text().replace('"ping"', '"pong"'), encoding="utf-8")
    assert run("check").exception is not None  # the hash is over the name, too

    file.unlink()
    run("approve", "crm", "ping", "--yes")
    kept = json.loads(file.read_text())
    from assistant.mcp.approval import Definition, write_approved

    gone = Definition(name="old", input={"type": "object"})
    write_approved(tools, {"crm": {"old": gone}})
    removed = run("approve", "crm", "old", "--yes")
    assert removed.output == "removed: old\nApproved. It is stored in tools/mcp.approved.json.\n"
    assert json.loads(file.read_text()) == {"servers": {}}
    assert list(kept["servers"]) == ["crm"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("shop",), "there is no server 'shop'; there are: crm, gone"),
        (("crm", "pong"), "it has no tool 'pong'; it has: ping"),
        (("gone",), "ModuleNotFoundError: no crm here"),
    ],
)
def test_a_tool_that_cannot_be_approved_is_reported_with_the_reason(
    tools: Path, arguments: tuple[str, ...], says: str
) -> None:
    result = run("approve", *arguments)

    assert result.exit_code == 2
    assert says in " ".join(result.output.replace("│", " ").split())


def test_check_drafts_a_hint_for_each_tool_without_one(tools: Path) -> None:
    run("approve", "crm", "--yes")
    assert 'tools/mcp.toml:1: crm_ping could have waiting_hint = "..."' in run("check").output


def test_a_tool_can_be_called_alone(tools: Path) -> None:
    run("approve", "crm", "--yes")

    assert run("call", "crm_ping").stdout == '"pong"\n'


def test_an_unusable_tool_is_named_and_the_others_can_be_approved(folder: Write) -> None:
    tools = folder(CRM_AND_GONE.replace('rogue.py"]', 'rogue.py", "unfit"]', 1))

    approved = run("approve", "crm", "--yes")

    assert approved.output.splitlines()[:2] == [
        "left out: no_schema: inputSchema: Field required",
        "left out: strange: inputSchema.type: Input should be 'object'",
    ]
    assert list(json.loads((tools / "mcp.approved.json").read_text())["servers"]["crm"]) == ["ping"]
