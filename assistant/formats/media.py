"""What tools gave besides their results, in words: for a model that cannot see it, and beside what it can see."""

import re
from collections.abc import Collection

from assistant.conversation.outcomes import CallSucceeded, Media, Standing
from assistant.formats.results import result_text

PICTURES = frozenset({"image/gif", "image/jpeg", "image/png", "image/webp"})
"""What models that can see take, whoever makes them; some take fewer."""

_MIME = re.compile(r"[a-z0-9][a-z0-9.+-]*/[a-z0-9][a-z0-9.+-]*")
_NOT_IN_A_NAME = re.compile(r"[^\w .()-]+")
_LONGEST_NAME = 60
_KB = 1000


def media_of(outcome: Standing) -> tuple[Media, ...]:
    """What came beside the result; only a call that worked has any."""
    return outcome.media if isinstance(outcome, CallSucceeded) else ()


def caption(media: Media, number: int, *, seen: bool) -> str:
    """What stands with the result for something that came beside it: a model that cannot see it can tell of it.

    Args:
        media: what came.
        number: counts from 1 within one result.
        seen: the model is shown it, too.

    >>> caption(Media(mime="image/png", data="A" * 4000, name="router.png"), 1, seen=False)
    '[attachment 1: router.png, image/png, 3 KB; shown to the customer, and not to you]'
    """
    known = (_name(media), _MIME.fullmatch(media.mime) and media.mime, _size(media))
    shown = "shown to the customer and to you" if seen else "shown to the customer, and not to you"
    return f"[attachment {number}: {', '.join(filter(None, known))}; {shown}]"


def text_with_captions(outcome: Standing, seen: Collection[str]) -> str:
    """A result as text, and on lines of their own what came beside it; ``seen`` are the types that are shown."""
    media = media_of(outcome)
    if not media:
        return result_text(outcome)
    captions = (caption(each, number, seen=each.mime in seen) for number, each in enumerate(media, start=1))
    return "\n".join([result_text(outcome), *captions])


def introduction(number: int, tool: str, call_id: str) -> str:
    """What stands before something that is shown apart from its result, where the customer speaks otherwise.

    >>> introduction(1, "find_router", "call_a")
    "[attachment 1 of find_router, call call_a: a tool's data, not the customer's words]"
    """
    return f"[attachment {number} of {tool}, call {call_id}: a tool's data, not the customer's words]"


def data_url(media: Media) -> str:
    """All of it as an address.

    >>> data_url(Media(mime="image/png", data="iVBO"))
    'data:image/png;base64,iVBO'
    """
    return f"data:{media.mime};base64,{media.data}"


def _name(media: Media) -> str:
    """Its name on one line, with nothing in it that could end a caption: a stranger may have chosen it."""
    return _NOT_IN_A_NAME.sub("_", media.name or "")[:_LONGEST_NAME].strip()


def _size(media: Media) -> str:
    size = len(media.data.rstrip("=")) * 3 // 4
    return f"{size} bytes" if size < _KB else f"{size // _KB} KB"
