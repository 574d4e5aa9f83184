"""Draws a picture anew: upright, no larger than it may be, and without what a camera wrote into it."""

from io import BytesIO
from typing import TYPE_CHECKING

from assistant.conversation.picture import Picture, PictureKind
from assistant.tooling.media.transform import LeftOut

if TYPE_CHECKING:
    from PIL.Image import Image

MOST_PIXELS = 64_000_000
"""A picture that says it has more is not unpacked: a small file can make a process run out of memory."""

_FORMATS: dict[PictureKind, str] = {
    "image/png": "PNG",
    "image/jpeg": "JPEG",
    "image/gif": "GIF",
    "image/webp": "WEBP",
}
_PHOTO_BYTES = 1_000_000
"""A PNG that is larger is a photograph: as a JPEG it has a tenth of that."""

_QUALITY = 85
_TELLING = ("exif", "xmp", "XML:com.adobe.xmp", "comment", "photoshop")
"""Where cameras and programs write who made a picture, when, and where on earth."""


def shrunk(content: bytes, picture: Picture, pixels: int) -> bytes | None:
    """A picture as everybody can see it, as PNG or JPEG; None: it can be shown as it is.

    It has ``pixels`` at most, is the first frame of what moves, and does not say where it was taken. Blocks, for
    a second where it is very large: call it in a thread.

    Raises ``LeftOut``: it cannot be read, or is too large to be unpacked.
    """
    if picture.pixels > MOST_PIXELS:
        size = f"{picture.width} x {picture.height} pixels"
        raise LeftOut(f"it has {size}, and more than {MOST_PIXELS} in all are not unpacked; make it smaller")
    # Loaded by the first picture: nobody else should wait for it.
    from PIL import Image

    try:
        with Image.open(BytesIO(content), formats=(_FORMATS[picture.mime],)) as image:
            return None if _fine(image, picture, content, pixels) else _drawn(image, picture, pixels)
    except Exception as error:
        # A broken file makes its reader stumble in any way it likes.
        raise LeftOut(f"it cannot be read ({type(error).__name__}: {error})") from error


def _fine(image: "Image", picture: Picture, content: bytes, pixels: int) -> bool:
    """Whether every model and every browser can show the file itself."""
    if picture.mime == "image/png" and len(content) > _PHOTO_BYTES:
        return False
    if picture.mime not in ("image/png", "image/jpeg") or picture.pixels > pixels:
        return False
    image.load()  # what it tells of itself may stand at its end
    tells = image.getexif() or getattr(image, "text", None) or any(name in image.info for name in _TELLING)
    return not tells and not getattr(image, "is_animated", False)


def _drawn(image: "Image", picture: Picture, pixels: int) -> bytes:
    from PIL import ImageOps

    size = _size(picture, pixels)
    # Photographs are unpacked at a half, a quarter or an eighth of their size where that is enough.
    image.draft(None, size)
    colours = image.info.get("icc_profile") if image.mode in ("RGB", "RGBA", "P") else None
    seen = ImageOps.exif_transpose(_plain(image).resize(size, reducing_gap=2.0))
    if picture.mime in ("image/png", "image/gif") or seen.mode == "RGBA":
        sharp = _written(seen, "PNG", colours)
        if len(sharp) <= _PHOTO_BYTES or seen.mode == "RGBA":
            return sharp
    return _written(seen, "JPEG", colours)


def _plain(image: "Image") -> "Image":
    """The picture in one of three forms: grey, in colours, or in colours that can be seen through."""
    if image.has_transparency_data:
        return image.convert("RGBA")
    return image if image.mode in ("L", "RGB") else image.convert("RGB")


def _size(picture: Picture, pixels: int) -> tuple[int, int]:
    scale = min(1.0, (pixels / picture.pixels) ** 0.5)
    width, height = (max(1, int(side * scale)) for side in (picture.width, picture.height))
    # One that is as thin as a thread has no less than one pixel across.
    return min(width, pixels // height), min(height, pixels // min(width, pixels))


def _written(image: "Image", kind: str, colours: bytes | None) -> bytes:
    """The file, and nothing in it but the picture and what its colours mean."""
    bare, written = image.copy(), BytesIO()
    bare.info = {}
    if kind == "JPEG":
        bare.save(written, kind, quality=_QUALITY, optimize=True, icc_profile=colours)
    else:
        bare.save(written, kind, icc_profile=colours)
    return written.getvalue()
