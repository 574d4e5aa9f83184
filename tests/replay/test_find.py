"""Cassettes are found by files and folders."""

from pathlib import Path

import pytest

from assistant.errors import DeclarationError
from assistant.replay.cassette_file import find


def test_folders_give_their_cassettes_and_files_are_used_unchanged(tmp_path: Path) -> None:
    (tmp_path / "deep" / "er").mkdir(parents=True)
    inner, outer, other = (
        tmp_path / name for name in ("deep/er/a.conversation.yaml", "b.conversation.yaml", "c.yaml")
    )
    for file in (inner, outer, other):
        file.touch()

    assert find([tmp_path]) == [outer, inner]
    assert find([other, tmp_path / "deep", tmp_path]) == [other, inner, outer]


def test_all_missing_paths_are_reported_together(tmp_path: Path) -> None:
    with pytest.raises(DeclarationError) as refused:
        find([tmp_path / "none.yaml", tmp_path])

    assert str(refused.value).splitlines() == [
        f"{tmp_path}/none.yaml: there is no such file or folder",
        f"{tmp_path}: there are no conversations in this folder; they stand in files *.conversation.yaml",
    ]
