"""Binds a sign-in at the identity provider to the browser in which it began, on any server.

A sealed cookie has what the answer is compared with. It is valid for ten minutes, for one answer, and is sent to
these routes only. Sign-ins that began in several tabs have one cookie each.
"""

import re
from base64 import urlsafe_b64encode
from hashlib import sha256

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from fastapi import Request, Response
from pydantic import BaseModel, ConfigDict, ValidationError

from assistant.ports import Clock, Ids, Keys
from assistant.server.console.access import PREFIX_KEY
from assistant.staff.openid import SignInRequest

VALID_S = 600
_NAME = "meanwhile_sign_in_"
_LABEL = b"meanwhile sign-in\n"
_MOST = 4
"""Sign-ins of one browser at the same time; the oldest is forgotten."""
_LONGEST_NEXT = 2_000
_ADDRESS = re.compile(r"[!-\[\]-~]+")
"""Visible characters of ASCII, without the backslash, which browsers read as a slash."""
_VIEW = re.compile(r"(?!/(?:api|oidc)(?:/|$))(?:/[A-Za-z0-9_~-]+)*/?")
"""What comes after the console's own address: parts of a path without dots, and no route of the server."""


class PendingSignIn(BaseModel):
    """A sign-in that has begun. ``next`` is the address within the console that the person asked for."""

    model_config = ConfigDict(frozen=True)

    issuer: str
    state: str
    nonce: str
    verifier: str
    redirect_uri: str
    next: str

    @property
    def request(self) -> SignInRequest:
        """What the provider is asked with."""
        return SignInRequest(
            state=self.state, nonce=self.nonce, verifier=self.verifier, redirect_uri=self.redirect_uri
        )


class SignInCookies:
    """Writes and reads the cookies.

    Args:
        keys: the installation's secret; all servers have it.
        clock: measures how long a cookie is valid.
        ids: makes what cannot be guessed.
    """

    def __init__(self, keys: Keys, clock: Clock, ids: Ids) -> None:
        self._keys, self._clock, self._ids = keys, clock, ids

    def new(self, issuer: str, redirect_uri: str, next_address: str) -> PendingSignIn:
        """A sign-in with values of its own."""
        state, nonce, verifier = (self._ids.secret() for _ in range(3))
        return PendingSignIn(
            issuer=issuer,
            state=state,
            nonce=nonce,
            verifier=verifier,
            redirect_uri=redirect_uri,
            next=next_address,
        )

    def give(self, request: Request, response: Response, pending: PendingSignIn) -> None:
        """Give the cookie to the browser, and delete its oldest ones if there are too many."""
        held = [name for name in request.cookies if name.startswith(_NAME)]
        for name in held[: max(0, len(held) + 1 - _MOST)]:
            self._delete(request, response, name)
        sealed = _sealer(self._keys).encrypt_at_time(pending.model_dump_json().encode(), self._now_s)
        response.set_cookie(
            _name(pending.state),
            sealed.decode(),
            max_age=VALID_S,
            path=_path(request),
            secure=request.url.scheme == "https",
            httponly=True,
            samesite="lax",  # the provider's answer comes from another site
        )

    def read(self, request: Request, state: str) -> PendingSignIn | None:
        """The sign-in that began in this browser with this ``state``; None if there is none, or it is too old."""
        sealed = request.cookies.get(_name(state), "")
        try:
            opened = _sealer(self._keys).decrypt_at_time(sealed.encode(), VALID_S, self._now_s)
            pending = PendingSignIn.model_validate_json(opened)
        except (InvalidToken, ValidationError, ValueError):
            return None
        return pending if pending.state == state else None

    def delete(self, request: Request, response: Response, state: str) -> None:
        """Remove the cookie of a sign-in that has ended."""
        self._delete(request, response, _name(state))

    def _delete(self, request: Request, response: Response, name: str) -> None:
        response.delete_cookie(
            name, path=_path(request), secure=request.url.scheme == "https", httponly=True, samesite="lax"
        )

    @property
    def _now_s(self) -> int:
        return self._clock.now_ms() // 1000


def _name(state: str) -> str:
    return f"{_NAME}{sha256(state.encode()).hexdigest()[:16]}"


def _path(request: Request) -> str:
    return f"{request.scope.get(PREFIX_KEY, '')}/console/oidc"


def _sealer(keys: Keys) -> MultiFernet:
    """Seals with the newest secret, and opens with each that is accepted."""
    ordered = [keys.signing, *(key for key in keys.accepted if key != keys.signing)]
    return MultiFernet([Fernet(urlsafe_b64encode(sha256(_LABEL + key).digest())) for key in ordered])


def own_address(request: Request, asked: str) -> str:
    """``asked`` if it is a view of this console, and the console's first page otherwise.

    A link from elsewhere must not be able to send a person who has just signed in to another site.
    """
    home = f"{request.scope.get(PREFIX_KEY, '')}/console"
    if len(asked) > _LONGEST_NEXT or not _ADDRESS.fullmatch(asked):
        return home
    path, mark, query = asked.partition("?")
    below = path.removeprefix(home)
    if not path.startswith(home) or not _VIEW.fullmatch(below):
        return home
    return f"{path}{mark}{query}"
