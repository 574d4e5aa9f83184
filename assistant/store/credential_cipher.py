"""Encrypts customers' credentials before they are stored, and decrypts them."""

import json
import os

import structlog
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from assistant.conversation.customer import ConversationKey, CustomerCredential

log = structlog.get_logger(__name__)

_NONCE_BYTES = 12


class CredentialCipher:
    """AES-256-GCM with a key that is derived from the installation's secret.

    A credential is bound to its conversation and its end: copied to another row, or with another end, it
    cannot be decrypted.

    Args:
        secret: the installation's secret, at least 32 bytes.
    """

    def __init__(self, secret: bytes) -> None:
        derived = HKDF(algorithm=SHA256(), length=32, salt=None, info=b"meanwhile customer credentials")
        self._cipher = AESGCM(derived.derive(secret))

    def encrypt(self, key: ConversationKey, credential: CustomerCredential) -> bytes:
        """The nonce, then the encrypted token and claims."""
        nonce = os.urandom(_NONCE_BYTES)
        plain = json.dumps({"token": credential.token, "claims": dict(credential.claims)}).encode()
        return nonce + self._cipher.encrypt(nonce, plain, _bound_to(key, credential.expires_ms))

    def decrypt(self, key: ConversationKey, expires_ms: int, sealed: bytes) -> CustomerCredential | None:
        """The credential; None if it cannot be decrypted, because the secret or the row has changed."""
        try:
            plain = self._cipher.decrypt(
                sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], _bound_to(key, expires_ms)
            )
        except (InvalidTag, ValueError):
            log.warning("a customer's credential cannot be decrypted", conversation=key.conversation)
            return None
        written = json.loads(plain)
        return CustomerCredential(token=written["token"], claims=written["claims"], expires_ms=expires_ms)


def _bound_to(key: ConversationKey, expires_ms: int) -> bytes:
    """What the ciphertext is good for, and nothing else."""
    return json.dumps([key.tenant, key.customer, key.conversation, expires_ms]).encode()
