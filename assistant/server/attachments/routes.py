"""Serves attachments: pictures to be looked at, everything else to be saved."""

import asyncio
from base64 import b64decode
from pathlib import PurePath
from urllib.parse import quote

from fastapi import APIRouter, HTTPException
from fastapi.responses import Response

from assistant.conversation.media import Media
from assistant.server.attachments.address import PATH
from assistant.server.attachments.desk import AttachmentDesk
from assistant.server.attachments.draw import picture_of

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
"""What is put behind a name that does not say what it names."""


def attachment_routes(desk: AttachmentDesk) -> APIRouter:
    """The one route: ``GET /v1/attachments/<sealed address>``. Everything that is not there is a 404, alike."""
    router = APIRouter()

    @router.get(f"/{PATH}{{sealed}}")
    async def attachment(sealed: str) -> Response:  # pyright: ignore[reportUnusedFunction]
        media = await desk.find(sealed)
        if media is None:
            raise HTTPException(404, "there is no such attachment, or its address has ended")
        return await asyncio.to_thread(served, media)

    return router


def served(media: Media) -> Response:
    """The file, so that no browser takes it for anything but itself.

    Only what is a picture by its bytes is shown; nothing can run in it, nor load anything.
    """
    picture = picture_of(media)
    shown = "inline" if picture is not None else "attachment"
    return Response(
        b64decode(media.data),
        # A type that a browser would open is a type that somebody could send a program as.
        media_type=picture.mime if picture is not None else "application/octet-stream",
        headers={
            "Content-Disposition": f"{shown}; filename*=UTF-8''{quote(file_name(media), safe='')}",
            "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Cache-Control": "private, max-age=86400, immutable",
            "Cross-Origin-Resource-Policy": "cross-origin",  # the widget stands on other sites
        },
    )


def file_name(media: Media) -> str:
    """The name under which it is saved.

    >>> file_name(Media(mime="text/csv", data="", name="Prices: May/June"))
    'Prices May June.csv'
    >>> file_name(Media(mime="application/pdf", data="", name="invoice.pdf")), file_name(Media(mime="a/b", data=""))
    ('invoice.pdf', 'attachment')
    """
    named = "".join(sign if sign.isalnum() or sign in " .-_()" else " " for sign in media.name or "")
    name = " ".join(named.split()).strip(" .") or "attachment"
    return name if PurePath(name).suffix else name + _ENDINGS.get(media.mime, "")
