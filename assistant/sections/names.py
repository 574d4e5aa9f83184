"""The names of sections, and how they are known again however a model spells them."""

import re
from collections.abc import Iterator
from typing import Final

from assistant.errors import DeclarationError

_NAME: Final = re.compile(r"[A-Za-z][\w -]{0,47}")
_NONCE: Final = re.compile(r"_[0-9a-f]{8,}$")
_JOINTS: Final = re.compile(r"[\s_-]+")


def folded(name: str) -> str:
    """A name without what models get wrong in it.

    >>> folded(" Tool-Calls")
    'tool_calls'
    """
    return _JOINTS.sub("_", name.strip()).casefold()


class Names:
    """The registered sections: each name with its description."""

    def __init__(self) -> None:
        self._described: dict[str, str] = {}
        self._by_folded: dict[str, str] = {}

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self._described.items())

    def register(self, name: str, description: str) -> None:
        """Add a name. Raises ``DeclarationError`` for one that cannot be found again, or is taken."""
        if not _NAME.fullmatch(name):
            raise DeclarationError(
                f"section {name!r}: a name begins with a letter and has letters, digits, spaces, '_' and '-' "
                "after it, 48 at most, such as 'tool_calls'"
            )
        if (taken := self._by_folded.setdefault(folded(name), name)) != name or name in self._described:
            raise DeclarationError(f"section {name!r}: {taken!r} is registered already; choose another name")
        self._described[name] = description

    def known(self, written: str) -> str | None:
        """The registered name that is meant; a nonce behind it does not count."""
        plain = folded(written)
        return self._by_folded.get(plain) or self._by_folded.get(_NONCE.sub("", plain))

    def may_become_known(self, written: str) -> bool:
        """Whether more letters could make a registered name of what is written so far, or already have."""
        plain = folded(written)
        return any(name.startswith(plain) or plain.startswith(name) for name in self._by_folded)
