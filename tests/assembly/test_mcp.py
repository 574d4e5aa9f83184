"""Tools of MCP servers are part of a version when they are approved."""

import asyncio
from dataclasses import replace

import pytest
from structlog.testing import capture_logs

from assistant.mcp.approval import Definition, write_approved
from assistant.sessions.listeners import Notice
from assistant.testing.script import calls, says
from tests.assembly.conftest import AppFolder

PING = Definition(name="ping", description="Ping.", input={"type": "object", "properties": {}})
TOML = """\
[servers.crm]
command = "crm"
env = ["CRM_TOKEN_THAT_IS_NOT_SET"]
[servers.crm.tools.ping]
effect = "read"
"""


def approves(app_folder: AppFolder, *tools: Definition) -> None:
    write_approved(app_folder.tools, {"crm": {tool.name: tool for tool in tools}})


async def test_an_approval_is_an_edit_and_does_not_change_the_code(app_folder: AppFolder) -> None:
    app_folder.write("tools/mcp.toml", TOML)
    serving = await app_folder.starts(*[says("Hello.")] * 3)
    counting = serving.configs.newest.deps.tools.get("count_points")
    await serving.hears("old")
    assert serving.offered == ["count_points"]

    approves(app_folder, PING)
    await serving.configs.look()

    assert serving.notices == [Notice(problem=False, message="loaded: tools/mcp.approved.json")]
    assert serving.configs.newest.deps.tools.get("count_points") is counting
    await serving.hears("new")
    assert serving.offered == ["count_points", "crm_ping"]
    await serving.hears("old")
    assert serving.offered == ["count_points"]


async def test_the_bundle_depends_on_files_and_approvals(
    app_folder: AppFolder,
) -> None:
    app_folder.write("tools/mcp.toml", TOML)
    approves(app_folder, PING)
    first = (await app_folder.starts()).configs.newest.bundle
    assert (await app_folder.starts()).configs.newest.bundle == first

    approves(app_folder, replace(PING, description="Ping twice."))
    assert (await app_folder.starts()).configs.newest.bundle != first


async def test_a_mistake_in_the_servers_file_is_refused_and_the_old_one_stays(app_folder: AppFolder) -> None:
    app_folder.write("tools/mcp.toml", TOML)
    approves(app_folder, PING)
    serving = await app_folder.starts()

    app_folder.write("tools/mcp.toml", TOML.replace('"read"', '"raed"'))
    await serving.configs.look()

    assert [spec.name for spec in serving.configs.newest.deps.tools.specs] == ["count_points", "crm_ping"]
    (told,) = serving.notices
    assert told.problem
    assert told.message.startswith("tools/mcp.toml:5: servers.crm.tools.ping.effect: input should be 'read'")


async def test_a_tool_with_the_name_of_another_is_refused(app_folder: AppFolder) -> None:
    app_folder.write("tools/mcp.toml", TOML.replace('effect = "read"', 'rename = "count_points"'))
    serving = await app_folder.starts()

    approves(app_folder, PING)
    await serving.configs.look()

    assert serving.configs.problem is not None
    assert "is declared at tools/points.py:7 already; rename one of them" in serving.configs.problem


async def test_the_start_waits_for_no_server_and_reports_which_are_away(app_folder: AppFolder) -> None:
    app_folder.write("tools/mcp.toml", TOML)
    approves(app_folder, PING)
    serving = await app_folder.starts(calls("crm_ping"), says("I can't ask them just now."))

    serving.configs.use_servers()
    await asyncio.sleep(0.1)

    news = "crm cannot be used: needs CRM_TOKEN_THAT_IS_NOT_SET; set it in the environment or in .env"
    assert serving.notices == [Notice(problem=False, message=news)]
    assert "[crm_ping failed]" in await serving.hears("a", "Ping them")
    await serving.builder.close()


async def test_news_of_servers_do_not_replace_a_problem(app_folder: AppFolder) -> None:
    app_folder.write("tools/mcp.toml", TOML)
    serving = await app_folder.starts()
    app_folder.write("prompts/voice.toml", "name = ")
    await serving.configs.look()

    with capture_logs() as logged:
        serving.configs.use_servers()
        await asyncio.sleep(0.1)

    assert [line["event"] for line in logged] == ["mcp server cannot be used"]
    assert [told.problem for told in serving.notices] == [True]
    await serving.builder.close()


async def test_an_edit_of_the_servers_file_is_followed_while_serving(app_folder: AppFolder) -> None:
    serving = await app_folder.starts()
    serving.configs.use_servers()
    assert serving.notices == []

    app_folder.write("tools/mcp.toml", TOML)
    await serving.configs.look()
    await asyncio.sleep(0.1)
    app_folder.write("tools/mcp.toml", TOML.replace("servers.crm", "servers.shop"))
    await serving.configs.look()
    await asyncio.sleep(0.1)
    app_folder.write("tools/mcp.toml", "")
    await serving.configs.look()
    with pytest.raises(KeyError):
        await serving.builder.servers.offered("shop")

    assert [
        told.message.partition(" ")[0] for told in serving.notices if "cannot be used" in told.message
    ] == [
        "crm",
        "shop",
    ]
    await serving.builder.close()
