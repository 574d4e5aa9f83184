"""Visitors' tokens: signed by this server, each for one customer in one conversation, for a while."""

from dataclasses import dataclass, field
from typing import Any, TypeAlias, get_args

import jwt

from assistant.conversation.customer import ConversationKey, Customer, CustomerCredential, Level
from assistant.errors import IdentityError
from assistant.ports import Clock

_ALGORITHM = "HS256"
"""Fixed: the token never chooses how it is checked."""

_ISSUER = "meanwhile"
_DAY_S = 24 * 3600

_Claims: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """What a token stands for: who is visiting, and which conversation it opens.

    ``locale`` is the customer's own language where their site has told it; None: the page's counts. ``credential``
    is what the site has given along just now; it stands in no token of ours.
    """

    customer: Customer
    conversation: str
    locale: str | None = None
    credential: CustomerCredential | None = field(default=None, repr=False, compare=False)

    @property
    def key(self) -> ConversationKey:
        """Where the conversation lives."""
        return ConversationKey(
            tenant=self.customer.tenant, customer=self.customer.id, conversation=self.conversation
        )


class Tokens:
    """Issues and reads tokens.

    Args:
        secret: at least 32 bytes. Who has it can be anyone; whoever changes it ends every visit.
        clock: what the expiry is measured by.
        lifetime_s: how long a token is good for, in seconds. A visitor who comes back gets a fresh one.
    """

    def __init__(self, secret: bytes, clock: Clock, *, lifetime_s: int = 30 * _DAY_S) -> None:
        if len(secret) < 32:
            raise ValueError(f"a secret of {len(secret)} bytes can be guessed; 32 or more are needed")
        self._secret, self._clock, self._lifetime_s = secret, clock, lifetime_s

    def issue(self, visit: Visit) -> tuple[str, int]:
        """A token for this visit, and when it expires in Unix milliseconds."""
        expires_s = self._clock.now_ms() // 1000 + self._lifetime_s
        customer = visit.customer
        claims: _Claims = {
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
            claims, self._secret, algorithm=_ALGORITHM
        )
        return token, expires_s * 1000

    def read(self, token: str) -> Visit:
        """Trust a token, or raise ``IdentityError``: forged, expired, or not one of ours."""
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

    def _claims(self, token: str) -> _Claims:
        required = ["iss", "sub", "tenant", "level", "conversation", "exp"]
        try:
            return jwt.decode(  # pyright: ignore[reportUnknownMemberType] (names an optional package)
                token,
                self._secret,
                algorithms=[_ALGORITHM],
                issuer=_ISSUER,
                # The library would measure by the machine's time, not by the clock port.
                options={"require": required, "verify_exp": False, "verify_iat": False, "verify_nbf": False},
            )
        except jwt.InvalidTokenError as error:
            raise IdentityError(f"the token cannot be trusted: {error}") from error
