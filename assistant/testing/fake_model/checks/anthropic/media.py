"""What Anthropic refuses of pictures and documents."""

from typing import Any

from assistant.testing.fake_model.checks.anthropic.shape import fields, one_of, tagged, text
from assistant.testing.fake_model.checks.bad_request import refuse, require
from assistant.testing.fake_model.checks.pictures import decoded, media_type

_PICTURES = ("image/jpeg", "image/png", "image/gif", "image/webp")
_LARGEST = 5 * 1024 * 1024


def check_image(source: Any, where: str) -> None:
    """Raise ``BadRequest`` for a picture that is refused."""
    here = f"{where}.source"
    kind = tagged(source, here, ("base64", "url"))
    if kind == "url":
        _check_url(source, f"{here}.url")
        return
    here = f"{here}.base64"
    fields(source, here, needed=("type", "media_type", "data"))
    said = one_of(source["media_type"], f"{here}.media_type", _PICTURES)
    size = len(text(source["data"], f"{here}.data"))
    require(size <= _LARGEST, f"{here}: image exceeds 5 MB maximum: {size} bytes > {_LARGEST} bytes")
    seen = media_type(_data(source, here))
    require(seen in _PICTURES, "Could not process image")
    require(seen == said, f"{here}.data: Image does not match the provided media type {said}")


def check_document(source: Any, where: str) -> None:
    """Raise ``BadRequest`` for a document that is refused."""
    here = f"{where}.source"
    kind = tagged(source, here, ("base64", "text", "url"))
    if kind == "url":
        _check_url(source, f"{here}.url")
        return
    here = f"{here}.{kind}"
    fields(source, here, needed=("type", "media_type", "data"))
    expected = "text/plain" if kind == "text" else "application/pdf"
    one_of(source["media_type"], f"{here}.media_type", (expected,))
    if kind == "text":
        require(text(source["data"], f"{here}.data").strip(), "document cannot be empty")
        return
    require(media_type(_data(source, here)) == "application/pdf", "The PDF specified was not valid.")


def _check_url(source: Any, where: str) -> None:
    fields(source, where, needed=("type", "url"))
    url = text(source["url"], f"{where}.url")
    require(url.startswith("https://"), "Only HTTPS URLs are supported.")


def _data(source: Any, where: str) -> bytes:
    data = decoded(source["data"])
    if data is None:
        refuse(f"{where}.data: invalid base64 data")
    return data
