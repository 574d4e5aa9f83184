"""A real server is scraped after a conversation."""

import asyncio
import json
import signal
import socket
import urllib.error
import urllib.request

import pytest

from tests.commands.conftest import Frame, ProjectFolder, Served
from tests.support.otlp_receiver import otlp_receiver

pytestmark = pytest.mark.slow

TOKEN = "t" * 32


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def read(address: str, token: str = "") -> tuple[int, str]:
    request = urllib.request.Request(address, headers={"Authorization": f"Bearer {token}"})
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, ""


async def talk(served: Served, text: str) -> None:
    """Say something, and wait until it is answered."""
    async with served.visited(last_seq=0, locale="en") as chat:
        await chat.send(json.dumps({"type": "message", "id": "m1", "text": text}))
        frame: Frame = {}
        while frame.get("type") != "turn.completed":
            frame = json.loads(await chat.recv())


async def test_an_operator_sees_a_conversation_in_metrics_traces_and_log(premises: ProjectFolder) -> None:
    port = free_port()
    with otlp_receiver() as receiver:
        async with premises.serving(
            ASSISTANT_METRICS_LISTEN=f"127.0.0.1:{port}",
            ASSISTANT_METRICS_TOKEN=TOKEN,
            ASSISTANT_OTLP_ENDPOINT=receiver.url,
            ASSISTANT_LOG_FORMAT="json",
            OTEL_EXPORTER_OTLP_HEADERS="x-key=secret",
            OTEL_SERVICE_NAME="shop-assistant",
        ) as served:
            await talk(served, "Check my appointments and billing")
            own = await asyncio.to_thread(read, f"http://127.0.0.1:{port}/metrics", TOKEN)
            main = await asyncio.to_thread(read, f"http://127.0.0.1:{served.port}/metrics", TOKEN)
            closed = [
                await asyncio.to_thread(read, f"{address}/metrics")
                for address in (f"http://127.0.0.1:{served.port}", f"http://127.0.0.1:{port}")
            ]
            served.tell(signal.SIGTERM)
            code, errors = await served.end()

    assert code == 0
    assert [status for status, _ in (own, main, *closed)] == [200, 200, 401, 401]
    for _, text in (own, main):
        assert 'meanwhile_turns_total{cause="message",outcome="answered",tenant="demo"} 1.0' in text
        assert 'meanwhile_tool_calls_total{outcome="ok",tenant="demo",tool="get_open_invoices"} 1.0' in text
        assert "process_resident_memory_bytes" in text
    names = sorted(span.name for span in receiver.spans if not span.name.startswith("job"))
    assert names == [
        "chat offline",
        "chat offline",
        "execute_tool get_open_invoices",
        "execute_tool list_upcoming_appointments",
        "invoke_agent meanwhile",
    ]
    assert receiver.headers["x-key"] == "secret"
    assert receiver.spans[0].resource["service.name"] == "shop-assistant"
    ended = [line for line in map(json.loads, errors.splitlines()) if line["event"] == "turn ended"]
    assert [(line["tenant"], line["turn"], line["how"]) for line in ended] == [("demo", "t1", "answered")]


async def test_without_the_settings_there_are_no_metrics(premises: ProjectFolder) -> None:
    async with premises.serving() as served:
        status, _ = await asyncio.to_thread(read, f"http://127.0.0.1:{served.port}/metrics", TOKEN)

    assert status == 404
