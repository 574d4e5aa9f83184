"""Media of tools go through the company's transform, and are no larger than the setting allows."""

from pathlib import Path

import pytest

from assistant.conversation.entries import CallEnded
from assistant.conversation.media import Media, picture_in
from assistant.conversation.outcomes import CallSucceeded
from assistant.testing.script import calls, says
from tests.assembly.conftest import AppFolder, Open
from tests.tools.media.pictures import picture

PHOTO = '''"""A photo."""

from pathlib import Path

from assistant import Media, ToolResult, tool, transforms_media


@tool(waiting_hint="fetching the photo", narration="Here it is.")
def get_photo() -> ToolResult[int]:
    """Give a photo."""
    return ToolResult(1, (Media.of(Path({file!r})),))


@transforms_media
def stamped(media: Media) -> Media:
    return Media(mime=media.mime, data=media.data, name="{stamp}")
'''


async def given(process: Open, conversation: str) -> Media:
    """The pictures and files that came with the result of the last call."""
    await process.hears(conversation)
    session = await process.conversation(conversation)
    outcomes = [one.entry.outcome for one in session.entries if isinstance(one.entry, CallEnded)]
    assert isinstance(outcomes[-1], CallSucceeded)
    (media,) = outcomes[-1].media
    return media


async def test_media_are_transformed_before_they_are_stored(
    app_folder: AppFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSISTANT_MAX_IMAGE_PIXELS", "20000")
    file = tmp_path / "photo.png"
    file.write_bytes(picture("PNG", (400, 200)))
    app_folder.write("tools/photo.py", PHOTO.format(file=str(file), stamp="Willow"))
    process = await app_folder.starts(
        *(line for _ in range(3) for line in (calls("get_photo"), says("Here.")))
    )

    first = await given(process, "c1")
    app_folder.write("tools/photo.py", PHOTO.format(file=str(file), stamp="Finch"))
    await process.configs.look()
    begun, new = await given(process, "c1"), await given(process, "c2")

    assert [media.name for media in (first, begun, new)] == ["Willow", "Willow", "Finch"]
    shown = picture_in(first.content)
    assert shown is not None
    assert 19_000 < shown.pixels <= 20_000
