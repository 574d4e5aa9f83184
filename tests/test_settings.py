"""A wrong setting stops the start, and says what it is, its value and what would work."""

from pathlib import Path

import pytest

from assistant.errors import DeclarationError
from assistant.settings import load_settings


@pytest.fixture(autouse=True)
def an_empty_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


def test_without_any_setting_everything_is_embedded() -> None:
    settings = load_settings()

    assert settings.model == "offline"
    assert settings.data_dir == Path("data")
    assert settings.narrator_model is None


def test_settings_come_from_the_environment_and_from_a_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / ".env").write_text("ASSISTANT_MODEL=openai/from-file\nASSISTANT_MAX_TOKENS=99\nOTHER=1\n")
    monkeypatch.setenv("ASSISTANT_MODEL", "openai/from-environment")

    settings = load_settings()

    assert settings.model == "openai/from-environment"
    assert settings.max_tokens == 99


@pytest.mark.parametrize(
    ("name", "value", "cure"),
    [
        ("ASSISTANT_MAX_TOKENS", "0", "greater than or equal to 1"),
        ("ASSISTANT_TEMPERATURE", "hot", "valid number"),
        ("ASSISTANT_NOW", "soon", "datetime"),
        ("ASSISTANT_MODLE", "x", "did you mean ASSISTANT_MODEL?"),
        ("ASSISTANT_XYZZY", "x", "known are ASSISTANT_DATA_DIR"),
    ],
)
def test_a_wrong_setting_is_named_with_its_value_and_the_cure(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, cure: str
) -> None:
    monkeypatch.setenv(name, value)

    with pytest.raises(DeclarationError) as wrong:
        load_settings()

    assert name in str(wrong.value)
    assert repr(value) in str(wrong.value)
    assert cure in str(wrong.value)
