"""Media are made of bytes or of a file, and their type is detected from the bytes."""

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
def test_a_picture_has_its_type_and_size(kind: str, mime: Any, size: tuple[int, int]) -> None:
    assert picture_in(picture(kind, size)) == Picture(mime, *size)


def test_the_size_of_a_webp_is_read_in_all_three_forms() -> None:
    for options, mode in (({"lossless": True}, "RGB"), ({"lossless": False}, "RGB"), ({}, "RGBA")):
        assert picture_in(picture("WEBP", (301, 7), mode, **options)) == Picture("image/webp", 301, 7)
    image = Image.new("RGB", (301, 7))
    assert picture_in(written(image, "WEBP", exif=b"Exif\0\0MM\0*\0\0\0\x08\0\0")) == Picture(
        "image/webp", 301, 7
    )


def test_the_size_of_a_photo_is_found_behind_the_cameras_data() -> None:
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
def test_bytes_without_a_size_are_no_picture(content: bytes) -> None:
    assert picture_in(content) is None


@given(st.binary(), st.sampled_from([*KINDS, "nothing"]), st.integers(0, 80))
def test_no_bytes_make_the_reader_fail(tail: bytes, kind: str, kept: int) -> None:
    found = picture_in((picture(kind)[:kept] if kind in KINDS else b"") + tail)

    assert found is None or (found.mime == KINDS[kind] and found.pixels > 0) or kind == "nothing"


@pytest.mark.parametrize(("kind", "mime"), KINDS.items())
def test_the_type_of_media_comes_from_the_bytes(kind: str, mime: str) -> None:
    content = picture(kind)

    made = Media.of(content, name="Your parcel.txt", mime="text/plain")

    assert made == Media(mime=mime, data=b64encode(content).decode(), name="Your parcel.txt")
    assert made.content == content


def test_a_file_gives_its_name_and_its_suffix_gives_the_type(tmp_path: Path) -> None:
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
def test_invalid_media_are_refused_with_a_reason(content: bytes, name: str | None, complaint: str) -> None:
    with pytest.raises(ValueError, match=re.escape(complaint)):
        Media.of(content, name=name)


def test_a_text_is_neither_bytes_nor_a_file() -> None:
    with pytest.raises(TypeError, match=r"not str; a text may be either an address or base64"):
        Media.of(cast("bytes", "photo.png"))


def test_media_without_base64_have_no_content() -> None:
    with pytest.raises(ValueError, match="base64"):
        _ = Media(mime="image/png", data="a*").content
