"""Pictures are scaled down, turned upright and stripped of camera data; everything else is not changed."""

import subprocess
import sys
from dataclasses import replace
from typing import Any, cast

import pytest
from PIL import Image, ImageCms
from PIL.PngImagePlugin import PngInfo

from assistant import Media
from assistant.conversation.media import picture_in
from assistant.tools import media
from assistant.tools.media import LeftOut, scale_down
from tests.tools.media.pictures import GREEN, RED, from_a_phone, picture, read, written

PIXELS = 10_000
down = scale_down(PIXELS)


async def shown(content: bytes, **about: Any) -> Media:
    return await shown_of(Media.of(content, **about))


async def shown_of(media: Media) -> Media:
    found = await down(media)
    assert found is not None
    return found


@pytest.mark.parametrize("kind", ["PNG", "JPEG"])
async def test_a_small_picture_is_not_changed(kind: str) -> None:
    media = Media.of(picture(kind, (100, 100)), name="parcel")

    assert await down(media) == media


@pytest.mark.parametrize(
    ("kind", "mime"), [("PNG", "image/png"), ("JPEG", "image/jpeg"), ("WEBP", "image/jpeg")]
)
async def test_a_larger_picture_is_scaled_down_to_the_limit(kind: str, mime: str) -> None:
    found = picture_in((await shown(picture(kind, (400, 200)))).content)

    assert found is not None
    assert found.mime == mime
    assert 0.95 * PIXELS <= found.pixels <= PIXELS
    assert found.width / found.height == pytest.approx(2, rel=0.02)


async def test_a_very_thin_picture_keeps_a_pixel() -> None:
    found = picture_in((await shown(picture("PNG", (40_000, 1)))).content)

    assert found is not None
    assert (found.height, found.width) == (1, PIXELS)


