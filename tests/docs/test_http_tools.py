"""The page about HTTP tools: its file loads, and what it says about keys and clauses is right."""

import re
from pathlib import Path

import pytest

from assistant.tools.http.config import ApiSection, AuthSection, ParameterSection
from assistant.tools.http.request import GIVEN
from assistant.tools.http.service import Connections
from assistant.tools.http.tool import read_http_file
from tests.docs.pages import page

PAGE = page("docs/guides/http-tools.md")


def test_the_file_on_the_page_is_valid(tmp_path: Path) -> None:
    (file,) = PAGE.blocks("toml")
    (tmp_path / "shop.http.toml").write_text(file)
    read = read_http_file(tmp_path / "shop.http.toml", Connections(), {})

    assert read.mistakes == ()
    assert {tool.spec.name: (tool.spec.effect, tool.spec.requires) for tool in read.tools} == {
        "get_order": ("read", "verified"),
        "cancel_order": ("write", "verified"),
    }


def test_every_key_of_the_system_and_of_an_argument_is_on_the_page() -> None:
    named = set(re.findall(r"[`{](\w+)", PAGE.prose))
    parameter = {field.alias or name for name, field in ParameterSection.model_fields.items()}

    assert {*ApiSection.model_fields, *AuthSection.model_fields, *parameter} - named == set()


@pytest.mark.parametrize("name", GIVEN)
def test_every_value_that_is_filled_in_is_on_the_page(name: str) -> None:
    assert f"`{{{name}}}`" in PAGE.prose
