"""The embedded model says in both languages that it understands only English."""

from functools import partial
from pathlib import Path

import pytest

from assistant.models.demo.model import DemoModel
from assistant.prompts.book import english_only_notice, shipped_book
from assistant.prompts.utterances import OfflineNote
from tests.models.demo.conftest import DEMO_SPECS, Talk, offline_model

BOOK = shipped_book()
SAID = (
    "Ich bin ein Demo-Modell und verstehe nur Englisch. Bitte schreiben Sie mir auf Englisch. "
    "(I understand English only, not German.)"
)


@pytest.fixture(scope="module")
def model() -> DemoModel:
    return offline_model(foreign=partial(english_only_notice, BOOK))


@pytest.fixture
def talk(model: DemoModel) -> Talk:
    return Talk(model, DEMO_SPECS, {})


async def test_a_german_message_gets_the_notice_and_nothing_else(talk: Talk) -> None:
    assert await talk.says("Prüfen Sie bitte meine Termine und Rechnungen") == SAID


async def test_english_is_still_understood(talk: Talk) -> None:
    await talk.says("Wo ist meine Bestellung?")

    assert await talk.says("when are you open on Monday?") == [("get_opening_hours", {"day": "2026-11-23"})]
    assert (await talk.narrates()).startswith("Told get_opening_hours")


def test_no_english_message_of_the_demo_counts_as_another_language() -> None:
    folder = Path(__file__).parent
    messages = (folder / "harmless.txt").read_text(encoding="utf-8").splitlines()
    for name in ("dev", "heldout"):
        messages += (folder / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    for spec in DEMO_SPECS:
        messages += spec.examples

    assert [message for message in messages if english_only_notice(BOOK, message)] == []


def test_the_note_is_in_both_languages() -> None:
    assert BOOK.render(OfflineNote(), "en-GB") == "demo model, English only"
    assert BOOK.render(OfflineNote(), "de-AT") == "Demo-Modell, versteht nur Englisch"
    assert english_only_notice(BOOK, "Where is my order?") == ""
