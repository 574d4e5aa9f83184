"""A company's own transforms are in its tools' files, and are found with the tools."""

from typing import Any

import pytest

from assistant import Media, transforms_media
from assistant.errors import DeclarationError
from assistant.tools.discovery import discover, rediscover
from assistant.tools.media import chain_transforms
from tests.tools.conftest import Folder

STAMP = """
    from assistant import Media, transforms_media

    @transforms_media
    def stamp(media: Media) -> Media:
        return Media(mime=media.mime, data=media.data, name=f"{media.name} %s")
"""


async def test_transforms_are_found_in_the_order_of_their_files(folder: Folder) -> None:
    tools = discover(folder(b=STAMP % "second", a=STAMP % "first", _c=STAMP % "never"))

    found = await chain_transforms(*tools.changes)(Media(mime="a/b", data="", name="door"))

    assert found is not None
    assert found.name == "door first second"


def test_an_edit_can_remove_a_transform(folder: Folder) -> None:
    place = folder(a=STAMP % "first")
    assert len(discover(place).changes) == 1

    folder(a="")

    assert rediscover(place).changes == ()


def no_argument() -> None: ...
def two_arguments(media: Media, name: str) -> None: ...


@pytest.mark.parametrize(
    ("function", "complaint"),
    [
        (3, "@transforms_media is for functions, not for 3"),
        (Media, "@transforms_media is for functions, not for Media"),
        (no_argument, "no_argument cannot be called with the media alone"),
        (two_arguments, r"two_arguments cannot be called .*write def two_arguments\(media: Media\)"),
    ],
)
def test_an_invalid_transform_is_refused_with_the_solution(function: Any, complaint: str) -> None:
    with pytest.raises(DeclarationError, match=complaint):
        transforms_media(function)
