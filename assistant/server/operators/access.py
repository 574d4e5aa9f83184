"""Operators' access: the token, rate limits, and which conversations they see."""

import hmac
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated

from fastapi import Header, HTTPException, Request
from starlette.requests import HTTPConnection

from assistant.errors import DeclarationError
from assistant.ports import Clock
from assistant.server.attachments import AttachmentService
from assistant.server.limits import WRONG_TOKENS_RETRY_S, TokenBuckets, WrongTokens
from assistant.server.proxies import client_address
from assistant.sessions.handoff_registry import HandoffRegistry

SHORTEST = 32
"""The minimum number of characters of a token; a shorter token can be guessed."""

_FRAMES_PER_MINUTE = 300


@dataclass(kw_only=True)
class Operators:
    """Operators' access: one token for the agents of one tenant.

    ``token`` has two values while it is being replaced: see :mod:`assistant.secret_files`.

    ``attachments`` shows them the files of tools as the customer sees them; None: they see only text.

    Raises:
        DeclarationError: the token can be guessed.
    """

    token: str = field(repr=False)
    tenant: str
    handoffs: HandoffRegistry
    clock: Clock
    attachments: AttachmentService | None = None

    def __post_init__(self) -> None:
        self._tokens = self.token.split()
        if (shortest := min(map(len, self._tokens), default=0)) < SHORTEST:
            raise DeclarationError(
                f"ASSISTANT_OPERATOR_TOKEN has {shortest} characters, so it can be guessed; "
                f"use {SHORTEST} or more, such as `openssl rand -base64 32` prints"
            )
        self._wrong = WrongTokens(self.clock)
        self._frames = TokenBuckets(_FRAMES_PER_MINUTE, self.clock)

    def knows(self, token: str) -> bool:
        """Whether the token is right; compared in constant time."""
        return any(hmac.compare_digest(token.encode(), known.encode()) for known in self._tokens)

    def may_guess(self, connection: HTTPConnection) -> bool:
        """Whether one more wrong token from this address is answered with 401; if so, it is counted."""
        return self._wrong.allow(connection)

    def may_go_on(self, connection: HTTPConnection) -> bool:
        """Whether one more command from this address is allowed; if so, it is counted."""
        return self._frames.allow(client_address(connection) or "here")


def bearer(header: str | None) -> str:
    """The token of an ``Authorization`` header; "" if there is none.

    >>> bearer("Bearer abc"), bearer("bearer abc"), bearer("Basic abc"), bearer(None)
    ('abc', 'abc', '', '')
    """
    scheme, _, token = (header or "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def guard(operators: Operators) -> Callable[..., None]:
    """A router dependency: 401 without the token, 429 after too many wrong tokens or commands."""

    def guarded(request: Request, authorization: Annotated[str | None, Header()] = None) -> None:
        wait = {"Retry-After": str(WRONG_TOKENS_RETRY_S)}
        if operators.knows(bearer(authorization)):
            if not operators.may_go_on(request):
                raise HTTPException(429, "too many requests; wait a minute", wait)
        elif operators.may_guess(request):
            raise HTTPException(401, "not the operators' token", {"WWW-Authenticate": "Bearer"})
        else:
            raise HTTPException(429, "too many wrong tokens; wait a minute", wait)

    return guarded
