"""Recognises addresses whose meaning depends on who is signed in, such as "/me" or "/my/reservations"."""

import re

_WHOLE = frozenset(
    ("me", "my", "mine", "self", "myself", "own", "whoami", "userinfo", "mein", "meine", "ich")
)
"""The caller in the first person, as a part of a path by itself."""

_FIRST = frozenset(("my", "own", "mein", "meine"))
_CURRENT = re.compile(
    r"(current|authenticated|logged_in)_(customer|user|account|member|client|patient|guest)"
)


def is_own_path(path: str) -> bool:
    """Whether a path names whoever signs in: with one key for all customers it is the same person for each.

    >>> [is_own_path(path) for path in ("/me", "/v1/users/@me/orders", "/my-orders/{id}", "/currentUser")]
    [True, True, True, True]
    >>> [is_own_path(path) for path in ("/orders/{me}", "/memos", "/weather/current", "/ownership")]
    [False, False, False, False]
    """
    return any(map(_is_own, path.split("/")))


def _is_own(segment: str) -> bool:
    if "{" in segment:
        return False
    apart = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", segment).lower()
    words = [word for word in re.split(r"[^a-z0-9]+", apart) if word]
    if not words:
        return False
    if len(words) == 1:
        return words[0] in _WHOLE
    return words[0] in _FIRST or _CURRENT.fullmatch("_".join(words)) is not None
