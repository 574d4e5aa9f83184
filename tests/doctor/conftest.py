"""A folder for the doctor, without the settings of the tester."""

import os
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, in which the program runs."""
    for name in [name for name in os.environ if name.startswith("ASSISTANT_") or name.endswith("_API_KEY")]:
        monkeypatch.delenv(name)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path
