"""A site's word for its customer: a token that it signs, taken once, in the first frame."""

from dataclasses import dataclass
from hashlib import sha256
from math import ceil
from typing import Annotated, Protocol

import jwt
from pydantic import BaseModel, Field, ValidationError

from assistant.conversation.people import Customer
from assistant.errors import DeclarationError, IdentityError
from assistant.ports import Clock
from assistant.server.client_frames import Locale
from assistant.server.codes import UserRefusal

AUDIENCE = "meanwhile"
LONGEST_S = 3600
"""So far ahead a token may end at most: it has to be remembered as used until then."""

_ALGORITHM = "HS256"
"""Fixed: the token never chooses how it is checked."""

_SKEW_S = 30
"""So much the site's clock may differ from ours."""

_LEAST_BYTES = 32


class UserRefused(IdentityError):
    """``hello.user`` was not believed; ``code`` is for the client, ``str()`` for the site's developer."""

    def __init__(self, code: UserRefusal, message: str) -> None:
        self.code: UserRefusal = code
        super().__init__(message)


class UsedTokens(Protocol):
    """Remembers which tokens have been used, over restarts too."""

    async def use(self, token_id: str, *, until_ms: int, now_ms: int) -> bool:
        """Whether this is the first time; of several at once one is. Forgets it after ``until_ms``."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Introduction:
    """Who was introduced, and the language the site knows them to speak, where it says so."""

    customer: Customer
    locale: str | None


_signatures = jwt.PyJWS(algorithms=[_ALGORITHM])

_Seconds = Annotated[float, Field(strict=True, allow_inf_nan=False)]
_Name = Annotated[str, Field(strict=True, min_length=1, max_length=128)]


class _Claims(BaseModel):
    """What must stand in a token, and what may. Times are Unix seconds."""

    sub: _Name
    jti: _Name
    aud: str | list[str]
    exp: _Seconds
    iat: _Seconds = 0
    nbf: _Seconds = 0
    name: Annotated[str, Field(max_length=200)] | None = None
    locale: Locale | None = None


class SiteTokens:
    """Believes tokens that the site has signed.

    Args:
        secret: shared with the site; at least 32 bytes. Who has it can be any customer.
        clock: what a token's life is measured by.
        used: remembers those that have been used.
        tenant: whose customers they are.

    Raises:
        DeclarationError: the secret can be guessed.
    """

    def __init__(self, secret: bytes, *, clock: Clock, used: UsedTokens, tenant: str) -> None:
        if len(secret) < _LEAST_BYTES:
            raise DeclarationError(
                f"ASSISTANT_SITE_SECRET has {len(secret)} bytes and can be guessed; "
                f"{_LEAST_BYTES} or more are needed. This makes a good one: "
                'python -c "import secrets; print(secrets.token_urlsafe(32))"'
            )
        self._secret, self._clock, self._used, self._tenant = secret, clock, used, tenant

    async def redeem(self, token: str) -> Introduction:
        """Take a token, which is used then. Raises ``UserRefused``, and says why."""
        claims = self._trusted(token)
        now_ms = self._clock.now_ms()
        _check_audience(claims)
        _check_times(claims, now_ms / 1000)
        # Never forgotten a moment too early.
        until_ms = ceil((claims.exp + _SKEW_S) * 1000)
        # A digest, because a site may put anything into its ids.
        token_id = sha256(claims.jti.encode()).hexdigest()
        if not await self._used.use(token_id, until_ms=until_ms, now_ms=now_ms):
            raise UserRefused("user_replayed", "this token has been used; sign a new one for each hello")
        customer = Customer(tenant=self._tenant, id=claims.sub, level="signed_in", name=claims.name)
        return Introduction(customer=customer, locale=claims.locale)

    def _trusted(self, token: str) -> _Claims:
        try:
            payload = _signatures.decode(token, self._secret, algorithms=[_ALGORITHM])
        except jwt.InvalidTokenError as error:
            raise UserRefused("user_refused", f"the token cannot be trusted: {error}") from error
        try:
            return _Claims.model_validate_json(payload)
        except ValidationError as error:
            problem = error.errors(include_url=False)[0]
            where = ".".join(map(str, problem["loc"])) or "claims"
            raise UserRefused("user_refused", f"the token's {where!r}: {problem['msg']}") from error


def _check_audience(claims: _Claims) -> None:
    if AUDIENCE not in ([claims.aud] if isinstance(claims.aud, str) else claims.aud):
        raise UserRefused(
            "user_refused", f"the token is meant for {claims.aud!r}; 'aud' must be {AUDIENCE!r}"
        )


def _check_times(claims: _Claims, now_s: float) -> None:
    if claims.exp + _SKEW_S <= now_s:
        raise UserRefused("user_expired", f"the token ended {now_s - claims.exp:.0f} s ago; sign a new one")
    if claims.exp > now_s + LONGEST_S + _SKEW_S:
        raise UserRefused(
            "user_refused",
            f"the token ends in {claims.exp - now_s:.0f} s; at most {LONGEST_S} s are allowed",
        )
    if max(claims.iat, claims.nbf) > now_s + _SKEW_S:
        raise UserRefused("user_refused", "the token begins in the future; is the site's clock right?")