@pytest.mark.parametrize(("orientation", "top"), [(1, "up"), (3, "down"), (6, "right"), (8, "left")])
async def test_a_photo_from_a_phone_is_upright_and_without_its_location(orientation: int, top: str) -> None:
    image = read((await shown(from_a_phone(orientation, (240, 160)))).content)

    assert not image.getexif()
    assert not [name for name in image.info if name in ("exif", "xmp", "comment")]
    width, height = image.size
    assert (width > height) is (top in ("up", "down"))
    sides = {
        "up": (width // 2, 2),
        "down": (width // 2, height - 3),
        "left": (2, height // 2),
        "right": (width - 3, height // 2),
    }
    assert [side for side, place in sides.items() if _is_red(image, place)] == [top]


def _is_red(image: Image.Image, place: tuple[int, int]) -> bool:
    pixel = image.convert("RGB").getpixel(place)
    assert isinstance(pixel, tuple)
    return abs(pixel[0] - RED[0]) < 20 and abs(pixel[1] - RED[1]) < 20


@pytest.mark.parametrize(
    "content",
    [
        from_a_phone(1),
        picture("JPEG", comment=b"at home"),
        picture("JPEG", xmp=b"<x:xmpmeta>home</x:xmpmeta>"),
    ],
    ids=["exif", "comment", "xmp"],
)
async def test_a_small_photo_loses_its_camera_data_too(content: bytes) -> None:
    seen = (await shown(content)).content

    assert b"home" not in seen
    assert b"Exif" not in seen
    assert read(seen).size == (60, 40)


async def test_texts_in_a_png_are_removed_also_those_after_it() -> None:
    told = PngInfo()
    told.add_text("Location", "at home")
    told.add(b"tEXt", b"Last\0at home", after_idat=True)
    content = picture("PNG", pnginfo=told)

    assert b"at home" in content
    assert b"at home" not in (await shown(content)).content


async def test_an_animation_becomes_its_first_frame() -> None:
    frames = [Image.new("RGB", (30, 20), GREEN), Image.new("RGB", (30, 20), RED)]
    for kind in ("GIF", "PNG", "WEBP"):
        seen = await shown(written(frames[0], kind, save_all=True, append_images=frames[1:], lossless=True))

        image = read(seen.content)
        assert getattr(image, "n_frames", 1) == 1
        assert not _is_red(image, (5, 5))
        assert seen.mime in ("image/png", "image/jpeg")


async def test_transparent_pictures_stay_transparent() -> None:
    for kind, mode in (("PNG", "RGBA"), ("WEBP", "RGBA"), ("PNG", "LA"), ("GIF", "RGBA")):
        image = Image.new(mode, (200, 200), 0)

        seen = await shown(written(image, kind))

        assert seen.mime == "image/png"
        assert read(seen.content).getchannel("A").getextrema() == (0, 0)


@pytest.mark.parametrize("mode", ["1", "L", "P", "CMYK", "I;16"])
async def test_every_colour_format_is_read(mode: str) -> None:
    kind = "JPEG" if mode == "CMYK" else "PNG"

    seen = await shown(written(Image.new(mode, (200, 200)), kind))

    assert read(seen.content).mode in ("L", "RGB")


async def test_colour_profiles_are_kept() -> None:
    profile = ImageCms.ImageCmsProfile(cast("Any", ImageCms).createProfile("sRGB")).tobytes()

    seen = await shown(picture("JPEG", (200, 200), icc_profile=profile))

    assert read(seen.content).info["icc_profile"] == profile


async def test_a_photograph_in_a_png_becomes_a_jpeg() -> None:
    noise = Image.effect_noise((1100, 1000), 80)
    content = written(noise, "PNG")
    assert len(content) > 1_000_000

    seen = await scale_down(2_000_000)(Media.of(content, name="door.png"))

    assert seen is not None
    assert (seen.mime, seen.name) == ("image/jpeg", "door.jpg")


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (picture("PNG")[:60], "it cannot be read ("),
        (picture("JPEG")[:-200], "it cannot be read ("),
        (
            b"GIF89a" + bytes([255, 255, 255, 255]),
            "it has 65535 x 65535 pixels, and more than 64000000 in all",
        ),
    ],
)
async def test_an_unreadable_picture_is_left_out(content: bytes, complaint: str) -> None:
    with pytest.raises(LeftOut) as raised:
        await down(Media.of(content))

    assert str(raised.value).startswith(complaint)


async def test_a_picture_larger_than_its_header_says_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(media, "MOST_PIXELS", 100)

    with pytest.raises(LeftOut, match="60 x 40 pixels"):
        await down(Media.of(picture()))


async def test_a_file_that_only_claims_to_be_a_picture_is_left_out() -> None:
    with pytest.raises(LeftOut, match="said to be image/png, and its bytes are no such picture"):
        await down(replace(Media.of(b"<html>", mime="text/html"), mime="image/png"))


@pytest.mark.parametrize(
    "media",
    [
        Media.of(b"<svg onload='x()'/>", name="plan.svg"),
        Media.of(b"%PDF-1.7", name="invoice.pdf"),
        Media.of(b"II*\0", mime="image/tiff"),
    ],
    ids=lambda media: media.mime,
)
async def test_other_files_are_not_changed(media: Media) -> None:
    assert await down(media) == media


async def test_a_wrong_type_is_corrected_and_the_name_follows_it() -> None:
    said = replace(Media.of(picture("PNG"), name="a.png"), mime="image/jpeg")
    assert (await shown_of(said)).mime == "image/png"

    assert (await shown(picture("WEBP"), name="door.webp")).name == "door.jpg"
    assert (await shown(picture("GIF"), name="The door.")).name == "The door."
    assert (await shown(picture("GIF"))).name is None


def test_pillow_is_loaded_by_the_first_picture() -> None:
    lines = "import sys, assistant.tools.media as s; s.scale_down(); print('PIL' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", lines], capture_output=True, text=True, check=True)

    assert done.stdout == "False\n"
