"""Pictures and files that tools return: the message that they belong to, their sealed addresses, their route."""

import asyncio
import hmac
from base64 import b64decode, urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import PurePath
from typing import TypeAlias
from urllib.parse import quote

import orjson
from fastapi import APIRouter, HTTPException
from fastapi.responses import Response

from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import (
    CallEnded,
    CallRef,
    Logged,
    MessageClosed,
    ResultsDelivered,
    TurnStarted,
)
from assistant.conversation.media import Media, Picture, picture_in
from assistant.conversation.outcomes import CallSucceeded
from assistant.conversation.values import Json
from assistant.ports import Clock, Keys, keys_of
from assistant.server.frames.frame import JsonFrame

PATH = "v1/attachments/"

DAYS = 7
"""The minimum number of days that an address is valid. Each new snapshot of the conversation has fresh
addresses.
"""

_DAY_MS = 24 * 3600 * 1000
_TAG = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class AttachmentPlace:
    """The location of a file: the ``index``-th medium, from 0, in the outcome of entry ``seq``."""

    key: ConversationKey
    seq: int
    index: int


class AttachmentAddresses:
    """Writes and reads the addresses of attachments.

    A browser sends no identity when it requests a picture, so each client with the address gets the picture.
    Therefore an address cannot be guessed or changed, it expires, and it reveals nothing: otherwise proxies
    would log a customer's id.

    During one day the address of a file stays the same, so browsers can cache it.

    Args:
        keys: the server's own keys. An address becomes invalid when its key is removed.
        clock: measures how long an address is valid.
    """

    def __init__(self, keys: bytes | Keys, clock: Clock) -> None:
        self._keys, self._clock = keys_of(keys), clock

    def address_of(self, place: AttachmentPlace) -> str:
        """The address, relative to the server."""
        key = place.key
        last_day = self._today() + DAYS
        written = orjson.dumps([key.tenant, key.customer, key.conversation, place.seq, place.index, last_day])
        key_ = self._keys.signing
        seal = _seal(written, key_)
        return PATH + _shown(seal + _hidden(written, seal, key_))

    def read(self, sealed: str) -> AttachmentPlace | None:
        """The place of an address without ``PATH``; None if it is not ours or has expired."""
        try:
            whole = urlsafe_b64decode(sealed + "=" * (-len(sealed) % 4))
        except ValueError:
            return None
        if _shown(whole) != sealed:
            return None  # it contains characters without meaning
        seal, hidden = whole[:_TAG], whole[_TAG:]
        opened = ((_hidden(hidden, seal, key), key) for key in self._keys.accepted)
        written = next((text for text, key in opened if hmac.compare_digest(_seal(text, key), seal)), None)
        if written is None:
            return None
        tenant, customer, conversation, seq, index, last_day = orjson.loads(written)
        if last_day < self._today():
            return None
        key = ConversationKey(tenant=tenant, customer=customer, conversation=conversation)
        return AttachmentPlace(key=key, seq=seq, index=index)

    def _today(self) -> int:
        return self._clock.now_ms() // _DAY_MS


def _seal(written: bytes, key: bytes) -> bytes:
    sealing = hmac.digest(key, b"attachments: sealed with", sha256)
    return hmac.digest(sealing, written, sha256)[:_TAG]


def _hidden(text: bytes, seal: bytes, key: bytes) -> bytes:
    """Mask the text, or unmask it. No two texts have the same seal, so no two have the same mask."""
    hiding = hmac.digest(key, b"attachments: hidden with", sha256)
    return bytes(a ^ b for a, b in zip(text, _mask(hiding, seal), strict=False))


def _mask(hiding: bytes, seal: bytes) -> Iterator[int]:
    number = 0
    while True:
        yield from hmac.digest(hiding, seal + number.to_bytes(4, "big"), sha256)
        number += 1


def _shown(sealed: bytes) -> str:
    return urlsafe_b64encode(sealed).decode().rstrip("=")


@dataclass(frozen=True, slots=True)
class Attachment:
    """A picture or file: the call that returned it, and its place in the log."""

    call: CallRef
    seq: int
    index: int
    media: Media


class AttachmentTracker:
    """Assigns files to messages. Pass it all entries of a conversation, in order, from the first.

    Files of a call belong to the first answer that is completed after the call. If the call ended after its
    turn had stopped waiting, they belong to the message that tells the late result, or to the next turn.
    """

    def __init__(self) -> None:
        self._due: list[Attachment] = []
        self._late: list[Attachment] = []

    def attached_by(self, logged: Logged) -> tuple[Attachment, ...]:
        """The files of the message whose last entry this is; empty for all other entries."""
        match logged.entry:
            case CallEnded(outcome=CallSucceeded(call=call, media=media), late=late) if media:
                ref = logged.turn_id, call.id
                came = [Attachment(ref, logged.seq, index, one) for index, one in enumerate(media)]
                (self._late if late else self._due).extend(came)
            case ResultsDelivered(calls=calls):
                self._take_up(calls)
            case TurnStarted():
                self._take_up([one.call for one in self._late])
            case MessageClosed(kind="response"):
                due, self._due = self._due, []
                return _once(due)
            case _:
                pass
        return ()

    def _take_up(self, calls: Sequence[CallRef]) -> None:
        self._due += [one for one in self._late if one.call in calls]
        self._late = [one for one in self._late if one.call not in calls]


