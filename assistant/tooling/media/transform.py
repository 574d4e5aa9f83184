"""What a picture or file goes through between the tool that gave it and everybody who sees it."""

from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from typing import Any, TypeAlias

from assistant.conversation.media import Media
from assistant.errors import AssistantError
from assistant.tooling.running.call_through import call_through

Transform: TypeAlias = Callable[[Media], Coroutine[Any, Any, Media | None]]
"""Gives what is shown in its place, or None to leave it out. Raises ``LeftOut``, with why."""

Change: TypeAlias = Callable[[Media], Media | Awaitable[Media | None] | None]
"""A company's own transform: async or plain; a plain one runs in a thread."""


class LeftOut(AssistantError):
    """A picture or file that nobody can be shown; says why, as a clause."""


def in_turn(*changes: Change) -> Transform:
    """All of these, one after the other; what one of them leaves out, the next ones never see."""

    async def changed(media: Media) -> Media | None:
        left: Media | None = media
        for change in changes:
            if left is not None:
                left = _checked(change, await call_through(partial(change, left), {}))
        return left

    return changed


def _checked(change: Change, found: object) -> Media | None:
    if found is None or isinstance(found, Media):
        return found
    name = getattr(change, "__qualname__", repr(change))
    raise TypeError(f"{name} gave a {type(found).__name__}; give Media, or None to leave it out")
