"""Makes the models, as the settings name them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING

from assistant.assembly.budgets import budget_for
from assistant.assembly.providers import Providers
from assistant.conversation.entries import ModelRole
from assistant.ports import Clock, Model, ModelOptions
from assistant.prompts.book import PromptBook
from assistant.prompts.english_only import english_only
from assistant.prompts.narration import Narration
from assistant.settings import Settings, environment
from assistant.tooling.registry import Tools
from assistant.turn.parts import RoleModel

if TYPE_CHECKING:
    from assistant.models.demo.nearness import Passages


def is_embedded(model: str) -> bool:
    """Whether a model setting means the embedded demo model."""
    return model.strip() in ("", "offline")


def names_of(settings: Settings) -> Mapping[ModelRole, tuple[str, ...]]:
    """The models of each role, by name: the one that is meant, then those that stand in for it."""
    narrator = settings.narrator_model or settings.model
    stand_ins = settings.narrator_fallback_models
    if stand_ins is None:
        stand_ins = settings.fallback_models
    return {
        "decider": _each_once(settings.model, *settings.fallback_models),
        "narrator": _each_once(narrator, *stand_ins),
    }


def embedded_may_decide(settings: Settings) -> bool:
    """Whether the embedded model may ever call a tool: narrators may too."""
    return any(is_embedded(name) for names in names_of(settings).values() for name in names)


def build_models(
    settings: Settings,
    tools: Tools,
    book: PromptBook,
    narration: Narration,
    clock: Clock,
    providers: Providers | None = None,
    passages: "Passages | None" = None,
) -> Mapping[ModelRole, RoleModel]:
    """The model of each role. Raises ``DeclarationError`` for a setting that is wrong or missing.

    ``providers`` is what outlives a change of prompts and tools; new ones when left out. ``passages`` is where the
    embedded model looks what the company's documents say.
    """
    providers = providers or Providers(clock, environment(), settings.model_options)

    @cache
    def offline() -> Model:
        from assistant.models.demo.model import DemoModel

        specs = {spec.name: spec for spec in tools.specs}
        return DemoModel(
            tools.specs,
            book.render,
            narrate=lambda outcomes: narration.narrate_outcomes(outcomes, specs),
            foreign=partial(english_only, book),
            clock=clock,
            cache_dir=settings.data_dir,
            passages=passages,
        )

    names, options = names_of(settings), options_of(settings)
    _check(settings, names, options)
    decider = providers.model(names["decider"], settings.model_tries, offline, book.render)
    same = names["narrator"] == names["decider"]
    narrator = decider
    if not same:
        narrator = providers.model(names["narrator"], settings.model_tries, offline, book.render)
    models: Mapping[ModelRole, Model] = {"decider": decider, "narrator": narrator}
    budget = partial(budget_for, settings=settings, book=book, tools=tools.offered, clock=clock)
    return {
        role: RoleModel(model=model, options=options[role], budget=budget(role, names[role], options[role]))
        for role, model in models.items()
    }


def options_of(settings: Settings) -> Mapping[ModelRole, ModelOptions]:
    """How the model of each role is asked."""
    decider = ModelOptions(
        max_tokens=settings.max_tokens,
        temperature=settings.temperature,
        first_token_s=settings.first_token_s,
        next_token_s=settings.next_token_s,
    )
    narrator = replace(
        decider, max_tokens=settings.narrator_max_tokens, temperature=settings.narrator_temperature
    )
    return {"decider": decider, "narrator": narrator}


def _check(
    settings: Settings,
    names: Mapping[ModelRole, Sequence[str]],
    options: Mapping[ModelRole, ModelOptions],
) -> None:
    """Refuse options of a model that do not go with those of a role that it plays."""
    for role, models in names.items():
        for name in models:
            own = settings.model_options.get(name)
            if own is not None and own.extra:
                from assistant.formats.options import check_budget

                of_its_role = replace(options[role], max_tokens=own.max_tokens or options[role].max_tokens)
                check_budget(replace(of_its_role, extra=own.extra), f"ASSISTANT_MODEL_OPTIONS: {name}: extra")


def _each_once(*names: str) -> tuple[str, ...]:
    """The names in their order, none twice."""
    return tuple(dict.fromkeys(name.strip() or "offline" for name in names))
