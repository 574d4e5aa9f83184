"""Access to ``/metrics``, and the counting of websockets."""

from dataclasses import replace
from typing import Any

import pytest
from starlette.testclient import TestClient
from websockets.exceptions import InvalidStatus

from assistant.assembly.telemetry import metrics_access, telemetry_of
from assistant.clock import SystemClock
from assistant.errors import DeclarationError
from assistant.server.metrics_route import MetricsRoute
from assistant.settings import Settings
from assistant.telemetry.process import Telemetry
from assistant.testing.virtual_time import VirtualClock
from tests.server.client import Client
from tests.server.running_server import RunningServer, new_server, opened
from tests.telemetry.conftest import series

TOKEN = "t" * 32


async def scrape() -> bytes:
    return b"meanwhile_build_info 1.0\n"


async def other(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": scope["path"].encode()})


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Authorization": f"Basic {TOKEN}"}, 401),
        ({"Authorization": f"Bearer {TOKEN}"}, 200),
    ],
)
def test_metrics_can_be_read_only_with_the_token(headers: dict[str, str], status: int) -> None:
    client = TestClient(MetricsRoute(scrape, TOKEN, other))

    answer = client.get("/metrics", headers=headers)

    assert answer.status_code == status
    assert ("build_info" in answer.text) == (status == 200)


def test_a_separate_address_serves_only_metrics() -> None:
    client = TestClient(MetricsRoute(scrape, None))

    answer = client.get("/metrics")
    assert (answer.status_code, answer.text) == (200, "meanwhile_build_info 1.0\n")
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert client.get("/v1/ws").status_code == 404
    assert client.post("/metrics").status_code == 405


def test_other_requests_go_to_the_application() -> None:
    client = TestClient(MetricsRoute(scrape, TOKEN, other))

    assert client.get("/metrics/more").text == "/metrics/more"


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        (
            {"metrics_listen": "0.0.0.0:9464"},
            "can be reached from other machines; set ASSISTANT_METRICS_TOKEN",
        ),
        ({"metrics_listen": "metrics.internal:9464"}, "can be reached from other machines"),
        ({"metrics_token": "short"}, "has 5 characters, so it can be guessed"),
    ],
)
def test_metrics_are_never_public_by_accident(settings: dict[str, Any], complaint: str) -> None:
    with pytest.raises(DeclarationError, match=complaint):
        telemetry_of(Settings(**settings), SystemClock())


@pytest.mark.parametrize(
    ("settings", "listen"),
    [
        ({}, None),
        ({"metrics_token": TOKEN}, None),
        ({"metrics_listen": "127.0.0.1:9464"}, ("127.0.0.1", 9464)),
        ({"metrics_listen": "[::1]:9464"}, ("::1", 9464)),
        ({"metrics_listen": "0.0.0.0:9464", "metrics_token": TOKEN}, ("0.0.0.0", 9464)),  # noqa: S104
    ],
)
def test_the_address_of_metrics_is_parsed(settings: dict[str, Any], listen: tuple[str, int] | None) -> None:
    wanted = Settings(**settings)

    assert metrics_access(wanted).listen == listen
    assert (telemetry_of(wanted, SystemClock()) is not None) == bool(settings)


def counting_server() -> tuple[RunningServer, Telemetry]:
    server, telemetry = new_server(), Telemetry(VirtualClock(), release="1.2")
    server.context = replace(server.context, telemetry=telemetry.of_tenant("shop"))
    return server, telemetry


def sockets(telemetry: Telemetry) -> dict[str, float]:
    found = series(telemetry.values.render(), "meanwhile_sockets")
    return {name.removeprefix("meanwhile_sockets_"): value for name, value in found.items()}


async def test_open_and_closed_sockets_are_counted() -> None:
    server, telemetry = counting_server()
    async with opened(server):
        ana, ben = Client(server), Client(server)
        await ana.enter()
        await ben.enter()
        both = sockets(telemetry)

        await ana.says("m1", "x" * 70_000)
        assert await ana.is_shown_out() == 1009
        await ben.leave()

    assert both == {'total{route="chat"}': 2, 'open{route="chat"}': 2}
    assert sockets(telemetry) == {
        'total{route="chat"}': 2,
        'closed_total{code="1009",route="chat"}': 1,
        'closed_total{code="client",route="chat"}': 1,
    }


async def test_a_disconnected_client_is_counted_by_its_code() -> None:
    server, telemetry = counting_server()
    async with opened(server):
        ana = Client(server)
        await ana.dial()
        await ana.say(type="ping")
        await ana.hear()
        await ana.is_shown_out()

    assert list(sockets(telemetry)) == ['total{route="chat"}', 'closed_total{code="4400",route="chat"}']


async def test_a_refused_socket_is_counted() -> None:
    server, telemetry = counting_server()
    async with opened(server):
        with pytest.raises(InvalidStatus):
            await Client(server).dial(origin="https://evil.example")

    assert sockets(telemetry) == {'refused_total{route="chat"}': 1}
