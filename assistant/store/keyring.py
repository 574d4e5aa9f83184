"""The installation's secret, and the previous one while the secret is being replaced.

Both are stored in one text. Its first line is the current secret. During a rotation, more lines have the
previous secret and the time of the replacement. Further lines have the public keys with which receipts of
replaced secrets are verified. A server reads the text again every few seconds, and signs with a new secret
only when all servers know it.
"""

import hmac
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

from assistant.errors import DeclarationError
from assistant.ports import Clock

READ_EVERY_S = 5.0
"""Seconds between two reads of the secret by a server."""

TAKEN_UP_S = 60.0
"""Seconds after which a new secret is used for signing. By then, each server has read it several times."""

_INSTALLATION = "-"


@dataclass(frozen=True, slots=True, kw_only=True)
class InstallationSecret:
    """The current secret, and the data that are still needed of replaced ones.

    ``previous`` is the previous secret, which is still accepted; "" outside of a rotation. ``rotated_ms`` is
    the Unix time at which the current secret replaced it; 0 if none was ever replaced. ``retired`` are the
    public keys with which receipts of replaced secrets are verified, each with the tenant's name, or "-" for
    an installation of one company.
    """

    current: str
    previous: str = ""
    rotated_ms: int = 0
    retired: tuple[tuple[str, str], ...] = ()

    @classmethod
    def parse(cls, text: str) -> "InstallationSecret":
        r"""Read the secrets from the stored text. Raises ``DeclarationError`` if it cannot be read; the error
        does not contain it.

        >>> InstallationSecret.parse("new\nprevious old\nrotated 7").previous
        'old'
        """
        current, *lines = text.strip().splitlines()
        read = cls(current=current.strip())
        for line in lines:
            match line.split(" ", 1):
                case ["previous", secret]:
                    read = replace(read, previous=secret.strip())
                case ["rotated", ms] if ms.isdigit():
                    read = replace(read, rotated_ms=int(ms))
                case ["retired", which] if " " in which:
                    tenant, _, key = which.partition(" ")
                    read = replace(read, retired=(*read.retired, (tenant, key)))
                case _:
                    raise DeclarationError(
                        "the installation's secret cannot be read: it has a line of another release; restore it"
                        " from a backup, or install a newer release"
                    )
        return read

    @property
    def text(self) -> str:
        """The text that is stored."""
        lines = [self.current]
        if self.previous:
            lines.append(f"previous {self.previous}")
        if self.rotated_ms:
            lines.append(f"rotated {self.rotated_ms}")
        return "\n".join([*lines, *(f"retired {tenant} {key}" for tenant, key in self.retired)])

    @property
    def accepted(self) -> tuple[str, ...]:
        """All secrets with which something may have been signed, the current one first."""
        return (self.current, self.previous) if self.previous else (self.current,)

    def signing(self, now_ms: int) -> str:
        """Returns the secret for signing at this time."""
        if self.previous and now_ms < self.rotated_ms + TAKEN_UP_S * 1000:
            return self.previous
        return self.current

    def of_tenant(self, tenant: str) -> "InstallationSecret":
        """Returns a tenant's secrets, which are derived from the installation's."""
        return replace(
            self,
            current=secret_of(self.current, tenant),
            previous=secret_of(self.previous, tenant) if self.previous else "",
            retired=tuple((_INSTALLATION, key) for owner, key in self.retired if owner == tenant),
        )

    @property
    def retired_keys(self) -> Sequence[str]:
        """The public keys with which receipts of replaced secrets are verified."""
        return [key for owner, key in self.retired if owner == _INSTALLATION]

    def rotated(self, new: str, now_ms: int) -> "InstallationSecret":
        """Returns the secrets after a replacement: the new one, and the current one as the previous. Raises
        ``DeclarationError`` during a rotation.
        """
        if self.previous:
            raise DeclarationError(
                "the installation's secret is being replaced already: finish that first, with"
                " `assistant secrets rotate own --finish`"
            )
        return replace(self, current=new, previous=self.current, rotated_ms=now_ms)

    def finished(self, public_key: Callable[[str], str], tenants: Sequence[str]) -> "InstallationSecret":
        """Returns the secrets without the previous one. The public key of its receipts is still kept.

        ``public_key`` returns the public key that verifies receipts of a secret.
        """
        keys = [(_INSTALLATION, public_key(self.previous))]
        keys += [(tenant, public_key(secret_of(self.previous, tenant))) for tenant in tenants]
        return replace(self, previous="", retired=(*self.retired, *keys))


def secret_of(secret: str, tenant: str) -> str:
    """Returns a tenant's secret, which is derived from the installation's.

    >>> secret_of("s", "acme") == secret_of("s", "globex"), len(secret_of("s", "acme"))
    (False, 64)
    """
    return hmac.digest(secret.encode(), b"tenant: " + tenant.encode(), sha256).hex()


class Keyring:
    """The installation's secret as this process knows it. It is :class:`assistant.ports.Keys`.

    Args:
        record: the secrets as they were read at the start.
        clock: decides when a new secret is used for signing.
        read: reads the stored text again; raises ``LogError`` or ``DeclarationError``.
    """

    def __init__(self, record: InstallationSecret, clock: Clock, read: Callable[[], Awaitable[str]]) -> None:
        self._record, self._clock, self._read = record, clock, read

    @property
    def record(self) -> InstallationSecret:
        """The secrets as they are known now."""
        return self._record

    async def refresh(self) -> None:
        """Read the secrets again, because a command may have replaced them. Raises ``LogError`` or
        ``DeclarationError``.
        """
        self._record = InstallationSecret.parse(await self._read())

    @property
    def signing(self) -> bytes:
        """The secret for signing and encrypting from now on."""
        return self.record.signing(self._clock.now_ms()).encode()

    @property
    def accepted(self) -> Sequence[bytes]:
        """The secrets for verifying and decrypting."""
        return [secret.encode() for secret in self.record.accepted]

    def of_tenant(self, tenant: str) -> "Keyring":
        """Returns the keys of this tenant; they change when the installation's secret is replaced."""
        return _TenantKeyring(self, tenant, self._clock)


async def _never() -> str:
    raise NotImplementedError


class _TenantKeyring(Keyring):
    """A tenant's part of the installation's secret."""

    def __init__(self, whole: Keyring, tenant: str, clock: Clock) -> None:
        super().__init__(whole.record, clock, _never)
        self._whole, self._tenant = whole, tenant

    @property
    def record(self) -> InstallationSecret:
        """The tenant's secrets, made of the installation's as it is known now."""
        return self._whole.record.of_tenant(self._tenant)

    async def refresh(self) -> None:
        """Read the installation's again."""
        await self._whole.refresh()
