"""Systems behind tools that are not written in Python: what is missing is reported with the solution."""

import asyncio
from pathlib import Path

import pytest
import structlog
from pydantic import SecretStr
from typer.testing import CliRunner

from assistant.cli import app
from assistant.doctor.service_findings import http_findings, server_findings
from assistant.doctor.setup_findings import tool_findings
from assistant.findings import Doubtful, Fine, Wrong, looked_at
from assistant.settings import Settings
from tests.mcp.conftest import CRM_AND_GONE

SHOP = """
[api]
base_url = "https://shop.example"
name = "our shop"
auth = {bearer = "SHOP_TOKEN"}

[tools.find_order]
description = "Find an order."
path = "/orders"
waiting_hint = ""

[tools.find_book]
description = "Find a book."
path = "/books"
waiting_hint = ""
draft = true
"""


@pytest.fixture
def tools(folder: Path) -> Path:
    (folder / "tools").mkdir()
    return folder / "tools"


def test_drafts_and_missing_secrets_are_reported(tools: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tools / "shop.http.toml").write_text(SHOP, encoding="utf-8")

    draft, secret = http_findings(Settings(tools_dir=tools))

    assert isinstance(draft, Doubtful)
    assert draft.says == "not offered before they are reviewed: find_book"
    assert isinstance(secret, Doubtful)
    assert secret.says == "SHOP_TOKEN is not set, and our shop needs it"
    monkeypatch.setenv("SHOP_TOKEN", "abc")
    assert http_findings(Settings(tools_dir=tools)) == [draft]


async def test_without_such_systems_nothing_is_reported(tools: Path) -> None:
    for settings in (Settings(tools_dir=tools), Settings(tools_dir=tools / "nowhere")):
        assert http_findings(settings) == []
        assert await server_findings(settings, offline=False) == []


async def test_servers_are_there_or_not_and_what_they_offer_is_approved_or_not(tools: Path) -> None:
    (tools / "mcp.toml").write_text(CRM_AND_GONE, encoding="utf-8")

    there, gone = await server_findings(Settings(tools_dir=tools), offline=False)

    assert there == Doubtful("server", "crm: not approved: new: ping", "assistant tools approve crm")
    assert isinstance(gone, Wrong)
    assert gone.says.startswith("gone cannot be reached: ")


def test_an_unchanged_approval_is_fine(tools: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tools / "mcp.toml").write_text(CRM_AND_GONE.partition("[servers.gone]")[0], encoding="utf-8")
    monkeypatch.setenv("ASSISTANT_TOOLS_DIR", str(tools))
    approved = CliRunner().invoke(app, ["tools", "approve", "crm", "--yes"])
    structlog.reset_defaults()
    assert approved.exit_code == 0

    assert asyncio.run(server_findings(Settings(tools_dir=tools), offline=False)) == [
        Fine("server", "crm: there, and all of its 1 tools are approved")
    ]


async def test_offline_no_server_is_started(tools: Path) -> None:
    (tools / "mcp.toml").write_text('[servers.crm]\ncommand = "no-such-program"\n', encoding="utf-8")

    assert await server_findings(Settings(tools_dir=tools), offline=True) == [
        Fine("server", "crm: not asked; its lines in the file are in order")
    ]


async def test_a_wrong_line_of_the_servers_file_is_reported(tools: Path) -> None:
    (tools / "mcp.toml").write_text("[servers.crm]\nkommand = 1\n", encoding="utf-8")

    found = await looked_at("servers", lambda: server_findings(Settings(tools_dir=tools), offline=True))

    assert found
    assert all(isinstance(one, Wrong) and "mcp.toml" in one.says for one in found)


async def test_a_server_s_unfit_tools_are_named(tools: Path) -> None:
    unfit = CRM_AND_GONE.partition("[servers.gone]")[0].replace('rogue.py"]', 'rogue.py", "unfit"]')
    (tools / "mcp.toml").write_text(unfit, encoding="utf-8")

    (found,) = await server_findings(Settings(tools_dir=tools), offline=False)

    assert isinstance(found, Doubtful)
    assert found.says.startswith(
        "crm: left out, and all others can be used: no_schema (inputSchema: Field required); strange ("
    )


OWN = """
[api]
base_url = "https://shop.example"
auth = {bearer = "SHOP_TOKEN"}

[tools.find_stay]
description = "Find the stay."
path = "/me/stay"
waiting_hint = "looking up your stay"

[tools.find_points]
description = "Find the points."
path = "/me/points"
auth = {bearer = "{customer.token}"}
waiting_hint = "counting your points"
"""


def test_doubtful_hints_and_shared_credentials_are_reported_once(tools: Path) -> None:
    (tools / "shop.http.toml").write_text(OWN, encoding="utf-8")

    fine, *found = tool_findings(Settings(tools_dir=tools))

    assert isinstance(fine, Fine)
    told = [one.says for one in found if isinstance(one, Doubtful)]
    assert len(told) == len(found) == 3
    assert told[0].startswith("tools/shop.http.toml:6: tool 'find_stay': waiting_hint 'looking up your stay'")
    assert '"Sure, I\'ll look up your stay."' in told[0]
    assert told[1].startswith("tools/shop.http.toml:6: tool 'find_stay': path '/me/stay' names the user")
    assert told[2].startswith("find_points: denied to all customers")

    secret = SecretStr("what the shop and the chat both know")
    assert len(tool_findings(Settings(tools_dir=tools, site_secret=secret))) == 3
