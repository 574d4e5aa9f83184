"""The demo shop's pages are used only with its tools. Another company's documents come from the current folder,
or from the setting.
"""

from pathlib import Path

import pytest

from assistant.assembly.knowledge_folder import knowledge_folder
from assistant.settings import Settings
from assistant.shipped import shipped


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ASSISTANT_KNOWLEDGE_DIR")
    return tmp_path


def test_the_demo_shop_has_its_own_pages() -> None:
    folder = knowledge_folder(Settings())

    assert folder == shipped("knowledge")
    assert list(folder.rglob("*.md"))


def test_a_folder_in_the_current_directory_replaces_them(here: Path) -> None:
    (here / "knowledge").mkdir()

    assert knowledge_folder(Settings()) == Path("knowledge")


def test_a_company_with_its_own_tools_gets_no_page_of_the_shop(here: Path) -> None:
    (here / "tools").mkdir()
    (here / "elsewhere").mkdir()

    assert knowledge_folder(Settings()) == Path("knowledge")
    assert knowledge_folder(Settings(tools_dir=here / "elsewhere")) == Path("knowledge")
    assert knowledge_folder(Settings(tools_dir=shipped("tools"))) == shipped("knowledge")


def test_the_setting_has_priority_over_both(here: Path) -> None:
    (here / "knowledge").mkdir()

    assert knowledge_folder(Settings(knowledge_dir=here / "ours")) == here / "ours"
