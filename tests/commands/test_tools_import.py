"""``assistant tools`` with HTTP tools: imported, reviewed, called for real."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from assistant.cli import app
from assistant.errors import DeclarationError

DESCRIPTION: dict[str, object] = {
    "openapi": "3.1.0",
    "info": {"title": "Garden"},
    "servers": [{"url": "https://garden.example"}],
    "components": {"securitySchemes": {"b": {"type": "http", "scheme": "bearer"}}},
    "paths": {
        "/plants/{name}": {"get": {"summary": "Get a plant", "security": [{"b": []}]}},
        "/plants": {"post": {"summary": "Create a plant", "requestBody": {"content": {"image/png": {}}}}},
        "/beds": {"get": {"operationId": "listBeds", "summary": "List beds"}},
    },
}


class Garden(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = json.dumps({"asked": self.path, "as": self.headers["Authorization"]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the server's name for it
        """Not in the tests' output."""


@pytest.fixture
def garden() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), Garden)
    serving = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    serving.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    serving.join()
    server.server_close()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "garden.json").write_text(json.dumps(DESCRIPTION))
    return tmp_path


def call(*words: str) -> Result:
    return CliRunner().invoke(app, ["tools", *words])


def test_an_import_writes_drafts_and_says_what_to_do_next(folder: Path) -> None:
    assert call("import", "garden.json").stdout.splitlines() == [
        "tools/garden.http.toml: 2 drafts: get_plants, list_beds",
        "left out: POST /plants (create_plants): it takes neither JSON nor a form",
        "act for the customer who is signed in, with their own token: get_plants",
        "    your site gives that token along when it introduces the customer: docs/guides/identity.md",
        "Read it, answer each 'review:', and take 'draft = true' out of the tools that customers may use.",
        "Next: assistant tools check, assistant tools call NAME",
    ]
    assert "[tools.list_beds]" in (folder / "tools" / "garden.http.toml").read_text()


def test_an_import_can_select_operations_and_the_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSISTANT_TOOLS_DIR", "crm")
    (folder / "openapi.json").write_text(json.dumps(DESCRIPTION))

    assert call("import", "openapi.json", "--only", "listBeds,").stdout.startswith(
        "crm/api.http.toml: 1 drafts: list_beds"
    )
    assert call(
        "import", "garden.json", "--out", "other/beds.toml", "--only", "get_plants"
    ).stdout.startswith("other/beds.toml: 1 drafts: get_plants")


def test_an_import_overwrites_nothing_and_names_mistakes(folder: Path) -> None:
    assert call("import", "garden.json").exit_code == 0
    before = (folder / "tools" / "garden.http.toml").read_text()
    again = call("import", "garden.json")

    assert isinstance(again.exception, DeclarationError)
    assert str(again.exception) == "tools/garden.http.toml is there already; name another one with --out"
    assert (folder / "tools" / "garden.http.toml").read_text() == before
    assert isinstance(call("import", "nowhere.json").exception, DeclarationError)


def test_drafts_are_listed_checked_and_called_but_not_offered(
    folder: Path, garden: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    call("import", "garden.json")

    assert "get_plants  (draft, read, tools/garden.http.toml:" in call("list").stdout
    assert call("check").stdout.splitlines()[-2:] == [
        "not offered before they are reviewed and 'draft = true' is taken out: get_plants, list_beds",
        "0 tools, no mistakes.",
    ]
    unset = call("call", "get_plants", "--json", '{"name": "rose"}')
    assert unset.exit_code == 1
    assert "denied: your sign-in has expired, so please sign in again on our site" in unset.stderr

    (folder / ".env").write_text(f"ANAS_TOKEN=rake-and-hoe\nGARDEN_URL={garden}\n")
    called = call("call", "get_plants", "--json", '{"name": "tea rose"}', "--token-from", "ANAS_TOKEN")
    assert json.loads(called.stdout) == {"asked": "/plants/tea%20rose", "as": "Bearer [secret]"}
    assert "NOBODYS_TOKEN is not set" in call("call", "get_plants", "--token-from", "NOBODYS_TOKEN").output


def test_reviewed_tools_are_counted(folder: Path) -> None:
    call("import", "garden.json")
    file = folder / "tools" / "garden.http.toml"
    file.write_text(file.read_text().replace("draft = true\n", ""))

    lines = call("check").stdout.splitlines()
    assert lines[-1] == "2 tools, no mistakes."
    assert not any("not offered" in line for line in lines)
