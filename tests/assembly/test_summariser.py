"""From the settings to the model that writes summaries."""

import pytest

from assistant.assembly.config_builder import ConfigBuilder
from assistant.assembly.models import Providers, summariser_of, summary_models
from assistant.errors import DeclarationError
from assistant.prompts.book import shipped_book
from assistant.settings import ModelSettings, Settings
from assistant.testing.virtual_time import VirtualClock
from assistant.turn.context import RoleModel
from tests.assembly.conftest import AppFolder
from tests.support.rows import check_rows

KEYS = {"OPENAI_API_KEY": "sk-nobody", "ANTHROPIC_API_KEY": "sk-nobody"}


def made(settings: Settings, environ: dict[str, str] | None = None) -> RoleModel | None:
    clock = VirtualClock()
    return summariser_of(
        settings, shipped_book(), Providers(clock, environ or KEYS, settings.model_options), clock
    )


@check_rows(
    ("settings", "names"),
    [
        (Settings(), ()),
        (Settings(summary_model="offline", model="openai/gpt-5"), ()),
        (Settings(model="openai/gpt-5"), ("openai/gpt-5",)),
        (
            Settings(model="openai/gpt-5", fallback_models=["offline", "xai/grok-4"]),
            ("openai/gpt-5", "xai/grok-4"),
        ),
        (Settings(model="offline", fallback_models=["xai/grok-4"]), ("xai/grok-4",)),
        (Settings(model="openai/gpt-5", summary_model=" xai/grok-4 "), ("xai/grok-4",)),
        (Settings(model="openai/gpt-5", narrator_model="xai/grok-4"), ("openai/gpt-5",)),
    ],
)
def test_the_settings_decide_which_model_writes_summaries(settings: Settings, names: tuple[str, ...]) -> None:
    assert summary_models(settings) == names


def test_rules_write_summaries_if_only_the_embedded_model_is_configured() -> None:
    assert made(Settings()) is None


def test_summaries_have_their_own_length_limit_and_budget() -> None:
    options = {"openai/gpt-5-mini": ModelSettings(context_tokens=9_000)}
    role = made(
        Settings(summary_model="openai/gpt-5-mini", model_options=options, max_tokens=100, temperature=0.2)
    )

    assert role is not None
    assert role.model.name == "openai/gpt-5-mini"
    assert (role.options.max_tokens, role.options.temperature) == (2_048, 0.2)
    assert role.budget is not None
    assert role.budget.tokens == 9_000


@pytest.mark.parametrize(
    ("settings", "environ", "problem"),
    [
        (Settings(summary_model="openai/gpt-5"), {"A": "b"}, "OPENAI_API_KEY"),
        (
            Settings(
                summary_model="anthropic/claude-opus-5",
                model_options={
                    "anthropic/claude-opus-5": ModelSettings(
                        extra={"thinking": {"type": "enabled", "budget_tokens": 5_000}}
                    )
                },
            ),
            KEYS,
            "ASSISTANT_MODEL_OPTIONS: anthropic/claude-opus-5: extra",
        ),
    ],
)
def test_a_wrong_summary_setting_stops_the_start(
    settings: Settings, environ: dict[str, str], problem: str
) -> None:
    with pytest.raises(DeclarationError, match=problem):
        made(settings, environ)


async def test_a_version_has_a_summary_model_unless_the_caller_passes_models(
    app_folder: AppFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-nobody")
    builder = ConfigBuilder(app_folder.settings, VirtualClock())

    deps = builder.build_first().version.deps

    assert deps.summariser is not None
    assert deps.summariser.model.name == deps.models["decider"].model.name
    assert (await app_folder.starts()).configs.newest.deps.summariser is None
    await builder.close()
