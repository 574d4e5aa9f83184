"""The calls: who may open a call's socket, which calls we ended, and which sockets are open here."""

import asyncio
import hmac
from hashlib import sha256
from typing import Any

import jwt

from assistant.ports import Clock, Ids, Keys, keys_of
from assistant.server.auth import UsedTokens

_ALGORITHM = "HS256"
_CLAIMS = ("tenant", "call", "jti", "until_ms")

_ENDED_MS = 60_000
"""Twilio asks at once what to do next. After this time it asks no more about an ended call."""


class CallRegistry:
    """The calls by Twilio's id.

    Twilio may ask one server what to do and connect the call to another behind the same address. So tokens
    are signed, and their use and the ended calls are recorded where all servers see them. Sockets are known
    to this process only. If a call has opened several, only its newest counts.

    Args:
        keys: the installation's keys, which all its servers have. A token becomes invalid when its key is
            removed.
        tenant: the tenant that the calls belong to.
        clock: measures how long a token is valid.
        used: records used tokens and ended calls.
    """

    def __init__(self, keys: bytes | Keys, *, tenant: str, clock: Clock, ids: Ids, used: UsedTokens) -> None:
        self._keys = keys_of(keys)
        self._tenant, self._clock, self._ids, self._used = tenant, clock, ids, used
        self._open: dict[str, asyncio.Event] = {}

    def expect(self, call_sid: str, lasts_s: float) -> str:
        """Return a new token for a socket of this call. It is valid once, for ``lasts_s`` seconds."""
        claims = {
            "tenant": self._tenant,
            "call": call_sid,
            "jti": self._ids.new(),
            "until_ms": self._clock.now_ms() + round(lasts_s * 1000),
        }
        return jwt.encode(  # pyright: ignore[reportUnknownMemberType] (names an optional package)
            claims, _signing(self._keys.signing), algorithm=_ALGORITHM
        )

    async def admit(self, call_sid: str, token: str) -> bool:
        """Whether a socket with this token belongs to the call; if so, the token is used up.

        Raises ``LogError`` if its use cannot be recorded.
        """
        claims = next(filter(None, (_claims(token, key) for key in self._keys.accepted)), None)
        if claims is None:
            return False
        now_ms, until_ms = self._clock.now_ms(), int(claims["until_ms"])
        if (claims["tenant"], claims["call"]) != (self._tenant, call_sid) or until_ms <= now_ms:
            return False
        token_id = _digest("call token", claims["jti"])
        return await self._used.use(self._tenant, token_id, until_ms=until_ms, now_ms=now_ms)

    def enter(self, call_sid: str) -> asyncio.Event:
        """Register a socket for this call. The returned event is set when a newer socket replaces it."""
        before = self._open.get(call_sid)
        if before is not None:
            before.set()
        replaced = self._open[call_sid] = asyncio.Event()
        return replaced

    def leave(self, call_sid: str, replaced: asyncio.Event) -> None:
        """Remove the socket that got this event."""
        if self._open.get(call_sid) is replaced:
            del self._open[call_sid]

    async def mark_ended(self, call_sid: str) -> None:
        """Mark a call that we ended, so that no server resumes it. Raises ``LogError`` if it is not stored."""
        now_ms = self._clock.now_ms()
        call_id = _digest("call ended", call_sid)
        await self._used.use(self._tenant, call_id, until_ms=now_ms + _ENDED_MS, now_ms=now_ms)

    async def was_ended(self, call_sid: str) -> bool:
        """Whether a server ended the call. Raises ``LogError`` if it is not known."""
        # A mark that has ended already only asks whether there is another.
        call_id = _digest("call ended", call_sid)
        return not await self._used.use(self._tenant, call_id, until_ms=0, now_ms=self._clock.now_ms())


def _digest(*parts: str) -> str:
    """An id that does not contain the call's."""
    return sha256("\n".join(parts).encode()).hexdigest()


def _claims(token: str, key: bytes) -> dict[str, Any] | None:
    try:
        return jwt.decode(  # pyright: ignore[reportUnknownMemberType] (names an optional package)
            token, _signing(key), algorithms=[_ALGORITHM], options={"require": list(_CLAIMS)}
        )
    except jwt.InvalidTokenError:
        return None


def _signing(key: bytes) -> bytes:
    return hmac.digest(key, b"calls: signed with", sha256)
