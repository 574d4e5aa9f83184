"""The page about MCP servers describes all settings."""

from pathlib import Path

import pytest

from assistant.mcp.approval import Definition, write_approved
from assistant.mcp.config import FILLINGS, ServerConfig, ToolConfig
from assistant.mcp.supervisor import McpServers
from assistant.mcp.tool import read_mcp_folder
from assistant.testing.virtual_time import VirtualClock
from tests.docs.pages import page
from tests.support.rows import check_rows

MCP = page("docs/guides/mcp.md")


def test_the_example_of_the_page_declares_a_lookup_with_a_hint(tmp_path: Path) -> None:
    (tmp_path / "mcp.toml").write_text("\n".join(MCP.blocks("toml")), encoding="utf-8")
    write_approved(tmp_path, {"crm": {"get_order_status": Definition(name="get_order_status")}})

    (tool,) = read_mcp_folder(tmp_path, McpServers(VirtualClock(), lambda: 0.0, dict)).tools

    assert (tool.spec.name, tool.spec.effect) == ("crm_get_order_status", "read")
    assert tool.spec.hints["en"].will == "look up your order"


@check_rows("name", [*ServerConfig.model_fields, *ToolConfig.model_fields])
def test_every_setting_is_in_a_table(name: str) -> None:
    assert f"`{name}`" in MCP.text or name == "tools"


@pytest.mark.parametrize("source", FILLINGS)
def test_everything_that_can_be_filled_in_is_named(source: str) -> None:
    assert f"`{source}`" in MCP.text or f'"{source}"' in MCP.text
