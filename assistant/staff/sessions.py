"""Sessions of signed-in people, and the one-time links that open one."""

from dataclasses import dataclass
from hashlib import sha256
from typing import Literal, TypeAlias

SignedInBy: TypeAlias = Literal["password", "link", "oidc"]


def token_hash(token: str) -> str:
    """What is stored of a token: who reads the storage cannot use it.

    A plain hash is enough, because a token has 256 random bits.

    >>> len(token_hash("a-token"))
    64
    """
    return sha256(token.encode()).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class StaffSession:
    """A session. Times are in Unix ms; ``used_ms`` is exact to a minute."""

    tenant: str
    token_hash: str
    account: str
    by: SignedInBy
    begun_ms: int
    used_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OneTimeLink:
    """A link that signs a person in once.

    ``account`` is the person's id; "" is the account of the server's own operator, which is made when the
    link is used.
    """

    tenant: str
    token_hash: str
    account: str
    expires_ms: int
