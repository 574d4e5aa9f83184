"""A company's site that signs its customers' tokens."""

from typing import Any

import jwt

from assistant.server.auth import SiteTokens
from assistant.store.sqlite.credentials import SqliteUsedTokens
from tests.server.running_server import ManualClock

SITE_SECRET = b"what the shop and the chat both know"


class Site:
    """Signs as its developers were told to, and otherwise where a test says so."""

    def __init__(self, clock: ManualClock) -> None:
        self._clock = clock
        self._signed = 0

    @property
    def now(self) -> float:
        """Its time, in Unix seconds."""
        return self._clock.at_s

    def claims(self, **changed: Any) -> dict[str, Any]:
        """Good ones, but for the changed; None leaves one out."""
        self._signed += 1
        now = int(self._clock.at_s)
        good = {"sub": "c-17", "aud": "meanwhile", "iat": now, "exp": now + 300, "jti": f"j{self._signed}"}
        return {name: value for name, value in {**good, **changed}.items() if value is not None}

    def signs(self, *, how: dict[str, Any] | None = None, **changed: Any) -> str:
        options = {"key": SITE_SECRET, "algorithm": "HS256", **(how or {})}
        return jwt.encode(self.claims(**changed), **options)  # pyright: ignore


def believing(clock: ManualClock, used: SqliteUsedTokens) -> SiteTokens:
    return SiteTokens(SITE_SECRET, clock=clock, used=used, tenant="demo")
