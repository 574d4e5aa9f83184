"""Media are made of bytes or of a file, and what they are is read from the bytes."""

import re
import struct
from base64 import b64encode
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from assistant import Media
from assistant.conversation.media import Picture, picture_in
from tests.support.rows import check_rows
from tests.tools.media.pictures import from_a_phone, picture, written

KINDS = {"PNG": "image/png", "JPEG": "image/jpeg", "GIF": "image/gif", "WEBP": "image/webp"}


@check_rows(("kind", "mime"), KINDS.items())
@check_rows("size", [(1, 1), (60, 40), (301, 7)])
def test_a_picture_says_its_kind_and_size(kind: str, mime: Any, size: tuple[int, int]) -> None:
    assert picture_in(picture(kind, size)) == Picture(mime, *size)


def test_a_webp_says_its_size_in_three_ways() -> None:
    for options, mode in (({"lossless": True}, "RGB"), ({"lossless": False}, "RGB"), ({}, "RGBA")):
        assert picture_in(picture("WEBP", (301, 7), mode, **options)) == Picture("image/webp", 301, 7)
    image = Image.new("RGB", (301, 7))
    assert picture_in(written(image, "WEBP", exif=b"Exif\0\0MM\0*\0\0\0\x08\0\0")) == Picture(
        "image/webp", 301, 7
    )


def test_a_photo_says_its_size_behind_what_the_camera_wrote() -> None:
    assert picture_in(from_a_phone(size=(60, 40))) == Picture("image/jpeg", 60, 40)
    assert picture_in(picture("JPEG", progressive=True)) == Picture("image/jpeg", 60, 40)
    filled_up = picture("JPEG").replace(b"\xff\xdb", b"\xff\xff\xff\xdb", 1)
    assert picture_in(filled_up) == Picture("image/jpeg", 60, 40)


@check_rows(
    "content",
    [
        b"", b"GIF89a", b"<svg/>", b"\xff\xd8\xff", b"\xff\xd8\xff\xe0\x00\x02", picture("PNG")[:15],
        picture("WEBP")[:24], picture("PNG").replace(struct.pack(">I", 60), struct.pack(">I", 0), 1),
    ],
)  # fmt: skip
def test_what_has_no_size_is_no_picture(content: bytes) -> None:
    assert picture_in(content) is None


@given(st.binary(), st.sampled_from([*KINDS, "nothing"]), st.integers(0, 80))
def test_no_bytes_make_the_reader_stumble(tail: bytes, kind: str, kept: int) -> None:
    found = picture_in((picture(kind)[:kept] if kind in KINDS else b"") + tail)

    assert found is None or (found.mime == KINDS[kind] and found.pixels > 0) or kind == "nothing"


@pytest.mark.parametrize(("kind", "mime"), KINDS.items())
def test_the_kind_of_media_is_what_the_bytes_say(kind: str, mime: str) -> None:
    content = picture(kind)

    made = Media.of(content, name="Your parcel.txt", mime="text/plain")

    assert made == Media(mime=mime, data=b64encode(content).decode(), name="Your parcel.txt")
    assert made.content == content


def test_a_file_lends_its_name_and_the_ending_of_it_its_kind(tmp_path: Path) -> None:
    invoice, prices = tmp_path / "invoice", tmp_path / "prices.CSV"
    invoice.write_bytes(b"%PDF-1.7")
    prices.write_bytes(b"a;b")

    assert (Media.of(invoice).mime, Media.of(invoice).name) == ("application/pdf", "invoice")
    assert (Media.of(prices).mime, Media.of(prices, name="Prices").mime) == ("text/csv", "text/csv")
    assert Media.of(prices, mime="text/x-own").mime == "text/x-own"


@pytest.mark.parametrize(
    ("content", "name", "complaint"),
    [
        (b"", "photo.png", "'photo.png' is empty"),
        (b"abc", None, "the kind of the media is unknown (3 bytes that begin with b'abc')"),
        (b"abc", "x.zip", "for other kinds pass it, such as mime='text/csv'"),
        (b"x" * 20_000_001, "film.mp4", "'film.mp4' has 20000001 bytes; at most 20000000 can be handed on"),
    ],
)
def test_media_that_cannot_be_made_say_why(content: bytes, name: str | None, complaint: str) -> None:
    with pytest.raises(ValueError, match=re.escape(complaint)):
        Media.of(content, name=name)


def test_a_text_is_neither_bytes_nor_a_file() -> None:
    with pytest.raises(TypeError, match=r"not str; a text may be either an address or base64"):
        Media.of(cast("bytes", "photo.png"))


def test_media_that_are_no_base64_have_no_content() -> None:
    with pytest.raises(ValueError, match="base64"):
        _ = Media(mime="image/png", data="a*").content
