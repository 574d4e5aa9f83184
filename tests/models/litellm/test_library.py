"""What litellm itself knows about names, keys and prices."""

import os
import sys

import pytest

from assistant.models.litellm_library import library, load
from assistant.models.providers import read_name


@pytest.mark.parametrize("name", ["gemini/gemini-2.5-pro", "gpt-4o", "hosted_vllm/org/model", "mistral/any"])
def test_a_known_name_has_no_problem(name: str) -> None:
    assert library().problem(name) is None


@pytest.mark.parametrize(
    ("name", "such_as"),
    [("acme/small", "gemini, groq, mistral"), ("small", "gemini, groq, mistral"), ("gemni/pro", "gemini")],
)
def test_an_unknown_name_is_reported_with_a_similar_one(name: str, such_as: str) -> None:
    told = library().problem(name) or ""

    assert told.startswith(f"litellm knows no provider for {name!r}; write '<provider>/<model>' with one of ")
    assert told.endswith(f", such as {such_as}")


def test_none_of_its_providers_counts_as_a_spelling_mistake() -> None:
    providers: list[str] = [one.value for one in sys.modules["litellm"].provider_list]

    for provider in providers:
        read_name(f"{provider}/model")
    assert len(providers) > 50


def test_a_missing_key_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GROQ_API_KEY", raising=False)
    assert library().missing("groq/small") == ["GROQ_API_KEY"]

    monkeypatch.setenv("GROQ_API_KEY", "k-1")
    assert library().missing("groq/small") == []


def test_a_reply_costs_what_its_list_says() -> None:
    known = library()
    usage = sys.modules["litellm"].Usage(prompt_tokens=1000, completion_tokens=100)

    assert known.cost_usd("gpt-4o", usage) == pytest.approx(1000 * 2.5e-6 + 100 * 1e-5)
    assert known.cost_usd("hosted_vllm/fake", usage) is None


async def test_values_from_the_env_file_are_in_its_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ACME_API_KEY", "from the environment")
    monkeypatch.setenv("ACME_REGION", "to be forgotten")
    monkeypatch.delenv("ACME_REGION")

    loaded = await load(
        {"ACME_API_KEY": "from the file", "ASSISTANT_SITE_SECRET": "ours alone", "ACME_REGION": "north"}
    )

    assert loaded is library()
    assert os.environ["ACME_API_KEY"] == "from the environment"
    assert os.environ["ACME_REGION"] == "north"
    assert "ASSISTANT_SITE_SECRET" not in os.environ
