"""Builds the handoff backends that the settings name."""

from assistant.handoff.backends import BuiltinInbox, CompositeBackend
from assistant.handoff.webhook import WebhookBackend, helpdesk_delivery
from assistant.ports import Clock, HandoffBackend, Ids
from assistant.resilience import jitter_from
from assistant.sessions.handoff_registry import HandoffRegistry
from assistant.settings import Settings
from assistant.store.storage import Storage
from assistant.webhooks.client import WebhookClient, checked_secret, checked_url
from assistant.webhooks.delivery import WebhookDelivery


def delivery_of(settings: Settings, storage: Storage, clock: Clock, ids: Ids) -> WebhookDelivery | None:
    """The delivery of events to the configured helpdesk; None if there is none. The caller closes it.

    Raises ``DeclarationError`` if a setting is missing, or if a secret is too weak.
    """
    client = _client(settings, clock, ids)
    return client and helpdesk_delivery(client, storage.log, storage.deliveries, storage.jobs, clock)


def handoffs_of(
    settings: Settings, storage: Storage, delivery: WebhookDelivery | None, clock: Clock, ids: Ids
) -> HandoffRegistry | None:
    """The handoffs over the configured backends; None if none is configured.

    Raises ``DeclarationError`` if a setting is missing, or if a secret is too weak.
    """
    inbox = settings.console or settings.operator_token is not None
    own: list[HandoffBackend] = [BuiltinInbox()] if inbox else []
    client = _client(settings, clock, ids)
    if client is None or delivery is None:
        return HandoffRegistry(own[0], ids, settings.handoff_timeout_s) if own else None
    backend = CompositeBackend(*own, WebhookBackend(client, delivery, storage.log))
    return HandoffRegistry(backend, ids, settings.handoff_timeout_s)


def _client(settings: Settings, clock: Clock, ids: Ids) -> WebhookClient | None:
    if settings.handoff_webhook_url is None:
        return None
    url = checked_url("ASSISTANT_HANDOFF_WEBHOOK_URL", settings.handoff_webhook_url)
    given = settings.handoff_webhook_secret.get_secret_value() if settings.handoff_webhook_secret else ""
    secret = checked_secret("ASSISTANT_HANDOFF_WEBHOOK_SECRET", given, "ASSISTANT_HANDOFF_WEBHOOK_URL")
    return WebhookClient(url, secret, clock, jitter_from(ids))
