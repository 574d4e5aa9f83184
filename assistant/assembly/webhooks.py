"""Builds the delivery of events to the addresses in ``ASSISTANT_WEBHOOK_URLS``."""

from assistant.errors import DeclarationError
from assistant.ports import Clock, Ids
from assistant.resilience import CircuitBreaker, jitter_from
from assistant.settings import Settings
from assistant.store.storage import Storage
from assistant.webhooks.client import WebhookClient, checked_secret, checked_url
from assistant.webhooks.delivery import DeliveryPlan, Receiver, WebhookDelivery, receiver_name
from assistant.webhooks.events import EVENT_TYPES, ConversationEvents

_PLAN = DeliveryPlan(kind="webhook", sweep="webhooks undelivered", tries=2 * 24 * 6, longest_pause_s=600.0)
"""Retries for two days, every ten minutes."""


def webhooks_of(settings: Settings, storage: Storage, clock: Clock, ids: Ids) -> WebhookDelivery | None:
    """The delivery of events to the configured addresses; None if there are none. The caller closes it.

    Raises ``DeclarationError`` if an address or the secret cannot be used.
    """
    clients = webhook_clients(settings, clock, ids)
    if not clients:
        return None
    source = ConversationEvents(
        wanted=settings.webhook_events or EVENT_TYPES,
        texts=settings.webhook_text,
        idle_ms=settings.conversation_idle_min * 60_000,
    )
    receivers = {
        receiver_name(client.url): Receiver(
            client=client, source=source, circuit=CircuitBreaker(client.name, clock)
        )
        for client in clients
    }
    return WebhookDelivery(
        receivers=receivers,
        log=storage.log,
        positions=storage.deliveries,
        jobs=storage.jobs,
        clock=clock,
        plan=_PLAN,
    )


def webhook_clients(settings: Settings, clock: Clock, ids: Ids) -> list[WebhookClient]:
    """A client for each configured address. Raises ``DeclarationError`` if an address cannot be used."""
    if not settings.webhook_urls:
        return []
    urls = [checked_url("ASSISTANT_WEBHOOK_URLS", url) for url in dict.fromkeys(settings.webhook_urls)]
    given = settings.webhook_secret.get_secret_value() if settings.webhook_secret is not None else ""
    secret = checked_secret("ASSISTANT_WEBHOOK_SECRET", given, "ASSISTANT_WEBHOOK_URLS")
    if settings.handoff_webhook_url in urls:
        raise DeclarationError(
            f"ASSISTANT_WEBHOOK_URLS contains ASSISTANT_HANDOFF_WEBHOOK_URL={settings.handoff_webhook_url!r};"
            " the two send different events, so give each an address of its own"
        )
    return [
        WebhookClient(url, secret, clock, jitter_from(ids), f"webhook {number}")
        for number, url in enumerate(urls, 1)
    ]
