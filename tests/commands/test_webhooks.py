"""``assistant webhooks``: a sample is sent, and what was sent is listed."""

import asyncio
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import orjson
import pytest
from typer.testing import CliRunner

from assistant.cli import app
from assistant.clock import SystemClock
from assistant.conversation.customer import ConversationKey
from assistant.ids import SystemIds
from assistant.storage_ports import DeliveryAttempt
from assistant.store.sqlite.storage import open_sqlite_storage
from assistant.webhooks.client import SIGNATURE, TIMESTAMP, signature
from assistant.webhooks.delivery import receiver_name

SECRET = "a-secret-for-tests-that-is-long-enough"
SAM = ConversationKey(tenant="demo", customer="sam", conversation="c-7")


class Crm(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        signed = self.headers[SIGNATURE] == signature(SECRET, self.headers[TIMESTAMP], body)
        told = b"welcome" if signed and orjson.loads(body)["event"] == "test" else b"who are you?"
        self.send_response(200 if signed else 401)
        self.end_headers()
        self.wfile.write(told)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as the base class has it
        """Say nothing."""


@pytest.fixture
def crm() -> Iterator[str]:
    """The address of a program that takes events."""
    with HTTPServer(("127.0.0.1", 0), Crm) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/events"
        server.shutdown()


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> CliRunner:
    monkeypatch.setenv("ASSISTANT_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("ASSISTANT_WEBHOOK_SECRET", SECRET)
    return CliRunner()


def test_a_sample_is_sent_to_each_address(
    command: CliRunner, crm: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSISTANT_WEBHOOK_URLS", f"{crm}?key=hidden, http://127.0.0.1:9/gone")

    result = command.invoke(app, ["webhooks", "test"])

    first, second = result.output.splitlines()
    assert first.startswith(f"{crm}: accepted with status 200 after")
    assert first.endswith("ms: welcome")
    assert second.startswith("http://127.0.0.1:9/gone: not accepted after")
    assert result.exit_code == 1


def test_without_an_address_the_command_says_what_to_set(command: CliRunner) -> None:
    assert "ASSISTANT_WEBHOOK_URLS is not set" in str(command.invoke(app, ["webhooks", "test"]).exception)


async def test_the_attempts_are_listed(
    command: CliRunner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = "https://crm.example.com/events"
    monkeypatch.setenv("ASSISTANT_WEBHOOK_URLS", f"{url}?key=hidden")
    tried = DeliveryAttempt(
        receiver=receiver_name(f"{url}?key=hidden"),
        key=SAM,
        event_id="c-7/3",
        event="turn.ended",
        at_ms=1_795_765_585_489,
        status=503,
        took_ms=12,
        problem="webhook 1 answered with status 503",
    )
    async with open_sqlite_storage(tmp_path / "data", SystemClock(), SystemIds()) as storage:
        await storage.deliveries.add_attempt(tried)

    text = (await asyncio.to_thread(command.invoke, app, ["webhooks", "list"])).output
    rows = orjson.loads((await asyncio.to_thread(command.invoke, app, ["webhooks", "list", "--json"])).output)

    assert "turn.ended            not accepted  c-7/3" in text
    assert f"    {url}: webhook 1 answered with status 503" in text
    assert (rows[0]["receiver"], rows[0]["status"], rows[0]["event_id"]) == (url, 503, "c-7/3")
    assert "hidden" not in text
