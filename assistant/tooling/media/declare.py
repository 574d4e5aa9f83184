"""The decorator that makes a company's function a transform of all media."""

from inspect import isfunction, signature, unwrap
from typing import TypeVar

from assistant.errors import DeclarationError
from assistant.tooling.media.transform import Change

C = TypeVar("C", bound=Change)

CHANGES = "__media_changes__"
"""Where a module keeps the transforms declared in it, in order."""


def transforms_media(function: C) -> C:
    """Have every picture and file that a tool of this folder gives go through this function first.

    It takes ``Media`` and gives what is shown in their place, or None to leave them out; ``LeftOut("why")`` leaves
    them out and tells the model why. It may be async; a plain one runs in a thread. Several follow one another, in
    the order of their files' names and of their lines; pictures are scaled down after the last.

    Raises ``DeclarationError``: it is no function of one argument.
    """
    name = getattr(function, "__qualname__", repr(function))
    plain: object = function
    if not isfunction(plain):
        raise DeclarationError(f"@transforms_media is for functions, not for {name}; write def or async def")
    try:
        signature(plain).bind(object())
    except TypeError as error:
        raise DeclarationError(
            f"@transforms_media: {name} cannot be called with the media alone ({error}); "
            f"write def {name}(media: Media)"
        ) from error
    kept: list[Change] = unwrap(plain).__globals__.setdefault(CHANGES, [])
    kept.append(function)
    return function