def _once(attachments: Sequence[Attachment]) -> tuple[Attachment, ...]:
    """The same files, but a file that two calls returned is shown once."""
    return tuple({one.media: one for one in attachments}.values())


AddressOf: TypeAlias = Callable[[int, int], str]
"""(number of the entry, index of the media in it) -> the address of the file."""

_HEADS = (4_000, 400_000)
"""The numbers of base64 characters in which a picture's size is searched: the smaller is enough for most
pictures, the larger for all.
"""


def attachment_frames(attachments: Iterable[Attachment], address_of: AddressOf) -> list[Json]:
    """The attachments of one message."""
    return [_drawn(one, address_of(one.seq, one.index)) for one in attachments]


def _drawn(attachment: Attachment, address: str) -> JsonFrame:
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
    """The picture format, found from the bytes only; None for other files."""
    try:
        found = (picture_in(b64decode(media.data[:head], validate=True)) for head in _HEADS)
        return next(filter(None, found), None)
    except ValueError:
        return None  # the log may be older than the check of its media


Read: TypeAlias = Callable[[ConversationKey, int], Awaitable[Sequence[Logged]]]
"""(conversation, number) -> the conversation's entries above this number."""


class AttachmentService:
    """Makes the addresses of attachments, and finds the file of an address.

    Args:
        addresses: writes and reads the addresses.
        read: finds entries in the log.
    """

    def __init__(self, addresses: AttachmentAddresses, read: Read) -> None:
        self._addresses, self._read = addresses, read

    def address_of(self, key: ConversationKey) -> AddressOf:
        """A function that makes the addresses of this conversation's attachments."""

        def of(seq: int, index: int) -> str:
            return self._addresses.address_of(AttachmentPlace(key=key, seq=seq, index=index))

        return of

    async def find(self, sealed: str) -> Media | None:
        """The file at an address; None if there is none, or if it was deleted. Raises ``LogError``."""
        place = self._addresses.read(sealed)
        if place is None:
            return None
        for logged in (await self._read(place.key, place.seq - 1))[:1]:
            match logged.entry:
                case CallEnded(outcome=CallSucceeded(media=media)):
                    return media[place.index] if place.index < len(media) else None
                case _:
                    pass
        return None


_ENDINGS = {
    "application/json": ".json",
    "application/pdf": ".pdf",
    "audio/mpeg": ".mp3",
    "audio/wav": ".wav",
    "image/gif": ".gif",
    "image/jpeg": ".jpg",
    "image/png": ".png",
    "image/svg+xml": ".svg",
    "image/webp": ".webp",
    "text/calendar": ".ics",
    "text/csv": ".csv",
    "text/plain": ".txt",
}
"""The suffix for a name without one."""


def attachment_routes(service: AttachmentService) -> APIRouter:
    """The route ``GET /v1/attachments/<sealed address>``. All missing files get the same 404."""
    router = APIRouter()

    @router.get(f"/{PATH}{{sealed}}")
    async def attachment(sealed: str) -> Response:  # pyright: ignore[reportUnusedFunction]
        media = await service.find(sealed)
        if media is None:
            raise HTTPException(404, "there is no such attachment, or its address has ended")
        return await asyncio.to_thread(file_response, media)

    return router


def file_response(media: Media) -> Response:
    """The file, with headers so that no browser interprets it as something else.

    Only real pictures, recognised by their bytes, are shown inline. A file cannot run or load anything.
    """
    picture = picture_of(media)
    shown = "inline" if picture is not None else "attachment"
    return Response(
        b64decode(media.data),
        # A file that a browser would open could contain a program.
        media_type=picture.mime if picture is not None else "application/octet-stream",
        headers={
            "Content-Disposition": f"{shown}; filename*=UTF-8''{quote(file_name(media), safe='')}",
            "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Cache-Control": "private, max-age=86400, immutable",
            "Cross-Origin-Resource-Policy": "cross-origin",  # the widget is part of other sites
        },
    )


def file_name(media: Media) -> str:
    """The name under which the file is saved.

    >>> file_name(Media(mime="text/csv", data="", name="Prices: May/June"))
    'Prices May June.csv'
    >>> file_name(Media(mime="application/pdf", data="", name="invoice.pdf")), file_name(Media(mime="a/b", data=""))
    ('invoice.pdf', 'attachment')
    """
    named = "".join(sign if sign.isalnum() or sign in " .-_()" else " " for sign in media.name or "")
    name = " ".join(named.split()).strip(" .") or "attachment"
    return name if PurePath(name).suffix else name + _ENDINGS.get(media.mime, "")
