"""Pictures and files that tools return are checked, transformed and scaled down before they are shown."""

from base64 import b64decode
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, replace
from functools import partial
from inspect import isfunction, signature, unwrap
from io import BytesIO
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import structlog

from assistant.conversation.calls import Call
from assistant.conversation.media import Media, Picture, PictureKind, picture_in
from assistant.conversation.outcomes import Outcome
from assistant.errors import AssistantError, DeclarationError
from assistant.ports import Clock
from assistant.tools.concurrency import call_function, run_with_timeout
from assistant.tools.outcomes import media_of, outcome_of_result
from assistant.tools.retry import Raised, catch_errors
from assistant.tools.tool import ToolResult, refuse_too_large

if TYPE_CHECKING:
    from PIL.Image import Image


Transform: TypeAlias = Callable[[Media], Coroutine[Any, Any, Media | None]]
"""Returns the media to show instead, or None to leave it out. Raises ``LeftOut`` with the reason."""

Change: TypeAlias = Callable[[Media], Media | Awaitable[Media | None] | None]
"""A company's transform: async, or a plain function, which runs in a thread."""


class LeftOut(AssistantError):
    """A picture or file cannot be shown. The message is the reason, as a clause."""


def chain_transforms(*changes: Change) -> Transform:
    """Returns a transform that applies all of these in order.

    If one of them leaves a medium out, the next ones do not get it.
    """

    async def changed(media: Media) -> Media | None:
        left: Media | None = media
        for change in changes:
            if left is not None:
                left = _checked(change, await call_function(partial(change, left), {}))
        return left

    return changed


def _checked(change: Change, found: object) -> Media | None:
    if found is None or isinstance(found, Media):
        return found
    name = getattr(change, "__qualname__", repr(change))
    raise TypeError(f"{name} gave a {type(found).__name__}; give Media, or None to leave it out")


C = TypeVar("C", bound=Change)

CHANGES = "__media_changes__"
"""The attribute of a module with its transforms, in order."""


