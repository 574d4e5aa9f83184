"""Makes the summary model, as the settings name it."""

from dataclasses import replace

from assistant.assembly.budgets import budget_for
from assistant.assembly.models import is_embedded
from assistant.assembly.providers import Providers
from assistant.conversation.entries import ModelRole
from assistant.ports import Clock, Model, ModelOptions
from assistant.prompts.book import PromptBook
from assistant.settings import Settings
from assistant.turn.parts import RoleModel

_ROLE: ModelRole = "summariser"

_LEAST_TOKENS = 2_048
"""A summary of a long conversation is longer than an answer is."""


def summary_models(settings: Settings) -> tuple[str, ...]:
    """The names of the models that write summaries, the one that is meant first; none where rules alone do.

    Where none is set, the decision model does and those that stand in for it; the embedded one never does.
    """
    named = settings.summary_model
    names = (settings.model, *settings.fallback_models) if named is None else (named,)
    return tuple(dict.fromkeys(name.strip() for name in names if not is_embedded(name)))


def summary_options(settings: Settings) -> ModelOptions:
    """How the models that write summaries are asked."""
    return ModelOptions(
        max_tokens=max(settings.max_tokens, _LEAST_TOKENS),
        temperature=settings.temperature,
        first_token_s=settings.first_token_s,
        next_token_s=settings.next_token_s,
    )


def summariser_of(
    settings: Settings, book: PromptBook, providers: Providers, clock: Clock
) -> RoleModel | None:
    """The summary model; None where rules alone are to do it.

    Raises ``DeclarationError`` for a setting of it that is wrong or missing.
    """
    names = summary_models(settings)
    if not names:
        return None
    options = summary_options(settings)
    _check(settings, names, options)
    return RoleModel(
        model=providers.model(names, settings.model_tries, _embedded),
        options=options,
        budget=budget_for(_ROLE, names, options, settings, book=book, tools=(), clock=clock),
    )


def _check(settings: Settings, names: tuple[str, ...], options: ModelOptions) -> None:
    """Refuse options of a model that do not go with those of this role."""
    for name in names:
        own = settings.model_options.get(name)
        if own is not None and own.extra:
            from assistant.formats.options import check_budget

            asked = replace(options, max_tokens=own.max_tokens or options.max_tokens, extra=own.extra)
            check_budget(asked, f"ASSISTANT_MODEL_OPTIONS: {name}: extra")


def _embedded() -> Model:
    raise AssertionError("the embedded model writes no summaries")
