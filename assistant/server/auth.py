"""Identifies visitors, by tokens that this server signs and by tokens that a site signs for its customers.

A visitor's token opens one conversation for a limited time. A site's token is accepted once, in the first
frame.
"""

from base64 import urlsafe_b64encode
from dataclasses import dataclass, field, replace
from hashlib import sha256
from math import ceil
from typing import Annotated, Any, Protocol, TypeAlias, get_args

import jwt
from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from pydantic import BaseModel, Field, StrictBool, StrictInt, ValidationError

from assistant.conversation.customer import Claim, ConversationKey, Customer, CustomerCredential, Level
from assistant.errors import DeclarationError, IdentityError
from assistant.ports import Clock, Ids, Keys, keys_of
from assistant.server.frames.client_frames import Locale
from assistant.server.frames.frame import UserRefusal

_ALGORITHM = "HS256"
"""Fixed: the token must not choose how it is verified."""

_ISSUER = "meanwhile"
_DAY_S = 24 * 3600

VISIT_S = 30 * _DAY_S
"""How long a visitor's token is valid."""

_VisitClaims: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """The content of a token: the visitor, and the conversation that it opens.

    ``locale`` is the customer's language if their website has sent it; None uses the page's language.
    ``credential`` is the credential that the website has just sent; our tokens never contain it.
    """

    customer: Customer
    conversation: str
    locale: str | None = None
    credential: CustomerCredential | None = field(default=None, repr=False, compare=False)

    @property
    def key(self) -> ConversationKey:
        """The key of the conversation."""
        return ConversationKey(
            tenant=self.customer.tenant, customer=self.customer.id, conversation=self.conversation
        )


