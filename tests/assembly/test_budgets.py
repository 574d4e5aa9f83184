"""The settings decide how large a request may be."""

from collections.abc import Mapping

import pytest

from assistant.assembly.models import Providers, build_models
from assistant.conversation.entries import ModelRole
from assistant.errors import DeclarationError
from assistant.memory.budget import Budget
from assistant.models.tokens import load
from assistant.prompts.book import shipped_book
from assistant.prompts.narration import Narration
from assistant.settings import ModelSettings, Settings
from assistant.testing.fake_tool import FakeTool, Gives, fake_spec
from assistant.testing.virtual_time import VirtualClock
from assistant.tools.registry import Tools
from tests.support.rows import check_rows

BOOK = shipped_book()
CLOCK = VirtualClock()
KEYS = {"OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k"}


def budgets(settings: Settings, tools: int = 1) -> Mapping[ModelRole, Budget]:
    specs = (
        fake_spec(f"look_up_{number}", "looking it up", "look it up", required=("about",))
        for number in range(tools)
    )
    models = build_models(
        settings,
        Tools(FakeTool(spec, Gives(None), CLOCK) for spec in specs),
        BOOK,
        Narration(BOOK),
        CLOCK,
        Providers(CLOCK, KEYS, settings.model_options, jitter=lambda: 0.0),
    )
    found: dict[ModelRole, Budget | None] = {role: model.budget for role, model in models.items()}
    assert None not in found.values()
    return {role: budget for role, budget in found.items() if budget is not None}


@check_rows(
    ("settings", "decider", "narrator"),
    [
        (Settings(), 32_000, 32_000),
        (Settings(context_tokens=9_000), 9_000, 9_000),
        (Settings(model="gpt-4", max_tokens=1_000, narrator_max_tokens=500), 8_192 - 1_000, 8_192 - 500),
        (Settings(model="gpt-4", context_tokens=6_000), 6_000, 6_000),
        (Settings(model="gpt-5", fallback_models=["gpt-4"], max_tokens=1_000), 8_192 - 1_000, 8_192 - 1_024),
        (Settings(model="gpt-5", narrator_model="gpt-4"), 32_000, 8_192 - 1_024),
        (Settings(model="openai/our-own"), 32_000, 32_000),
        (
            Settings(
                model="gpt-5",
                fallback_models=["openai/small"],
                narrator_fallback_models=[],
                model_options={
                    "gpt-5": ModelSettings(context_tokens=100_000),
                    "openai/small": ModelSettings(context_tokens=7_000),
                },
            ),
            7_000,
            100_000,
        ),
        (Settings(model="gpt-4", model_options={"gpt-4": ModelSettings(max_tokens=2_000)}), 6_192, 6_192),
        (Settings(model="openai/x", model_options={"openai/x": ModelSettings(calls="json")}), 31_000, 31_000),
    ],
)
def test_the_smallest_budget_of_a_roles_models_applies(
    settings: Settings, decider: int, narrator: int
) -> None:
    found = budgets(settings)

    assert (found["decider"].tokens, found["narrator"].tokens) == (decider, narrator)


def test_each_role_counts_tokens_as_its_models_do() -> None:
    found = budgets(Settings(model="gpt-5", narrator_model="claude-sonnet-4-5", fallback_models=[]))
    for budget in found.values():
        load(budget.counter)

    assert (found["decider"].counter.name, found["narrator"].counter.name) == ("o200k_base", "claude")
    either = budgets(Settings(model="gpt-5", fallback_models=["offline"]))["decider"].counter
    load(either)
    assert either.name == "o200k_base or estimate"


@pytest.mark.parametrize(
    ("settings", "cure"),
    [
        (Settings(context_tokens=2_000), "raise ASSISTANT_CONTEXT_TOKENS"),
        (
            Settings(model="gpt-5", model_options={"gpt-5": ModelSettings(context_tokens=2_000)}),
            "raise context_tokens of gpt-5 in ASSISTANT_MODEL_OPTIONS",
        ),
        (
            Settings(model="gpt-4", max_tokens=7_000),
            "use a model that takes more than 8192 with its reply of 7000",
        ),
    ],
)
def test_instructions_and_tools_that_fill_the_budget_stop_the_start(settings: Settings, cure: str) -> None:
    with pytest.raises(DeclarationError, match=cure) as stopped:
        budgets(settings, tools=40)

    text = str(stopped.value)
    assert "a request to the decider may hold" in text
    assert "40 tools" in text
    assert "or offer fewer tools" in text


def test_an_exact_count_and_no_estimate_can_refuse_the_start() -> None:
    too_little = Settings(model="openai/our-own", context_tokens=3_400)  # how it counts is not known
    with pytest.raises(DeclarationError, match="may hold 3400"):
        budgets(too_little, tools=12)

    counted = budgets(too_little.model_copy(update={"model": "gpt-4o"}), tools=12)["decider"]

    assert counted.counter.name == "o200k_base"
