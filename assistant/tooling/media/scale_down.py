"""What becomes of pictures before anybody sees them, unless a company says otherwise: they are scaled down."""

from dataclasses import replace
from functools import partial
from pathlib import PurePath

from assistant.conversation.media import Media
from assistant.conversation.picture import Picture, picture_in
from assistant.tooling.media.shrink import shrunk
from assistant.tooling.media.transform import LeftOut, Transform
from assistant.tooling.running.call_through import call_through

PIXELS = 1_500_000
"""So many are enough to read a letter by; models are charged by the pixel."""

_SHOWN = ("image/png", "image/jpeg", "image/gif", "image/webp")


def scale_down(pixels: int = PIXELS) -> Transform:
    """Makes a transform: no picture has more than so many pixels, and each is a PNG or a JPEG.

    The kind is what the bytes say it is. Files that are no pictures stay as they are, an SVG too: it can hold
    programs, so it is a file like any other and is shown by nobody.
    """

    async def scaled_down(media: Media) -> Media | None:
        found = await call_through(partial(_scaled_down, media, pixels), {})
        return found if isinstance(found, Media) else None

    return scaled_down


def _scaled_down(media: Media, pixels: int) -> Media:
    content = media.content
    picture = picture_in(content)
    if picture is None:
        if media.mime in _SHOWN:
            raise LeftOut(f"it is said to be {media.mime}, and its bytes are no such picture")
        return media
    drawn = shrunk(content, picture, pixels)
    if drawn is None:
        return replace(media, mime=picture.mime)
    return _renamed(media, picture, Media.of(drawn))


def _renamed(media: Media, was: Picture, drawn: Media) -> Media:
    """The new picture under the old name; where its kind is another now, the name's ending is, too."""
    name = media.name
    if name is not None and drawn.mime != was.mime and PurePath(name).suffix:
        name = str(PurePath(name).with_suffix(".png" if drawn.mime == "image/png" else ".jpg"))
    return replace(drawn, name=name)
