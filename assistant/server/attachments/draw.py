"""How an attachment is told of in a frame."""

from base64 import b64decode
from collections.abc import Callable, Iterable
from typing import TypeAlias

from assistant.conversation.media import Media, Picture, picture_in
from assistant.conversation.values import Json
from assistant.server.attachments.attached import Attachment
from assistant.server.wire import Wire

AddressOf: TypeAlias = Callable[[int, int], str]
"""(number of the entry, index of the media in it) -> where it can be fetched."""

_HEADS = (4_000, 400_000)
"""So many characters of base64 have a picture's size in them: in most of them the fewer, in any the more."""


def drawn(attachments: Iterable[Attachment], address_of: AddressOf) -> list[Json]:
    """The attachments of one message."""
    return [_drawn(one, address_of(one.seq, one.index)) for one in attachments]


def _drawn(attachment: Attachment, address: str) -> Wire:
    turn_id, call_id = attachment.call
    media, picture = attachment.media, picture_of(attachment.media)
    return {
        "call_id": f"{turn_id}/{call_id}",
        "mime": picture.mime if picture else media.mime,
        "name": media.name,
        "bytes": len(media.data) * 3 // 4 - media.data[-2:].count("="),
        "width": picture.width if picture else None,
        "height": picture.height if picture else None,
        "url": address,
    }


def picture_of(media: Media) -> Picture | None:
    """The picture that media are, by their bytes alone; None for any other file."""
    try:
        found = (picture_in(b64decode(media.data[:head], validate=True)) for head in _HEADS)
        return next(filter(None, found), None)
    except ValueError:
        return None  # a log may be older than what checks what goes into it
