"""Builds the handoff backends that the settings name."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

from assistant.errors import DeclarationError
from assistant.handoff.backends import OwnDesk, SeveralDesks
from assistant.handoff.webhook import Courier, Post, WebhookDesk
from assistant.ports import Clock, Desk, Ids, Log
from assistant.resilience import jitter_from
from assistant.sessions.handoff import Handoffs
from assistant.settings import Settings
from assistant.store.deliveries import SqliteDeliveries

_SHORTEST = 32


@asynccontextmanager
async def handoffs_of(
    settings: Settings, log: Log, clock: Clock, ids: Ids
) -> AsyncGenerator[Handoffs | None]:
    """All handoffs, over the desks that are set up; None where there is none.

    Raises ``DeclarationError`` when a setting is missing, or a secret can be guessed.
    """
    own: list[Desk] = [OwnDesk()] if settings.operator_token is not None else []
    if settings.handoff_url is None:
        yield Handoffs(own[0], ids, settings.handoff_wait_s) if own else None
        return
    post = Post(_address(settings.handoff_url), _secret(settings), clock, jitter_from(ids))
    deliveries = SqliteDeliveries(settings.data_dir / "deliveries.db")
    try:
        courier = Courier(post, log, deliveries)
        await courier.resume()
        desk = SeveralDesks(*own, WebhookDesk(post, courier, log))
        yield Handoffs(desk, ids, settings.handoff_wait_s)
    finally:
        await deliveries.close()


def _address(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username is not None:
        raise DeclarationError(
            f"ASSISTANT_HANDOFF_URL={url!r} is not an address to send requests to; write one such as "
            "'https://desk.example.com/meanwhile', with no name or password in it"
        )
    return url


def _secret(settings: Settings) -> str:
    given = settings.handoff_secret.get_secret_value() if settings.handoff_secret is not None else ""
    if len(given) < _SHORTEST:
        raise DeclarationError(
            f"ASSISTANT_HANDOFF_SECRET has {len(given)} characters; requests to ASSISTANT_HANDOFF_URL are signed "
            f"with it, so it needs {_SHORTEST} or more, such as `openssl rand -base64 32` prints"
        )
    return given
