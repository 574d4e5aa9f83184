"""``mcp.toml``: its format, and the errors for mistakes in it."""

import re
from pathlib import Path

import pytest

from assistant.errors import DeclarationError
from assistant.mcp.config import HttpTransport, ProcessTransport, read_config
from assistant.mcp.supervisor import McpServers
from tests.mcp.conftest import Hurried, Write


def mistakes(folder: Path) -> list[str]:
    with pytest.raises(DeclarationError) as found:
        read_config(folder)
    return str(found.value).splitlines()


def test_without_the_file_there_are_no_servers(tmp_path: Path) -> None:
    assert read_config(tmp_path).servers == {}


def test_a_server_is_a_process_or_an_address(folder: Write) -> None:
    place = folder(
        """
        [servers.crm]
        command = "python"
        args = ["-m", "crm"]
        env = ["CRM_TOKEN"]
        env_plain = {REGION = "eu"}

        [servers.shop]
        url = "https://shop.example/mcp"
        headers = {X-Region = "eu"}
        auth = {bearer = "SHOP_TOKEN", header = {X-Key = "CRM_TOKEN"}}
        """
    )
    from assistant.mcp.tool import read_mcp_folder

    read = read_mcp_folder(place, McpServers(Hurried(), lambda: 0.0, dict))

    assert read.reach("crm") == ProcessTransport(
        command="python",
        args=("-m", "crm"),
        env=("CRM_TOKEN",),
        plain=(("REGION", "eu"),),
        folder=place.resolve(),
    )
    shop = read.reach("shop")
    assert isinstance(shop, HttpTransport)
    assert shop.url == "https://shop.example/mcp"
    assert shop.names == ("SHOP_TOKEN", "CRM_TOKEN")


WRONG = {
    '[servers.crm]\nargs = ["a"]': "1: servers.crm: should have either a command or a url",
    '[servers.crm]\ncommand = "a"\nurl = "https://a.example"': "1: servers.crm: should have either a command",
    '[servers.crm]\nurl = "https://a.example"\nargs = []': "has a url, and args is for one with a command",
    '[servers.crm]\ncommand = "a"\ncustomer_auth = {bearer = "{customer.token}"}': "and customer_auth is",
    '[servers.a]\nurl = "https://a.example"\ncustomer_auth = {bearer = "TOKEN"}': "should carry the customer's",
    '[servers.a]\nurl = "https://a.example"\nauth = {bearer = "{customer.token}"}': "into customer_auth",
    '[servers.crm]\ncommand = "a"\nheaders = {}': "has a command, and headers is for one with a url",
    '[servers.crm]\ncommand = ""': "2: servers.crm.command: string should have at least 1 character, not ''",
    '[servers.crm]\ncomand = "a"': "2: servers.crm.comand: there is no such setting; did you mean 'command'?",
    '[servers.crm]\ncommand = "a"\nzzz = 1': "3: servers.crm.zzz: there is no such setting; the settings here",
    '[server.crm]\ncommand = "a"': "1: server: there is no such setting; did you mean 'servers'?",
    '[servers.CRM]\ncommand = "a"': "1: servers.CRM: 'CRM' should begin with a letter, and be made of small",
    '[servers.crm]\nurl = "http://crm.example"': "should be 'https://...', or 'http://127.0.0.1:PORT/...'",
    '[servers.crm]\nurl = "https://[::1"': "2: servers.crm.url: 'https://[::1' should be 'https://...'",
    '[servers.crm]\nurl = "https://me:pw@crm.example"': "has a user or password in it; name the variables",
    '[servers.crm]\ncommand = "a"\nenv = ["CRM-TOKEN"]': "3: servers.crm.env: should be the name of an env",
    '[servers.crm]\ncommand = "a"\nenv_plain = {CRM_TOKEN = "x"}': "'CRM_TOKEN' looks like a secret; name it in",
    '[servers.crm]\ncommand = "a"\nenv_plain = {"A B" = "x"}': "'A B' is no variable's name",
    '[servers.a]\nurl = "https://a.example"\nheaders = {X-Api-Key = "abc"}': "is a header for secrets; write auth",
    '[servers.a]\nurl = "https://a.example"\nheaders = {"a b" = "abc"}': "should be a header's name",
    '[servers.a]\nurl = "https://a.example"\nauth = {query = {k = "KEY"}}': "servers.a.auth: a server's secrets",
    '[servers.a]\nurl = "https://a.example"\nauth = {bearer = "s3cret"}': "servers.a.auth.bearer: should be the",
    '[servers.a]\nurl = "https://a.example"\nauth = {bearr = "A"}': "3: servers.a.auth.bearr: there is no such "
    "setting; did you mean 'bearer'?",
    '[servers.crm]\ncommand = "a"\ntimeout_s = -1': "3: servers.crm.timeout_s: input should be greater than 0",
    '[servers.crm]\ncommand = "a"\ntimeout_s = inf': "3: servers.crm.timeout_s: input should be",
    '[servers.crm]\ncommand = "a"\n[servers.crm.tools.t]\neffect = "raed"': "4: servers.crm.tools.t.effect: input",
    '[servers.crm]\ncommand = "a"\n[servers.crm.tools.t]\nwaitinghint = ""': "did you mean 'waiting_hint'?",
    '[servers.crm]\ncommand = "a"\n[servers.crm.tools.t]\nrename = "a b"': "letters, digits and underscores",
    '[servers.crm]\ncommand = "a"\n[servers.crm.tools.t]\nhints = {de = {doing = "a"}}': "hints.de.will: field",
    '[servers.crm]\ncommand = "a"\n[servers.crm.tools.t.hints.de]\nwil = ""': "did you mean 'will'?",
    '[servers.crm]\ncommand = "a"\n[servers.crm.tools.t]\nconfirm = 7': "4: servers.crm.tools.t.confirm: ",
    '[servers.crm]\ncommand = "a"\n[servers.crm.tools.t]\nfill = {a = "b"}': "4: servers.crm.tools.t.fill.a: ",
    "[servers.crm\n": "1: not valid TOML: Expected ']' at the end of a table declaration (at line 1, column 13); "
    "write [servers.NAME]",
    "a = ": "1: not valid TOML",
    "a = " + "[" * 100_000: "1: not valid TOML: nested too deeply",
}


@pytest.mark.parametrize("toml", WRONG)
def test_a_mistake_is_reported_with_file_line_and_solution(folder: Write, toml: str) -> None:
    (folder() / "mcp.toml").write_text(toml, encoding="utf-8")

    found = mistakes(Path("tools"))

    assert all(re.match(r"tools/mcp\.toml:\d+: ", line) for line in found)
    assert WRONG[toml] in "\n".join(found)


def test_all_mistakes_are_reported_together_in_order(folder: Write) -> None:
    place = folder(
        """
        [servers.a]
        command = "a"
        [servers.a.tools."get.one"]
        effect = "none"
        retries = -1
        [servers.b]
        comand = "b"
        """
    )

    assert [line.split(" ")[0] for line in mistakes(place)] == [
        "tools/mcp.toml:4:",
        "tools/mcp.toml:5:",
        "tools/mcp.toml:7:",
    ]


def test_an_unreadable_file_is_reported_with_the_solution(folder: Write) -> None:
    file = folder() / "mcp.toml"
    file.write_bytes(b"\xff")
    assert mistakes(Path("tools")) == [
        "tools/mcp.toml:1: not UTF-8 text (invalid start byte); save it as UTF-8"
    ]

    file.unlink()
    file.mkdir()
    assert mistakes(Path("tools")) == [
        "tools/mcp.toml:1: cannot be read: Is a directory; give the server leave to"
    ]
