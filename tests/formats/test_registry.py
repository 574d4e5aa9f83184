"""Formatters are found by name."""

from collections.abc import Iterator

import pytest

from assistant.errors import DeclarationError
from assistant.formats.anthropic.formatter import AnthropicFormatter
from assistant.formats.formatter import Formatter, WireRequest
from assistant.formats.grok.formatter import GrokFormatter
from assistant.formats.openai.formatter import OpenAIFormatter
from assistant.formats.registry import formatter, register_formatter
from assistant.ports import ModelRequest


class Shouting:
    def format(self, request: ModelRequest, model: str) -> WireRequest:
        return WireRequest(model.upper().encode(), {})


@pytest.fixture(autouse=True)
def ours() -> Iterator[None]:
    openai = formatter("openai")
    yield
    register_formatter("openai", openai)


def test_a_formatter_is_always_the_same_one() -> None:
    assert formatter("openai") is formatter("openai")


@pytest.mark.parametrize(
    ("name", "kind"),
    [("openai", OpenAIFormatter), ("anthropic", AnthropicFormatter), ("grok", GrokFormatter)],
)
def test_ours_are_known_by_name(name: str, kind: type[Formatter]) -> None:
    assert type(formatter(name)) is kind


def test_grok_is_also_called_by_its_makers_name() -> None:
    assert formatter("xai") is formatter("grok")


def test_a_company_may_bring_its_own() -> None:
    shouting = Shouting()

    register_formatter("shouting", shouting)

    assert formatter("shouting") is shouting


def test_ours_may_be_replaced() -> None:
    shouting = Shouting()

    register_formatter("openai", shouting)

    assert formatter("openai") is shouting


def test_an_unknown_name_is_an_error_that_names_the_known_ones() -> None:
    register_formatter("shouting", Shouting())

    with pytest.raises(DeclarationError, match="'grox'; use one of: anthropic, grok, openai, shouting, xai"):
        formatter("grox")
