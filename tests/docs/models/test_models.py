"""The page about models: its options exist, and its formatter reaches the provider."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import pytest

from assistant.conversation.calls import Call
from assistant.conversation.media import Media
from assistant.conversation.outcomes import CallSucceeded
from assistant.errors import DeclarationError
from assistant.formats.options import _OURS, check_extra
from assistant.formats.registry import formatter, register_formatter
from assistant.formats.tools import text_with_captions
from assistant.settings import ModelSettings, Settings
from assistant.testing.virtual_time import VirtualClock
from assistant.tools.discovery import discover
from tests.docs.models.asking import heard, nobody, providers
from tests.docs.pages import page
from tests.support.fake_model import openai_events
from tests.support.fake_model.model_server import FakeModelServer
from tests.support.fake_model.replies import streams

PAGE = page("docs/guides/models.md")


def rows(first: str) -> dict[str, list[str]]:
    """The table whose head begins with this cell: the further cells of each row by its first."""
    table = PAGE.text.partition(f"\n| {first} |")[2].partition("\n\n")[0]
    cells = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in table.splitlines()[2:]]
    return {key.strip("`"): rest for key, *rest in cells}


@pytest.fixture(autouse=True)
def ours() -> Iterator[None]:
    openai = formatter("openai")
    yield
    register_formatter("openai", openai)


@pytest.mark.parametrize("name", ModelSettings.model_fields)
def test_every_option_is_listed_with_its_type(name: str) -> None:
    listed = rows("option")

    assert listed.keys() == ModelSettings.model_fields.keys()
    assert (
        listed[name][2].partition(";")[0]
        == (ModelSettings.model_fields[name].description or "").partition(";")[0]
    )


def test_the_allowed_values_of_options_are_right() -> None:
    listed = rows("option")
    schema: Mapping[str, Any] = ModelSettings.model_json_schema()["properties"]

    for name in ("calls", "sections"):
        assert re.findall(r"`(\w+)`", listed[name][0]) == schema[name]["enum"]
        assert listed[name][1] == f"`{schema[name]['default']}`"


def test_the_shown_settings_are_accepted() -> None:
    shown = re.findall(r"^ASSISTANT_MODEL_OPTIONS=(.+)$", PAGE.text, re.MULTILINE)

    assert len(shown) == 3
    for value in shown:
        assert Settings.model_validate({"model_options": value}).model_options


def test_refused_fields_are_all_listed_with_the_reason() -> None:
    listed = {name: why for names, (why,) in rows("refused").items() for name in re.findall(r"\w+", names)}

    for name, why in listed.items():
        with pytest.raises(DeclarationError) as refusal:
            check_extra({name: 1})
        assert why.replace("`", "") in str(refusal.value)
    assert listed.keys() == _OURS.keys()


def test_the_text_for_a_model_about_a_picture_is_as_shown() -> None:
    (shown,) = [block for block in PAGE.blocks("text") if "attachment" in block]
    media = Media(mime="image/png", data="A" * 4000, name="router.png")
    outcome = CallSucceeded(call=Call(id="c1.1", tool="look"), value={}, media=(media,))

    assert text_with_captions(outcome, seen=()).splitlines()[1] == shown.strip()


async def test_the_formatter_on_the_page_reaches_the_provider(tmp_path: Path) -> None:
    (code,) = PAGE.blocks("python")
    (tmp_path / "gateway.py").write_text(code, encoding="utf-8")
    discover(tmp_path)

    async with FakeModelServer(streams(openai_events.answer("Hi.")), clock=VirtualClock()) as server:
        hosted = providers({"OPENAI_BASE_URL": server.url})
        await heard(hosted.model(["openai/fake"], 1, nobody))
        await hosted.close()

    assert cast("dict[str, Any]", server.received[0].body)["prompt_cache_key"] == "c7"
