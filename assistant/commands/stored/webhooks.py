"""``assistant webhooks``: tests the configured webhooks, and lists the deliveries."""

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime
from urllib.parse import urlsplit

import orjson
import typer
from rich.console import Console

from assistant.assembly.storage import open_storage
from assistant.assembly.webhooks import webhook_clients
from assistant.clock import SystemClock
from assistant.commands.logging import set_up_logging
from assistant.errors import DeclarationError
from assistant.handoff.webhook import RECEIVER
from assistant.ids import SystemIds
from assistant.settings import Settings
from assistant.storage_ports import DeliveryAttempt
from assistant.tenants import load_settings
from assistant.webhooks.client import NotDelivered, WebhookClient
from assistant.webhooks.delivery import receiver_name
from assistant.webhooks.events import Test

_SHOWN = 200
"""The number of shown characters of an answer."""


def test() -> int:
    """Send a sample to each address and print the answers; returns 0 if all accepted it, otherwise 1.

    Raises ``DeclarationError`` if there is no webhook, or if a setting is wrong.
    """
    set_up_logging("CRITICAL")
    settings = load_settings()
    clock, ids = SystemClock(settings.time_zone), SystemIds()
    clients = webhook_clients(settings, clock, ids)
    if not clients:
        raise DeclarationError(
            "ASSISTANT_WEBHOOK_URLS is not set; write an address such as 'https://crm.example.com/events'"
        )
    sample = Test(
        event_id=f"test-{ids.new()}",
        at=clock.now_ms(),
        tenant=settings.tenant,
        conversation_id="test",
        customer_id="test",
        level="anonymous",
    )

    async def send_all() -> list[str]:
        return [await _result(client, sample) for client in clients]

    problems = 0
    for client, result in zip(clients, asyncio.run(send_all()), strict=True):
        problems += not result.startswith("accepted")
        typer.echo(f"{_shown(client.url)}: {result}")
    return min(problems, 1)


async def _result(client: WebhookClient, sample: Test) -> str:
    """The result of the sample, in words."""
    try:
        answer = await client.send_once(sample.model_dump(mode="json"))
    except NotDelivered as error:
        return f"not accepted after {error.took_ms} ms: {error}"
    finally:
        await client.close()
    told = answer.body.decode("utf-8", "replace").strip()
    said = f": {told[:_SHOWN]}{'...' if len(told) > _SHOWN else ''}" if told else ""
    how = "refused" if answer.refused else "accepted"
    return f"{how} with status {answer.status} after {answer.took_ms} ms{said}"


def list_attempts(limit: int, *, as_json: bool) -> None:
    """Print the newest delivery attempts. Raises ``DeclarationError`` if the storage cannot be used."""
    set_up_logging("ERROR")
    settings = load_settings()
    attempts = asyncio.run(_attempts(settings, limit))
    receivers = {receiver_name(url): _shown(url) for url in settings.webhook_urls}
    if settings.handoff_webhook_url is not None:
        receivers[RECEIVER] = _shown(settings.handoff_webhook_url)
    if as_json:
        rows = [_plain(one, receivers) for one in attempts]
        typer.echo(orjson.dumps(rows, option=orjson.OPT_INDENT_2))
        return
    if not attempts:
        typer.echo("no event was sent yet")
        return
    zone = SystemClock(settings.time_zone).now().tzinfo or UTC
    console = Console(highlight=False, markup=False, emoji=False, soft_wrap=True)
    for one in attempts:
        at = f"{datetime.fromtimestamp(one.at_ms / 1000, zone):%Y-%m-%d %H:%M:%S}"
        how = "not accepted" if one.problem else "accepted"
        console.print(f"{at}  {one.event:<20}  {how:<12}  {one.event_id}")
        if one.problem:
            console.print(
                f"    {receivers.get(one.receiver, 'an address that is no longer set')}: {one.problem}"
            )


async def _attempts(settings: Settings, limit: int) -> list[DeliveryAttempt]:
    clock = SystemClock(settings.time_zone)
    async with open_storage(settings, clock, SystemIds(), exclusive=False, create=False) as storage:
        return await storage.deliveries.attempts(settings.tenant, limit)


def _plain(one: DeliveryAttempt, receivers: Mapping[str, str]) -> dict[str, object]:
    return {
        "at": one.at_ms,
        "event": one.event,
        "event_id": one.event_id,
        "conversation_id": one.key.conversation,
        "customer": one.key.customer,
        "receiver": receivers.get(one.receiver),
        "status": one.status or None,
        "took_ms": one.took_ms,
        "problem": one.problem or None,
    }


def _shown(url: str) -> str:
    """An address without its query, which may contain a secret."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}{parts.path}"
