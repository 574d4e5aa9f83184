"""What a model's name in the settings means."""

import pytest

from assistant.errors import DeclarationError
from assistant.models.providers import DirectName, EmbeddedName, LitellmName, ModelName, read_name
from tests.support.rows import check_rows


@check_rows(
    ("written", "means"),
    [
        ("", EmbeddedName()),
        (" offline ", EmbeddedName()),
        ("openai/gpt-small", DirectName("openai", "gpt-small")),
        ("openai/org/model", DirectName("openai", "org/model")),
        ("openai/responses/gpt-small", DirectName("openai", "gpt-small", "responses")),
        ("openai/chat/org/model", DirectName("openai", "org/model", "chat")),
        ("openai/chat", DirectName("openai", "chat")),
        ("anthropic/claude-haiku", DirectName("anthropic", "claude-haiku")),
        ("xai/grok-mini", DirectName("xai", "grok-mini")),
        ("gpt-4o", DirectName("openai", "gpt-4o")),
        ("chatgpt-4o-latest", DirectName("openai", "chatgpt-4o-latest")),
        ("o3", DirectName("openai", "o3")),
        ("o4-mini", DirectName("openai", "o4-mini")),
        ("claude-haiku-4-5", DirectName("anthropic", "claude-haiku-4-5")),
        ("grok-4", DirectName("xai", "grok-4")),
        ("gemini/gemini-2.5-pro", LitellmName("gemini/gemini-2.5-pro")),
        ("hosted_vllm/org/gpt-4o", LitellmName("hosted_vllm/org/gpt-4o")),
        ("command-r", LitellmName("command-r")),
        ("o3x", LitellmName("o3x")),
        ("offline-model", LitellmName("offline-model")),
        ("litellm/openai/gpt-4o", LitellmName("openai/gpt-4o")),
        ("litellm/gpt-4o", LitellmName("gpt-4o")),
    ],
)
def test_a_name_means_one_of_three_ways_to_a_model(written: str, means: ModelName) -> None:
    assert read_name(written) == means


@check_rows("half", ["openai", "openai/", "/gpt", "/", "anthropic", "xai/", "litellm", "mistral/"])
def test_half_a_name_is_refused_with_what_a_whole_one_looks_like(half: str) -> None:
    with pytest.raises(DeclarationError, match=r"only half a name; write '[\w]+/<model>' .* 'offline'"):
        read_name(half)


def test_the_embedded_model_has_one_name() -> None:
    with pytest.raises(DeclarationError, match=r"'offline/x' is not known; .* is named 'offline'"):
        read_name("offline/x")


@check_rows(
    ("written", "meant"),
    [
        ("opanai/gpt-4o", "openai/gpt-4o"),
        ("OpenAI/gpt-4o", "openai/gpt-4o"),
        ("antropic/claude-haiku", "anthropic/claude-haiku"),
        ("XAI/grok-4", "xai/grok-4"),
        ("litelm/gpt-4o", "litellm/gpt-4o"),
        ("Offline", "offline"),
        ("ofline", "offline"),
    ],
)
def test_a_spelling_mistake_is_reported_immediately(written: str, meant: str) -> None:
    with pytest.raises(DeclarationError) as told:
        read_name(written)
    assert str(told.value).startswith(f"model {written!r}: no provider is called ")
    assert str(told.value).endswith(f"; did you mean {meant!r}?")
