"""Which model a name in the settings means, and what it needs."""

from collections.abc import Mapping

import pytest

from assistant.errors import DeclarationError
from assistant.formats.registry import formatter
from assistant.models.anthropic import AnthropicModel
from assistant.models.litellm import LitellmModel
from assistant.models.openai import OpenAIModel, XaiModel
from assistant.models.openai_responses import ResponsesModel
from assistant.models.price_list import price_key
from assistant.models.providers import DirectName, choose_model
from assistant.ports import Model
from assistant.testing.scripted_model import ScriptedModel
from assistant.testing.virtual_time import VirtualClock
from tests.support.rows import check_rows

EMBEDDED = ScriptedModel(name="offline")
KEYS: dict[str, str] = dict.fromkeys(
    ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "XAI_API_KEY", "GEMINI_API_KEY"), "k-1"
)


def choose(name: str, environ: Mapping[str, str] | None = None) -> Model:
    return choose_model(name, clock=VirtualClock(), environ=environ or {}, offline=lambda: EMBEDDED)


@pytest.mark.parametrize("name", ["", "offline", " offline "])
def test_an_empty_name_is_the_embedded_default(name: str) -> None:
    assert choose(name) is EMBEDDED


@check_rows(
    ("name", "kind"),
    [
        ("openai/gpt-small", ResponsesModel),
        ("gpt-small", ResponsesModel),
        ("openai/chat/gpt-small", OpenAIModel),
        ("anthropic/claude-small", AnthropicModel),
        ("claude-small", AnthropicModel),
        ("xai/grok-small", XaiModel),
        ("gemini/gemini-small", LitellmModel),
        ("litellm/openai/gpt-small", LitellmModel),
        ("hosted_vllm/anything", LitellmModel),
    ],
)
def test_a_model_has_its_providers_client_and_keeps_its_name(name: str, kind: type[Model]) -> None:
    model = choose(f" {name} ", KEYS)

    assert type(model) is kind
    assert model.name == name


@check_rows(
    ("name", "kind"),
    [("openai/own", OpenAIModel), ("openai/chat/own", OpenAIModel), ("openai/responses/own", ResponsesModel)],
)
def test_another_server_is_asked_for_chat_unless_the_name_has_an_api(name: str, kind: type[Model]) -> None:
    model = choose(name, {"OPENAI_BASE_URL": "http://127.0.0.1:8080/v1"})

    assert type(model) is kind
    assert model.name == name


def test_litellm_models_use_the_generic_format() -> None:
    model = choose("gemini/gemini-small", KEYS)

    assert isinstance(model, LitellmModel)
    assert model._formatter is formatter("generic")


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
def test_any_other_server_needs_a_key_and_the_error_names_the_variable(environ: Mapping[str, str]) -> None:
    with pytest.raises(DeclarationError, match=r"needs a key for .*: set OPENAI_API_KEY"):
        choose("openai/gpt-small", environ)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("claude-small", "ANTHROPIC_API_KEY"),
        ("grok-small", "XAI_API_KEY"),
        ("gemini/gemini-small", r"GEMINI_API_KEY \(or GOOGLE_API_KEY\)"),
        ("mistral/mistral-small", "MISTRAL_API_KEY"),
    ],
)
def test_every_well_known_providers_key_is_asked_for_by_its_name(name: str, key: str) -> None:
    with pytest.raises(DeclarationError, match=rf"needs a key.*: set {key},.* 'offline'"):
        choose(name)


@pytest.mark.parametrize(
    "environ",
    [{"GOOGLE_API_KEY": "k"}, {"GEMINI_API_BASE": "http://127.0.0.1:1"}],
    ids=lambda given: next(iter(given)),
)
def test_another_key_or_an_own_server_is_accepted(environ: Mapping[str, str]) -> None:
    assert isinstance(choose("gemini/gemini-small", environ), LitellmModel)


@pytest.mark.parametrize(
    "url",
    ["models.example/v1", "ftp://models.example", "http://", "http://[oops", "http://models.example:99999"],
)
def test_an_invalid_address_is_refused(url: str) -> None:
    with pytest.raises(DeclarationError, match=r"OPENAI_BASE_URL .* is not an address"):
        choose("openai/gpt-small", {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "sk-1"})


@pytest.mark.parametrize(
    "url",
    ["https://me:hunter2@models.example/v1", "https://models.example/v1?key=hunter2", "http://[::1]#hunter2"],
)
def test_an_address_with_a_secret_in_it_is_refused_and_not_quoted(url: str) -> None:
    with pytest.raises(
        DeclarationError, match=r"OPENAI_BASE_URL contains more than an address.*OPENAI_API_KEY"
    ) as told:
        choose("openai/gpt-small", {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "sk-1"})
    assert "hunter2" not in str(told.value)


@pytest.mark.parametrize("key", ["sk-hunter2\nsk-1", "sk hunter2", "sk-hunter2\u2026", "sk-\x7fhunter2"])
def test_a_key_that_cannot_be_a_header_is_refused_and_not_quoted(key: str) -> None:
    with pytest.raises(
        DeclarationError, match=r"ANTHROPIC_API_KEY contains a space, .* copy it again"
    ) as told:
        choose("claude-small", {"ANTHROPIC_API_KEY": key})
    assert "hunter2" not in str(told.value)


def test_half_a_name_is_no_model() -> None:
    with pytest.raises(DeclarationError, match="only half a name"):
        choose("openai/")


def test_a_price_is_known_only_at_the_providers_own_server() -> None:
    here = {**KEYS, "OPENAI_BASE_URL": "http://127.0.0.1:8000/v1"}

    assert price_key(DirectName("openai", "gpt-4o"), KEYS) == "gpt-4o"
    assert price_key(DirectName("xai", "grok-4"), KEYS) == "xai/grok-4"
    assert price_key(DirectName("openai", "gpt-4o"), here) is None