class VisitorTokens:
    """Issues and reads tokens.

    Args:
        keys: the keys that sign tokens, at least 32 bytes each. With a key, one can act as any visitor. A
            token becomes invalid when its key is removed.
        clock: measures the expiry.
        lifetime_s: how long a token is valid, in seconds. A visitor who comes back gets a new one.
    """

    def __init__(self, keys: bytes | Keys, clock: Clock, *, lifetime_s: int = VISIT_S) -> None:
        self._keys, self._clock, self._lifetime_s = keys_of(keys), clock, lifetime_s
        if (shortest := min(map(len, self._keys.accepted))) < _LEAST_BYTES:
            raise ValueError(
                f"a secret of {shortest} bytes can be guessed; {_LEAST_BYTES} or more are needed"
            )

    def issue(self, visit: Visit) -> tuple[str, int]:
        """A token for this visit, and when it expires in Unix milliseconds."""
        expires_s = self._clock.now_ms() // 1000 + self._lifetime_s
        customer = visit.customer
        claims: _VisitClaims = {
            "iss": _ISSUER,
            "sub": customer.id,
            "tenant": customer.tenant,
            "level": customer.level,
            "name": customer.name,
            "conversation": visit.conversation,
            "locale": visit.locale,
            "exp": expires_s,
        }
        token = jwt.encode(  # pyright: ignore[reportUnknownMemberType] (names an optional package)
            claims, self._keys.signing, algorithm=_ALGORITHM
        )
        return token, expires_s * 1000

    def read(self, token: str) -> Visit:
        """Verify a token. Raises ``IdentityError`` if it is forged, expired, or not ours."""
        claims = self._claims(token)
        if claims["exp"] * 1000 <= self._clock.now_ms():
            raise IdentityError("the token has expired")
        if claims["level"] not in get_args(Level):
            raise IdentityError(f"the token's level {claims['level']!r} is not one of {get_args(Level)}")
        customer = Customer(
            tenant=claims["tenant"],
            id=claims["sub"],
            level=claims["level"],
            name=claims.get("name"),
        )
        return Visit(customer=customer, conversation=claims["conversation"], locale=claims.get("locale"))

    def _claims(self, token: str) -> _VisitClaims:
        problem = jwt.InvalidTokenError("there is no secret")
        for key in self._keys.accepted:
            try:
                return self._claims_signed_with(key, token)
            except jwt.InvalidSignatureError as error:
                problem = error
            except jwt.InvalidTokenError as error:
                problem = error
                break
        raise IdentityError(f"the token cannot be trusted: {problem}") from problem

    def _claims_signed_with(self, key: bytes, token: str) -> _VisitClaims:
        required = ["iss", "sub", "tenant", "level", "conversation", "exp"]
        return jwt.decode(  # pyright: ignore[reportUnknownMemberType] (names an optional package)
            token,
            key,
            algorithms=[_ALGORITHM],
            issuer=_ISSUER,
            # The library would use the machine's time instead of the clock port.
            options={"require": required, "verify_exp": False, "verify_iat": False, "verify_nbf": False},
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class VisitorIdentity:
    """The identity port for visitors without a website that identifies them.

    With ``demo_customer`` each new visitor is that customer, with a separate conversation. Without it a new
    visitor is anonymous.
    """

    tokens: VisitorTokens
    ids: Ids
    tenant: str = "default"
    demo_customer: Customer | None = None

    async def identify(self, token: str | None, locale: str) -> Customer:
        """The customer behind a token; a new visitor for None. Raises ``IdentityError``."""
        if token is not None:
            return replace(self.tokens.read(token).customer, locale=locale)
        if self.demo_customer is not None:
            return replace(self.demo_customer, locale=locale)
        return Customer(tenant=self.tenant, id=self.ids.new(), locale=locale)


AUDIENCE = "meanwhile"
LONGEST_S = 3600
"""The maximum time in seconds until a token's expiry: the server must remember a used token until then."""

LONGEST_CREDENTIAL_S = 24 * 3600
"""The maximum time in seconds until a credential's expiry: the website sends a new one in time."""

SEAL_LABEL = b"meanwhile credential\n"
"""Precedes the shared secret in the input for the key of a sealed credential."""


_SKEW_S = 30
"""The maximum difference in seconds between the website's clock and ours."""

_LEAST_BYTES = 32


class UserRefused(IdentityError):
    """``hello.user`` was refused; ``code`` is for the client, ``str()`` for the website's developer."""

    def __init__(self, code: UserRefusal, message: str) -> None:
        self.code: UserRefusal = code
        super().__init__(message)


class UsedTokens(Protocol):
    """Remembers used tokens, also across restarts."""

    async def use(self, tenant: str, token_id: str, *, until_ms: int, now_ms: int) -> bool:
        """Mark a tenant's token as used. True only for the first caller. Forgets the token after ``until_ms``."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Introduction:
    """The customer that a website's token names, and their language if the website knows it.

    ``credential`` is what tools use on behalf of the customer, if the website sends one.
    """

    customer: Customer
    locale: str | None
    credential: CustomerCredential | None = None


_signatures = jwt.PyJWS(algorithms=[_ALGORITHM])

_Seconds = Annotated[float, Field(strict=True, allow_inf_nan=False)]
_ClaimText = Annotated[str, Field(strict=True, max_length=1_000)]
_Name = Annotated[str, Field(strict=True, min_length=1, max_length=128)]


_ClaimName = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,63}$")]
_Claim = StrictBool | StrictInt | Annotated[float, Field(strict=True, allow_inf_nan=False)] | _ClaimText
_Token = Annotated[str, Field(strict=True, min_length=8, max_length=8_192, pattern=r"^[!-~]+$")]
"""The length that a header can carry. Shorter tokens would be found in unrelated words."""


class _Claims(BaseModel):
    """The required and optional claims of a token. Times are Unix seconds."""

    sub: _Name
    jti: _Name
    aud: str | list[str]
    exp: _Seconds
    iat: _Seconds = 0
    nbf: _Seconds = 0
    name: Annotated[str, Field(max_length=200)] | None = None
    locale: Locale | None = None
    credential: _Token | None = None
    credential_sealed: Annotated[str, Field(strict=True, max_length=12_000)] | None = None
    credential_exp: _Seconds | None = None
    claims: Annotated[dict[_ClaimName, _Claim], Field(max_length=50)] = Field(
        default_factory=dict[str, Claim]
    )


class SiteTokens:
    """Verifies tokens that the website has signed.

    Args:
        secrets: shared with the site, at least 32 bytes each. With a secret, one can act as any customer.
        clock: measures how long a token is valid.
        used: remembers the tokens that were already used.
        tenant: the tenant whose customers the tokens identify.
        restored_ms: when a backup was restored, in Unix time. The list of used tokens may lack tokens from
            before that time, so these are refused.

    Raises:
        DeclarationError: the secret can be guessed.
    """

    def __init__(
        self, *secrets: bytes, clock: Clock, used: UsedTokens, tenant: str, restored_ms: int = 0
    ) -> None:
        if (shortest := min(map(len, secrets))) < _LEAST_BYTES:
            raise DeclarationError(
                f"ASSISTANT_SITE_SECRET has {shortest} bytes and can be guessed; "
                f"{_LEAST_BYTES} or more are needed, and a space divides two values. This makes a good one: "
                'python -c "import secrets; print(secrets.token_urlsafe(32))"'
            )
        self._secrets, self._clock, self._used, self._tenant = secrets, clock, used, tenant
        self._restored_s = restored_ms / 1000
        sealing = (sha256(SEAL_LABEL + secret).digest() for secret in secrets)
        self._seal = MultiFernet([Fernet(urlsafe_b64encode(key)) for key in sealing])

    async def redeem(self, token: str) -> Introduction:
        """Verify a token and mark it as used. Raises ``UserRefused`` with the reason."""
        claims = self._trusted(token)
        now_ms = self._clock.now_ms()
        _check_audience(claims)
        _check_times(claims, now_ms / 1000)
        _check_restore(claims, self._restored_s)
        # A used token must not be forgotten too early.
        until_ms = ceil((claims.exp + _SKEW_S) * 1000)
        # A digest, because a website's ids may contain any text.
        token_id = sha256(claims.jti.encode()).hexdigest()
        if not await self._used.use(self._tenant, token_id, until_ms=until_ms, now_ms=now_ms):
            raise UserRefused("user_replayed", "this token has been used; sign a new one for each hello")
        customer = Customer(tenant=self._tenant, id=claims.sub, level="signed_in", name=claims.name)
        credential = _credential(self._unsealed(claims), now_ms / 1000)
        return Introduction(customer=customer, locale=claims.locale, credential=credential)

    def _unsealed(self, claims: _Claims) -> _Claims:
        """The claims, with the encrypted credential in them decrypted."""
        if claims.credential_sealed is None:
            return claims
        try:
            opened = self._seal.decrypt(claims.credential_sealed).decode()
            return _Claims.model_validate({**claims.model_dump(), "credential": opened})
        except (InvalidToken, UnicodeDecodeError, ValidationError):
            problem = "the token's 'credential_sealed' cannot be opened, or holds no credential"
            raise UserRefused("user_refused", problem) from None

    def _trusted(self, token: str) -> _Claims:
        payload = self._payload(token)
        try:
            return _Claims.model_validate_json(payload)
        except ValidationError as error:
            problem = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(map(str, problem["loc"])) or "claims"
            raise UserRefused("user_refused", f"the token's {where!r}: {problem['msg']}") from error

    def _payload(self, token: str) -> bytes:
        """What the site signed with one of the secrets."""
        problem = jwt.InvalidTokenError("there is no secret")
        for secret in self._secrets:
            try:
                return _signatures.decode(token, secret, algorithms=[_ALGORITHM])
            except jwt.InvalidTokenError as error:
                problem = error
        raise UserRefused("user_refused", f"the token cannot be trusted: {problem}") from problem


def _check_audience(claims: _Claims) -> None:
    if AUDIENCE not in ([claims.aud] if isinstance(claims.aud, str) else claims.aud):
        raise UserRefused(
            "user_refused", f"the token is meant for {claims.aud!r}; 'aud' must be {AUDIENCE!r}"
        )


def _credential(claims: _Claims, now_s: float) -> CustomerCredential | None:
    """The credential that tools use on behalf of the customer; None if the website has sent none."""
    if claims.credential is None and not claims.claims:
        return None
    ends_s = claims.exp if claims.credential_exp is None else claims.credential_exp
    if ends_s <= now_s:
        raise UserRefused(
            "user_expired", f"the token's credential ended {now_s - ends_s:.0f} s ago; give one that lasts"
        )
    if ends_s > now_s + LONGEST_CREDENTIAL_S:
        raise UserRefused(
            "user_refused",
            f"the token's credential ends in {ends_s - now_s:.0f} s;"
            f" at most {LONGEST_CREDENTIAL_S} s are allowed",
        )
    return CustomerCredential(
        token=claims.credential or "", claims=claims.claims, expires_ms=int(ends_s * 1000)
    )


def _check_restore(claims: _Claims, restored_s: float) -> None:
    """Refuse a token that may have been used before a backup was restored.

    A token without its time of issue may be as old as its expiry allows.
    """
    made_before = (
        claims.iat <= restored_s + _SKEW_S
        if claims.iat
        else claims.exp <= restored_s + LONGEST_S + 2 * _SKEW_S
    )
    if restored_s and made_before:
        raise UserRefused(
            "user_replayed",
            "this token was made before the server's data were restored, so it may have been used; sign a new one",
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
