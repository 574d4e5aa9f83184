"""Encrypts customers' credentials before they are stored, and decrypts them."""

import json
import os
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import TypeAlias

import structlog
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from assistant.conversation.customer import ConversationKey, CustomerCredential
from assistant.ports import Keys, keys_of

log = structlog.get_logger(__name__)

StoredCredential: TypeAlias = tuple[str, str, str, int, bytes]
"""Tenant, customer, conversation, expiry time, and the encrypted text."""

_NONCE_BYTES = 12


class CredentialCipher:
    """AES-256-GCM with keys that are derived from the installation's secrets.

    A credential is bound to its conversation and its expiry: it cannot be decrypted in another row, or with
    another expiry.

    Args:
        keys: the installation's secrets, at least 32 bytes each.
    """

    def __init__(self, keys: bytes | Keys) -> None:
        self._keys = keys_of(keys)

    def encrypt(self, key: ConversationKey, credential: CustomerCredential) -> bytes:
        """The nonce, then the encrypted token and claims."""
        nonce = os.urandom(_NONCE_BYTES)
        plain = json.dumps({"token": credential.token, "claims": dict(credential.claims)}).encode()
        return nonce + _cipher(self._keys.signing).encrypt(
            nonce, plain, _bound_to(key, credential.expires_ms)
        )

    def decrypt(self, key: ConversationKey, expires_ms: int, sealed: bytes) -> CustomerCredential | None:
        """The credential; None if it cannot be decrypted, because the secret or the row has changed."""
        nonce, text, bound = sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], _bound_to(key, expires_ms)
        for secret in self._keys.accepted:
            try:
                written = json.loads(_cipher(secret).decrypt(nonce, text, bound))
            except (InvalidTag, ValueError):
                continue
            return CustomerCredential(token=written["token"], claims=written["claims"], expires_ms=expires_ms)
        log.warning("a customer's credential cannot be decrypted", conversation=key.conversation)
        return None

    def resealed(self, rows: Iterable[StoredCredential]) -> Iterator[tuple[bytes, *StoredCredential]]:
        """Each row that can be decrypted, encrypted anew: the new text, then the row as it was."""
        for row in rows:
            tenant, customer, conversation, expires_ms, sealed = row
            key = ConversationKey(tenant=tenant, customer=customer, conversation=conversation)
            if (credential := self.decrypt(key, expires_ms, bytes(sealed))) is not None:
                yield self.encrypt(key, credential), *row


@lru_cache(maxsize=8)
def _cipher(secret: bytes) -> AESGCM:
    derived = HKDF(algorithm=SHA256(), length=32, salt=None, info=b"meanwhile customer credentials")
    return AESGCM(derived.derive(secret))


def _bound_to(key: ConversationKey, expires_ms: int) -> bytes:
    """The conversation and expiry to which the ciphertext is bound."""
    return json.dumps([key.tenant, key.customer, key.conversation, expires_ms]).encode()
