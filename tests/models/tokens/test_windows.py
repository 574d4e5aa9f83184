"""The context window of a model, as far as it is known."""

from pathlib import Path

import pytest

from assistant.models import price_list
from assistant.models.price_list import read_windows, window_of
from assistant.models.providers import read_name


def test_a_list_is_read_as_far_as_it_has_numbers(tmp_path: Path) -> None:
    listed = tmp_path / "list.json"
    listed.write_text('{"a": {"max_input_tokens": 8192}, "b": {"max_input_tokens": "many"}, "c": {}}')

    assert read_windows(listed) == {"a": 8192}


@pytest.mark.parametrize("written", ["gpt-4o", "openai/gpt-4o", "azure/gpt-4o", "litellm/openai/gpt-4o"])
def test_a_model_is_found_with_its_provider_or_without(written: str) -> None:
    assert window_of(read_name(written)) == 128_000


@pytest.mark.parametrize("written", ["offline", "openai/of-our-own"])
def test_the_window_of_an_unlisted_model_is_unknown(written: str) -> None:
    assert window_of(read_name(written)) is None


def test_without_a_list_no_window_is_known(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def nowhere(*parts: str) -> Path:
        raise FileNotFoundError("litellm is not installed")

    price_list._installed_windows.cache_clear()
    with monkeypatch.context() as changed:
        changed.setattr(price_list, "installed_with_litellm", nowhere)
        assert window_of(read_name("gpt-4o")) is None
    price_list._installed_windows.cache_clear()
    assert "context windows are not known" in capsys.readouterr().out