def transforms_media(function: C) -> C:
    """Declare a function that transforms each picture and file that a tool of this folder returns.

    It takes ``Media`` and returns the media to show instead, or None to leave it out. ``LeftOut("why")``
    leaves it out and tells the model why. It may be async; a plain function runs in a thread. Several
    functions run in the order of their files' names and lines. Pictures are scaled down after the last one.

    Raises ``DeclarationError`` if it is not a function of one argument.
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


log = structlog.get_logger(__name__)

MOST_DATA = 6_000_000
"""The most characters of base64 for the media of one call, after the transforms."""

TRANSFORM_S = 10.0
"""The time limit for the transform of one picture or file, in seconds."""


@dataclass(frozen=True, slots=True)
class PreparedMedia:
    """The media of a call that are stored, in order, and a clause for each that is not."""

    media: tuple[Media, ...] = ()
    left_out: tuple[str, ...] = ()


async def prepare_media(
    given: Sequence[Media], transform: Transform | None, clock: Clock, *, tool: str, key: str
) -> PreparedMedia:
    """Check and transform each picture and file. Raises only ``CancelledError``. The log says what was left
    out, and why.
    """
    kept: list[Media] = []
    left_out: list[str] = []
    for place, media in enumerate(given, start=1):
        shown = media.name or f"{media.mime} {place}"
        try:
            changed = await _changed(media, transform, clock)
            kept += _fitting(changed, MOST_DATA - sum(len(one.data) for one in kept))
        except LeftOut as error:
            log.warning("media left out", tool=tool, call=key, media=shown, why=str(error))
            left_out.append(f"{shown}: {error}")
    return PreparedMedia(tuple(kept), tuple(left_out))


def _fitting(media: Media | None, left: int) -> tuple[Media, ...]:
    """Returns the medium, or nothing for None. Raises ``LeftOut`` if there is no space for it.

    Media that a company's transform removed are not reported.
    """
    if media is None:
        return ()
    if len(media.data) > left:
        beside = "" if left == MOST_DATA else f", of which the others leave {left}"
        told = (
            f"it has {len(media.data)} characters of base64; at most {MOST_DATA} are kept of a call{beside}"
        )
        raise LeftOut(told)
    return (media,)


async def _changed(media: Media, transform: Transform | None, clock: Clock) -> Media | None:
    """Returns the media after the transform. Raises ``LeftOut``."""
    work = catch_errors(_checked_twice(media, transform))
    try:
        came = await run_with_timeout(TRANSFORM_S, work, clock, too_late=lambda _: None)
    except TimeoutError as error:
        raise LeftOut(f"it was not transformed within {TRANSFORM_S:g} s") from error
    if not isinstance(came, Raised):
        return came
    if isinstance(came.error, LeftOut):
        raise came.error
    log.error("a transform of media raised", exc_info=came.error)
    raise LeftOut(f"its transform raised {type(came.error).__name__}") from came.error


async def _checked_twice(media: Media, transform: Transform | None) -> Media | None:
    """Check the media before the transform, and check its result.

    Large media take long, so this runs in a thread.
    """
    await call_function(partial(_check, media), {})
    changed = media if transform is None else await transform(media)
    if changed is not None and changed is not media:
        await call_function(partial(_check, changed), {})
    return changed


def _check(media: Media) -> None:
    try:
        empty = not b64decode(media.data, validate=True)
    except ValueError as error:
        raise LeftOut(f"its data are no base64 ({error}); Media.of(...) makes them of bytes") from error
    if empty:
        raise LeftOut("there is nothing in it")


BuildOutcome: TypeAlias = Callable[[Call, ToolResult, str], Awaitable[Outcome]]
"""(call, result of its tool, idempotency key) -> the outcome. Raises ``NotSerializable``."""


def outcome_builder(transform: Transform | None, clock: Clock) -> BuildOutcome:
    """Returns a function that makes outcomes whose media were transformed.

    ``transform`` None: they are only checked.
    """

    async def find(call: Call, result: ToolResult, key: str) -> Outcome:
        given = media_of(result)
        if not given:
            return outcome_of_result(call, result, key)
        refuse_too_large(result.value)
        seen = await prepare_media(given, transform, clock, tool=call.tool, key=key)
        return outcome_of_result(call, replace(result, media=seen.media), key, seen.left_out)

    return find


MOST_PIXELS = 64_000_000
"""A picture with more pixels is not decoded, because a small file can make the process run out of memory."""

_FORMATS: dict[PictureKind, str] = {
    "image/png": "PNG",
    "image/jpeg": "JPEG",
    "image/gif": "GIF",
    "image/webp": "WEBP",
}
_PHOTO_BYTES = 1_000_000
"""A larger PNG is probably a photograph, which has a tenth of the size as a JPEG."""

_QUALITY = 85
_TELLING = ("exif", "xmp", "XML:com.adobe.xmp", "comment", "photoshop")
"""Metadata in which cameras and programs write who took a picture, when and where."""


def redraw(content: bytes, picture: Picture, pixels: int) -> bytes | None:
    """Returns a picture as PNG or JPEG that can be shown everywhere, or None if it can be shown unchanged.

    It has at most ``pixels``, only the first frame of an animation, and no location data. It blocks for up
    to a second for a very large picture, so call it in a thread.

    Raises ``LeftOut`` if it cannot be read, or is too large to unpack.
    """
    if picture.pixels > MOST_PIXELS:
        size = f"{picture.width} x {picture.height} pixels"
        raise LeftOut(f"it has {size}, and more than {MOST_PIXELS} in all are not unpacked; make it smaller")
    # Imported for the first picture.
    from PIL import Image

    try:
        with Image.open(BytesIO(content), formats=(_FORMATS[picture.mime],)) as image:
            return None if _fine(image, picture, content, pixels) else _drawn(image, picture, pixels)
    except Exception as error:
        # For a broken file, the library may raise anything.
        raise LeftOut(f"it cannot be read ({type(error).__name__}: {error})") from error


def _fine(image: "Image", picture: Picture, content: bytes, pixels: int) -> bool:
    """Whether all models and browsers can show the file itself."""
    if picture.mime == "image/png" and len(content) > _PHOTO_BYTES:
        return False
    if picture.mime not in ("image/png", "image/jpeg") or picture.pixels > pixels:
        return False
    image.load()  # metadata may be at the end of the file
    tells = image.getexif() or getattr(image, "text", None) or any(name in image.info for name in _TELLING)
    return not tells and not getattr(image, "is_animated", False)


def _drawn(image: "Image", picture: Picture, pixels: int) -> bytes:
    from PIL import ImageOps

    size = _size(picture, pixels)
    # The decoder can reduce photographs to a half, a quarter or an eighth of their size.
    image.draft(None, size)
    colours = image.info.get("icc_profile") if image.mode in ("RGB", "RGBA", "P") else None
    seen = ImageOps.exif_transpose(_plain(image).resize(size, reducing_gap=2.0))
    if picture.mime in ("image/png", "image/gif") or seen.mode == "RGBA":
        sharp = _written(seen, "PNG", colours)
        if len(sharp) <= _PHOTO_BYTES or seen.mode == "RGBA":
            return sharp
    return _written(seen, "JPEG", colours)


def _plain(image: "Image") -> "Image":
    """Returns the picture in one of three forms: grey, coloured, or coloured with transparency."""
    if image.has_transparency_data:
        return image.convert("RGBA")
    return image if image.mode in ("L", "RGB") else image.convert("RGB")


def _size(picture: Picture, pixels: int) -> tuple[int, int]:
    scale = min(1.0, (pixels / picture.pixels) ** 0.5)
    width, height = (max(1, int(side * scale)) for side in (picture.width, picture.height))
    # A very thin picture keeps at least one pixel in each direction.
    return min(width, pixels // height), min(height, pixels // min(width, pixels))


def _written(image: "Image", kind: str, colours: bytes | None) -> bytes:
    """Returns the encoded file, which contains only the picture and its colour profile."""
    bare, written = image.copy(), BytesIO()
    bare.info = {}
    if kind == "JPEG":
        bare.save(written, kind, quality=_QUALITY, optimize=True, icc_profile=colours)
    else:
        bare.save(written, kind, icc_profile=colours)
    return written.getvalue()


PIXELS = 1_500_000
"""Enough pixels to read a letter. Models charge by the pixel."""

_SHOWN = ("image/png", "image/jpeg", "image/gif", "image/webp")


def scale_down(pixels: int = PIXELS) -> Transform:
    """Returns a transform after which no picture has more than ``pixels``, and each is a PNG or a JPEG.

    The bytes decide the format. Other files stay unchanged. SVG counts as a file, because it can contain
    programs, and is never displayed.
    """

    async def scaled_down(media: Media) -> Media | None:
        found = await call_function(partial(_scaled_down, media, pixels), {})
        return found if isinstance(found, Media) else None

    return scaled_down


def _scaled_down(media: Media, pixels: int) -> Media:
    content = media.content
    picture = picture_in(content)
    if picture is None:
        if media.mime in _SHOWN:
            raise LeftOut(f"it is said to be {media.mime}, and its bytes are no such picture")
        return media
    drawn = redraw(content, picture, pixels)
    if drawn is None:
        return replace(media, mime=picture.mime)
    return _renamed(media, picture, Media.of(drawn))


def _renamed(media: Media, was: Picture, drawn: Media) -> Media:
    """Returns the new picture with the old name; if its format has changed, the ending of the name changes,
    too.
    """
    name = media.name
    if name is not None and drawn.mime != was.mime and PurePath(name).suffix:
        name = str(PurePath(name).with_suffix(".png" if drawn.mime == "image/png" else ".jpg"))
    return replace(drawn, name=name)
