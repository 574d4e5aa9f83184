"""Passwords of staff: their hashes, and the rules for new ones."""

import asyncio
import unicodedata
from functools import cached_property
from typing import Protocol

from assistant.staff.accounts import StaffRefused

SHORTEST = 12
LONGEST = 200

_AT_ONCE = 2
"""Each check uses 64 MiB and a core for 50 ms."""


class Hasher(Protocol):
    """Hashes passwords. The first two take long on purpose."""

    def hash(self, password: str) -> str:
        """A new hash with its own salt."""
        ...

    def is_hash_of(self, password: str, hashed: str) -> bool:
        """Whether the password has this hash."""
        ...

    def is_outdated(self, hashed: str) -> bool:
        """Whether the hash was made with other parameters than today's."""
        ...


class _Argon2:
    """Argon2id with the parameters of RFC 9106 for 64 MiB."""

    def __init__(self) -> None:
        # Imported at the first sign-in: most starts of a server need no password.
        from argon2 import PasswordHasher, exceptions
        from argon2.profiles import RFC_9106_LOW_MEMORY

        self._hasher = PasswordHasher.from_parameters(RFC_9106_LOW_MEMORY)
        self._wrong = (exceptions.VerificationError, exceptions.InvalidHashError)

    def hash(self, password: str) -> str:
        return self._hasher.hash(password)

    def is_hash_of(self, password: str, hashed: str) -> bool:
        try:
            return self._hasher.verify(hashed, password)
        except self._wrong:
            return False

    def is_outdated(self, hashed: str) -> bool:
        return self._hasher.check_needs_rehash(hashed)


class Passwords:
    """Hashes and checks passwords in threads, a few at the same time.

    Args:
        hasher: Argon2id when left out.
    """

    def __init__(self, hasher: Hasher | None = None) -> None:
        self._given = hasher
        self._turns = asyncio.Semaphore(_AT_ONCE)
        self._no_password = ""

    @cached_property
    def _hasher(self) -> Hasher:
        return self._given or _Argon2()

    async def hash_new(self, password: str, *words: str) -> str:
        """The hash of a new password. Raises ``StaffRefused`` if it can be guessed.

        Args:
            password: the password.
            words: the person's login and name, which are no passwords.
        """
        check_strength(password, *words)
        return await self.hash_again(password)

    async def hash_again(self, password: str) -> str:
        """Another hash of a password that is in use already."""
        async with self._turns:
            return await asyncio.to_thread(self._hasher.hash, _normal(password))

    async def matches(self, stored: str, password: str) -> bool:
        """Whether this is the password. It takes as long for "", where no password is right."""
        if len(password) > LONGEST:
            return False
        async with self._turns:
            if not self._no_password:
                self._no_password = await asyncio.to_thread(self._hasher.hash, "no password")
            right = await asyncio.to_thread(
                self._hasher.is_hash_of, _normal(password), stored or self._no_password
            )
        return right and bool(stored)

    def is_outdated(self, stored: str) -> bool:
        """Whether a hash should be made again with today's parameters."""
        return self._hasher.is_outdated(stored)


def check_strength(password: str, *words: str) -> None:
    """Raise ``StaffRefused`` if a password is too short or is one of the person's own words."""
    if len(password) < SHORTEST:
        raise StaffRefused(
            "password_weak", f"the password has {len(password)} characters; use {SHORTEST} or more"
        )
    if len(password) > LONGEST:
        raise StaffRefused(
            "password_weak", f"the password has {len(password)} characters; use at most {LONGEST}"
        )
    simple = password.casefold()
    if len(set(simple)) < 5 or any(word and _adds_little(simple, word.casefold()) for word in words):
        raise StaffRefused(
            "password_weak", "the password can be guessed; use several words that do not belong together"
        )


def _adds_little(password: str, word: str) -> bool:
    """Whether a password is a known word with a few characters added."""
    return word in password and len(password) - len(word) < SHORTEST // 2


def _normal(password: str) -> str:
    # Keyboards write the same letter in different ways.
    return unicodedata.normalize("NFKC", password)
