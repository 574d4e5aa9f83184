"""Which model a name in the settings stands for."""

from collections.abc import Mapping

import pytest

from assistant.errors import DeclarationError
from assistant.models.choose import choose_model
from assistant.ports import Model
from assistant.testing.scripted_model import ScriptedModel
from assistant.testing.virtual_time import VirtualClock

EMBEDDED = ScriptedModel(name="offline")


def choose(name: str, environ: Mapping[str, str] | None = None) -> Model:
    return choose_model(name, clock=VirtualClock(), environ=environ or {}, offline=lambda: EMBEDDED)


@pytest.mark.parametrize("name", ["", "offline", " offline "])
def test_nothing_means_the_embedded_default(name: str) -> None:
    assert choose(name) is EMBEDDED


def test_a_hosted_model_keeps_the_name_from_the_settings() -> None:
    assert choose("openai/gpt-small", {"OPENAI_API_KEY": "sk-1"}).name == "openai/gpt-small"


@pytest.mark.parametrize(
    "url",
    ["http://localhost:8000/v1", "http://127.0.0.1:8000/v1", "http://[::1]:8000/v1", "http://127.8.0.1"],
)
def test_a_server_on_this_machine_needs_no_key(url: str) -> None:
    assert choose("openai/org/model", {"OPENAI_BASE_URL": url}).name == "openai/org/model"


@pytest.mark.parametrize(
    "environ",
    [
        {},
        {"OPENAI_API_KEY": " "},
        {"OPENAI_BASE_URL": "https://models.example/v1"},
        {"OPENAI_BASE_URL": "http://10.0.0.7"},
    ],
)
def test_any_other_server_needs_a_key_and_the_error_says_where_to_put_it(environ: Mapping[str, str]) -> None:
    with pytest.raises(DeclarationError, match=r"needs a key for .*: set OPENAI_API_KEY"):
        choose("openai/gpt-small", environ)


@pytest.mark.parametrize("url", ["models.example/v1", "ftp://models.example", "http://", "http://[oops"])
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(DeclarationError, match=r"OPENAI_BASE_URL .* is not an address"):
        choose("openai/gpt-small", {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "sk-1"})


@pytest.mark.parametrize("name", ["openai", "openai/", "/gpt", "anthropic/claude", "offline/x", "gpt-small"])
def test_an_unknown_model_is_refused_with_what_works(name: str) -> None:
    with pytest.raises(DeclarationError, match=r"'offline' .* 'openai/<model>'"):
        choose(name)
