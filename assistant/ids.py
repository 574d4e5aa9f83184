"""Unique ids and random secrets."""

import secrets
from base64 import b32hexencode

import uuid_utils


class SystemIds:
    """Ids from the machine's clock and random numbers."""

    def new(self) -> str:
        """Returns a fresh id: 26 lower-case letters and digits that sort by the time they were made."""
        # Base 32 with the extended hex alphabet is the short form whose text sorts as its bytes do.
        return b32hexencode(uuid_utils.uuid7().bytes).decode().rstrip("=").lower()

    def secret(self) -> str:
        """Returns a fresh secret for signing: 256 bits, safe in URLs and files."""
        return secrets.token_urlsafe(32)
