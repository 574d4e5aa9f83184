"""Builds the handoff backends that the settings name."""

from urllib.parse import urlsplit

from assistant.errors import DeclarationError
from assistant.handoff.backends import BuiltinInbox, CompositeBackend
from assistant.handoff.webhook import WebhookBackend, WebhookClient, WebhookDelivery
from assistant.ports import Clock, HandoffBackend, Ids
from assistant.resilience import jitter_from
from assistant.sessions.handoff_registry import HandoffRegistry
from assistant.settings import Settings
from assistant.store.storage import Storage

_SHORTEST = 32


def delivery_of(settings: Settings, storage: Storage, clock: Clock, ids: Ids) -> WebhookDelivery | None:
    """What delivers events to the configured webhook; None if there is none. Close it in the end.

    Raises ``DeclarationError`` if a setting is missing, or if a secret is too weak.
    """
    client = _client(settings, clock, ids)
    return client and WebhookDelivery(client, storage.log, storage.deliveries, storage.jobs)


def handoffs_of(
    settings: Settings, storage: Storage, delivery: WebhookDelivery | None, clock: Clock, ids: Ids
) -> HandoffRegistry | None:
    """The handoffs over the configured backends; None if none is configured.

    Raises ``DeclarationError`` if a setting is missing, or if a secret is too weak.
    """
    own: list[HandoffBackend] = [BuiltinInbox()] if settings.operator_token is not None else []
    client = _client(settings, clock, ids)
    if client is None or delivery is None:
        return HandoffRegistry(own[0], ids, settings.handoff_timeout_s) if own else None
    backend = CompositeBackend(*own, WebhookBackend(client, delivery, storage.log))
    return HandoffRegistry(backend, ids, settings.handoff_timeout_s)


def _client(settings: Settings, clock: Clock, ids: Ids) -> WebhookClient | None:
    if settings.handoff_webhook_url is None:
        return None
    return WebhookClient(_address(settings.handoff_webhook_url), _secret(settings), clock, jitter_from(ids))


def _address(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username is not None:
        raise DeclarationError(
            f"ASSISTANT_HANDOFF_WEBHOOK_URL={url!r} is not an address to send requests to; write one such as "
            "'https://desk.example.com/meanwhile', with no name or password in it"
        )
    return url


def _secret(settings: Settings) -> str:
    given = (
        settings.handoff_webhook_secret.get_secret_value()
        if settings.handoff_webhook_secret is not None
        else ""
    )
    if len(given) < _SHORTEST:
        raise DeclarationError(
            f"ASSISTANT_HANDOFF_WEBHOOK_SECRET has {len(given)} characters; "
            "requests to ASSISTANT_HANDOFF_WEBHOOK_URL are signed "
            f"with it, so it needs {_SHORTEST} or more, such as `openssl rand -base64 32` prints"
        )
    return given
