"""The receiver in the guide accepts what the assistant sends, once, and refuses everything else."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from jsonschema import ValidationError, validate
from pydantic import BaseModel

from assistant.clock import SystemClock
from assistant.webhooks.client import NotDelivered, WebhookClient
from docs.generate.webhooks import EXAMPLES
from tests.docs.pages import page

PAGE = page("docs/guides/webhooks.md")
SECRET = "a-secret-for-tests-that-is-long-enough"


@pytest.fixture
def receiver(tmp_path: Path) -> Iterator[tuple[str, "subprocess.Popen[str]"]]:
    """The program of the page, and its address."""
    (code,) = PAGE.blocks("python")
    (tmp_path / "receiver.py").write_text(code, encoding="utf-8")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    environment = os.environ | {"ASSISTANT_WEBHOOK_SECRET": SECRET, "PORT": str(port)}
    with subprocess.Popen(
        [sys.executable, "receiver.py"],
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        yield f"http://127.0.0.1:{port}/events", process
        process.terminate()


async def delivered(client: WebhookClient, number: int) -> int:
    """The status that the receiver answers to an example, as soon as it listens."""
    event = EXAMPLES[number].model_dump(mode="json")
    for _ in range(100):
        try:
            return (await client.send_once(event)).status
        except NotDelivered as error:
            if error.status:
                return error.status
            await SystemClock().sleep(0.1)
    raise AssertionError("the receiver does not listen")


async def test_the_receiver_of_the_page_accepts_each_event_once(
    receiver: tuple[str, "subprocess.Popen[str]"],
) -> None:
    url, process = receiver
    ours = WebhookClient(url, SECRET, SystemClock(), lambda: 0.0)
    other = WebhookClient(url, "another secret that is long enough too", SystemClock(), lambda: 0.0)

    statuses = [await delivered(ours, 0), await delivered(ours, 0), await delivered(other, 1)]
    statuses.append(await delivered(ours, 1))
    await ours.close()
    await other.close()
    process.terminate()
    assert process.stdout is not None

    assert statuses == [204, 204, 401, 204]
    assert process.stdout.read().split("\n")[:-1] == ["conversation.started 06h0v2q8", "turn.ended 06h0v2q8"]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.event)
def test_each_example_fits_the_schema(example: BaseModel) -> None:
    schema = json.loads((page("docs/reference/webhooks.md").folder / "webhook.schema.json").read_text())
    event = json.loads(example.model_dump_json())

    validate(event, schema)
    with pytest.raises(ValidationError):
        validate({**event, "at": "today"}, schema)
