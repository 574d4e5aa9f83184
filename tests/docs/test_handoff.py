"""The page about handoff: its requests, in their order, against a server that a customer talks to."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from websockets.sync.client import connect
from websockets.typing import Subprotocol

from assistant.webhooks.client import signature
from tests.docs.conftest import Checkout
from tests.docs.pages import page

PAGE = page("docs/guides/handoff.md")
TOKEN = "a-token-for-tests-that-is-long-enough"
REQUESTS = [block for block in PAGE.blocks("sh") if block.startswith("curl")]


@pytest.fixture
def address(checkout: Checkout) -> Iterator[str]:
    """A server that operators can use."""
    with subprocess.Popen(
        [sys.executable, "-m", "assistant", "serve", "--port", "0"],
        cwd=checkout.folder,
        env=checkout.environment | {"ASSISTANT_OPERATOR_TOKEN": TOKEN},
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        try:
            assert server.stdout is not None
            (found,) = re.findall(r"http://127\.0\.0\.1:\d+", server.stdout.readline())
            yield found
        finally:
            server.terminate()


def asks_for_a_person(address: str) -> str:
    """A customer who does, and leaves; gives the conversation."""
    socket = f"{address.replace('http', 'ws')}/v1/ws"
    with connect(socket, subprotocols=[Subprotocol("meanwhile.v1")], proxy=None) as ws:
        ws.send(json.dumps({"type": "hello"}))
        conversation = json.loads(ws.recv())["conversation_id"]
        ws.send(json.dumps({"type": "message", "id": "m1", "text": "human please"}))
        while json.loads(ws.recv())["type"] != "turn.completed":
            pass
    return str(conversation)


@pytest.mark.slow
def test_the_requests_of_the_page_take_over_and_give_back(address: str) -> None:
    conversation = asks_for_a_person(address)
    environment = os.environ | {"SERVER": address, "TOKEN": TOKEN, "CONVERSATION": conversation}

    def answer(request: str) -> dict[str, Any]:
        done = subprocess.run(
            ["/bin/sh", "-c", request], env=environment, capture_output=True, text=True, check=True
        )
        return json.loads(done.stdout)

    listed, read, accepted, said, ended = map(answer, REQUESTS)
    last = answer(REQUESTS[1])

    assert [one["state"] for one in listed["conversations"]] == ["queued"]
    assert read["messages"][0]["text"] == "human please"
    assert (accepted["state"], accepted["name"], said["state"]) == ("accepted", "Sam", "accepted")
    assert ended["state"] is None
    assert [message["from"] for message in last["messages"]][-2:] == ["person", "assistant"]


def test_the_signature_is_checked_as_the_page_says() -> None:
    (code,) = [block for block in PAGE.blocks("python") if "def is_ours" in block]
    names: dict[str, Any] = {}
    exec(code, names)  # noqa: S102 - the page's own
    signed = signature("secret", "1000", b"{}")

    assert names["is_ours"]("secret", "1000", signed, b"{}", 1200.0)
    assert not names["is_ours"]("secret", "1000", signed, b"{}", 1301.0)
    assert not names["is_ours"]("secret", "1000", signed, b"{ }", 1200.0)


def test_the_bridge_is_put_together_as_the_page_says(monkeypatch: pytest.MonkeyPatch) -> None:
    (code,) = [block for block in PAGE.blocks("python") if "Bridge(" in block]
    for name in ("CHATWOOT_INBOX", "ASSISTANT_HANDOFF_WEBHOOK_SECRET", "CHATWOOT_CALLBACK"):
        monkeypatch.setenv(name, "given")
    names: dict[str, Any] = {}
    exec(code, names)  # noqa: S102 - the page's own

    assert {route.resource.canonical for route in names["app"].router.routes()} == {
        "/events",
        "/chatwoot/given",
    }
