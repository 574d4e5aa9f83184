"""Builds the models of each role, with their budgets, from the settings.

A provider's connections, circuit breakers and prices are shared for the life of the process.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from types import MappingProxyType
from typing import TYPE_CHECKING

from assistant.conversation.entries import ModelRole
from assistant.conversation.tool_spec import ToolSpec
from assistant.errors import DeclarationError
from assistant.formats.families import check_effort, longest_reply
from assistant.ids import SystemIds
from assistant.memory.budget import Budget
from assistant.models.fallback import Candidate, FallbackModel, OwnOptions
from assistant.models.http_client import Connections
from assistant.models.price_list import PriceKey, Prices, price_key, window_of
from assistant.models.providers import (
    DirectName,
    EmbeddedName,
    LitellmName,
    ModelName,
    choose_model,
    place_of,
    read_name,
)
from assistant.models.tokens import Estimate, counter_for, load
from assistant.ports import Clock, Model, ModelOptions
from assistant.prompts.book import PromptBook, english_only_notice
from assistant.prompts.instructions import Decider, Narrator
from assistant.prompts.narration import Narration
from assistant.prompts.prompt import Instruction, Prompt
from assistant.resilience import CircuitBreaker, Jitter, jitter_from
from assistant.settings import ModelSettings, Settings
from assistant.settings_sources import environment
from assistant.tools.registry import Tools
from assistant.turn.context import RoleModel

if TYPE_CHECKING:
    from assistant.models.demo.nearness import Passages
    from assistant.telemetry.observer import TenantTelemetry


class Providers:
    """Makes models that share resources: one connection pool, and one circuit breaker for each provider.

    A hosted model is made once for each name.

    Args:
        clock: measures time-outs, pauses and cooldowns.
        environ: where keys and addresses are looked up.
        own: the settings of single models, by the model's name.
        secret: for codes that must not be guessable; a new one when left out.
        jitter: makes pauses uneven; from the machine's randomness when left out.
        telemetry: counts the requests that are repeated; None: nothing is counted.
    """

    def __init__(
        self,
        clock: Clock,
        environ: Mapping[str, str],
        own: Mapping[str, ModelSettings] = MappingProxyType({}),
        secret: str | None = None,
        jitter: Jitter | None = None,
        telemetry: "TenantTelemetry | None" = None,
    ) -> None:
        self._clock, self._telemetry = clock, telemetry
        self._environ = environ
        self._own = own
        self._secret = (secret or SystemIds().secret()).encode()
        self._jitter = jitter or jitter_from(SystemIds())
        self._connections = Connections(clock)
        self._prices = Prices()
        self._circuits: dict[str, CircuitBreaker] = {}
        self._hosted: dict[str, Candidate] = {}

    def model(
        self,
        names: Sequence[str],
        tries: int,
        offline: Callable[[], Model],
        render: Callable[[Prompt], str] | None = None,
    ) -> Model:
        """A model that tries these models in order until one answers; if the embedded model is the only one,
        the embedded model itself.

        Args:
            names: as in the settings, the first choice first.
            tries: the number of attempts for each model in one request.
            offline: makes the embedded model.
            render: renders the prompts for models that call tools by the text protocol; without it, no model
                uses the text protocol.

        Raises:
            DeclarationError: there is no such model, or a setting for it is wrong or missing; with the
                solution.
        """
        meant = [read_name(name) for name in names]
        if all(isinstance(one, EmbeddedName) for one in meant):
            return offline()
        candidates = [
            self._candidate(name, one, offline, render) for name, one in zip(names, meant, strict=True)
        ]
        return FallbackModel(
            candidates,
            tries=tries,
            prices=self._prices,
            clock=self._clock,
            jitter=self._jitter,
            telemetry=self._telemetry,
        )

    async def close(self) -> None:
        """Close the connections."""
        for candidate in self._hosted.values():
            await candidate.model.close()
        await self._connections.close()

    def _candidate(
        self,
        name: str,
        meant: ModelName,
        offline: Callable[[], Model],
        render: Callable[[Prompt], str] | None,
    ) -> Candidate:
        if isinstance(meant, EmbeddedName):
            return Candidate(model=offline(), circuit=self._circuit("offline"))
        known = self._hosted.get(name)
        if known is None:
            known = self._hosted[name] = Candidate(
                model=self._chosen(name, offline),
                circuit=self._circuit(self._provider(meant)),
                price_key=self._priced(meant),
                own=self._options(name),
            )
        return known if render is None else self._told_in_words(name, known, render)

    def _told_in_words(self, name: str, candidate: Candidate, render: Callable[[Prompt], str]) -> Candidate:
        """The model with the text protocol, if its settings ask for that. The prompts belong to a version, so
        this does too.
        """
        own = self._own.get(name)
        if own is None or own.calls == "native":
            return candidate
        from assistant.models.text_protocol.route import through_text

        route = through_text(
            candidate.model, render=render, secret=self._secret, calls=own.calls, sections=own.sections
        )
        return replace(candidate, model=route)

    def _chosen(self, name: str, offline: Callable[[], Model]) -> Model:
        return choose_model(
            name, clock=self._clock, environ=self._environ, offline=offline, connections=self._connections
        )

    def _options(self, name: str) -> OwnOptions | None:
        """The options for this model. Raises ``DeclarationError`` for a field that operators may not set."""
        own = self._own.get(name)
        if own is None:
            return None
        if own.extra:
            # Modules for hosted models are imported only if there is one.
            from assistant.formats.options import check_extra

            check_extra(own.extra, f"ASSISTANT_MODEL_OPTIONS: {name}: extra")
        return OwnOptions(**own.model_dump(exclude={"calls", "sections", "context_tokens"}))

    def _circuit(self, provider: str) -> CircuitBreaker:
        if provider not in self._circuits:
            self._circuits[provider] = CircuitBreaker(provider, self._clock)
        return self._circuits[provider]

    def _provider(self, meant: DirectName | LitellmName) -> str:
        """The name of the circuit breaker: the host, or litellm's name of the provider."""
        return place_of(meant, self._environ).host if isinstance(meant, DirectName) else meant.provider

    def _priced(self, meant: DirectName | LitellmName) -> PriceKey | None:
        """The model's name in the price list; litellm gives the price of its replies itself."""
        priced = price_key(meant, self._environ) if isinstance(meant, DirectName) else None
        if priced is not None:
            self._prices.want(priced)
        return priced


LEAST_CONVERSATION = 500
"""Tokens that must be left for the customer's message and the answer."""

_TOLD_IN_WORDS = 1_000
"""Tokens for the rules of the text protocol, by which a model calls tools in text."""


@dataclass(frozen=True, slots=True)
class _Limit:
    """At most ``tokens``, and how an operator can raise the limit."""

    tokens: int
    cure: str


def budget_for(
    role: ModelRole,
    names: Sequence[str],
    options: ModelOptions,
    settings: Settings,
    *,
    book: PromptBook,
    tools: tuple[ToolSpec, ...],
    clock: Clock,
) -> Budget:
    """The budget of a role: the smallest of its models' budgets, with the token counter that gives the highest
    counts.

    Raises ``DeclarationError`` if the instructions and the tools alone fill it.
    """
    limit = min((_limit(name, options, settings) for name in names), key=lambda limit: limit.tokens)
    counter = counter_for(map(read_name, names))
    budget = Budget(tokens=limit.tokens, counter=counter)
    system, late = book.parted(_instructions(role, clock))
    # An estimate is too high, and needs no vocabulary, which takes 60 MB.
    estimated = Budget(tokens=limit.tokens, counter=Estimate())
    if _left(estimated, system, late, tools) < LEAST_CONVERSATION:
        # Only an exact count may refuse a start.
        load(counter)
        if (left := _left(budget, system, late, tools)) < LEAST_CONVERSATION:
            raise _too_small(role, limit, budget.sizes.text(system + late), tools, budget, left)
    return budget


def _limit(name: str, options: ModelOptions, settings: Settings) -> _Limit:
    own = settings.model_options.get(name)
    asked = _asked_with(own, options)
    if own is not None and own.context_tokens is not None:
        limit = _Limit(own.context_tokens, f"raise context_tokens of {name} in ASSISTANT_MODEL_OPTIONS")
    else:
        limit = _Limit(settings.context_tokens, "raise ASSISTANT_CONTEXT_TOKENS")
    reply = longest_reply(name, asked)
    window = window_of(read_name(name))
    if window is not None and window - reply < limit.tokens:
        limit = _Limit(window - reply, f"use a model that takes more than {window} with its reply of {reply}")
    return _Limit(limit.tokens - _TOLD_IN_WORDS, limit.cure) if _calls_in_text(name, settings) else limit


def _instructions(role: ModelRole, clock: Clock) -> Instruction:
    """The role's instructions in a usual turn."""
    if role == "narrator":
        return Narrator(acknowledgement="", now=clock.now(), more_calls=True)
    return Decider(now=clock.now())


def _left(budget: Budget, system: str, late: str, tools: tuple[ToolSpec, ...]) -> int:
    return budget.tokens - budget.sizes.frame(system, late, tools)


def _too_small(
    role: ModelRole, limit: _Limit, told: int, tools: tuple[ToolSpec, ...], budget: Budget, left: int
) -> DeclarationError:
    offered = budget.sizes.tools(tools)
    return DeclarationError(
        f"a request to the {role} may hold {limit.tokens} tokens: its instructions take {told} of them, and "
        f"{len(tools)} tools {offered}. A conversation needs {LEAST_CONVERSATION - left} more: {limit.cure}, or "
        "offer fewer tools"
    )


def is_embedded(model: str) -> bool:
    """Whether a model setting means the embedded demo model."""
    return model.strip() in ("", "offline")


def names_of(settings: Settings) -> Mapping[ModelRole, tuple[str, ...]]:
    """The names of each role's models: the first choice, then the fallback models."""
    narrator = settings.narrator_model or settings.model
    stand_ins = settings.narrator_fallback_models
    if stand_ins is None:
        stand_ins = settings.fallback_models
    return {
        "decider": _each_once(settings.model, *settings.fallback_models),
        "narrator": _each_once(narrator, *stand_ins),
    }


def embedded_may_decide(settings: Settings) -> bool:
    """Whether the embedded model may call a tool in any role. Narrators may call tools, too."""
    return any(is_embedded(name) for names in _all_names(settings).values() for name in names)


def _all_names(settings: Settings) -> Mapping[ModelRole, tuple[str, ...]]:
    """The names of all models that may play each role: also the one for a budget that is nearly spent."""
    cheaper = () if settings.budget_model is None else (settings.budget_model,)
    return {role: _each_once(*names, *cheaper) for role, names in names_of(settings).items()}


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

    ``providers`` is kept when prompts and tools change; without it a new one is made. ``passages`` lets the
    embedded model search the company's documents.
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
            foreign=partial(english_only_notice, book),
            clock=clock,
            cache_dir=settings.data_dir,
            passages=passages,
        )

    names, options, all_names = names_of(settings), options_of(settings), _all_names(settings)
    _check(settings, all_names, options)
    decider = providers.model(names["decider"], settings.model_attempts, offline, book.render)
    same = names["narrator"] == names["decider"]
    narrator = decider
    if not same:
        narrator = providers.model(names["narrator"], settings.model_attempts, offline, book.render)
    models: Mapping[ModelRole, Model] = {"decider": decider, "narrator": narrator}
    cheaper = None
    if settings.budget_model is not None:
        cheaper = providers.model([settings.budget_model], settings.model_attempts, offline, book.render)
    budget = partial(budget_for, settings=settings, book=book, tools=tools.specs, clock=clock)
    # Both roles get one text: a model that uses the text protocol would write references in its text, too.
    references = not any(_calls_in_text(name, settings) for role in models for name in all_names[role])
    return {
        role: RoleModel(
            model=model,
            options=options[role],
            budget=budget(role, all_names[role], options[role]),
            references=references,
            cheaper=cheaper,
        )
        for role, model in models.items()
    }


def _calls_in_text(name: str, settings: Settings) -> bool:
    own = settings.model_options.get(name)
    return own is not None and own.calls != "native"


def options_of(settings: Settings) -> Mapping[ModelRole, ModelOptions]:
    """The options for the model of each role."""
    decider = ModelOptions(
        max_tokens=settings.max_tokens,
        temperature=settings.temperature,
        first_token_s=settings.first_token_timeout_s,
        next_token_s=settings.next_token_timeout_s,
        thinking_s=settings.thinking_timeout_s,
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
    """Refuse a model's options that conflict with the options of a role that the model has."""
    for role, models in names.items():
        for name in models:
            own = settings.model_options.get(name)
            if own is not None:
                _check_own(name, own, options[role])


def _check_own(name: str, own: ModelSettings, options: ModelOptions) -> None:
    """Raises ``DeclarationError`` for options of a model because of which its provider would refuse every
    request.
    """
    asked = _asked_with(own, options)
    where = f"ASSISTANT_MODEL_OPTIONS: {name}"
    check_effort(name, asked, f"{where}: extra")
    if own.extra:
        from assistant.formats.options import check_budget

        check_budget(asked, longest_reply(name, asked), f"{where}: extra")


def _asked_with(own: ModelSettings | None, options: ModelOptions) -> ModelOptions:
    """The options of a role, with the model's own options in their place."""
    if own is None:
        return options
    return replace(
        options, max_tokens=own.max_tokens or options.max_tokens, family=own.family, extra=own.extra
    )


def _each_once(*names: str) -> tuple[str, ...]:
    """The names in their order, without repetitions."""
    return tuple(dict.fromkeys(name.strip() or "offline" for name in names))


_ROLE: ModelRole = "summariser"

_LEAST_TOKENS = 2_048
"""A summary of a long conversation is longer than an answer."""
_ENOUGH_TOKENS = 4_096


def summary_models(settings: Settings) -> tuple[str, ...]:
    """The names of the models that write summaries, the first choice first; empty if only rules make them.

    By default they are the decision model and its fallback models, but never the embedded one.
    """
    named = settings.summary_model
    names = (settings.model, *settings.fallback_models) if named is None else (named,)
    return tuple(dict.fromkeys(name.strip() for name in names if not is_embedded(name)))


def summary_options(settings: Settings) -> ModelOptions:
    """The options for the models that write summaries."""
    return ModelOptions(
        max_tokens=max(settings.max_tokens or _ENOUGH_TOKENS, _LEAST_TOKENS),
        temperature=settings.temperature,
        first_token_s=settings.first_token_timeout_s,
        next_token_s=settings.next_token_timeout_s,
        thinking_s=settings.thinking_timeout_s,
    )


def summariser_of(
    settings: Settings, book: PromptBook, providers: Providers, clock: Clock
) -> RoleModel | None:
    """The summary model; None if only rules make summaries.

    Raises ``DeclarationError`` if one of its settings is wrong or missing.
    """
    names = summary_models(settings)
    if not names:
        return None
    options = summary_options(settings)
    _check_summariser(settings, names, options)
    return RoleModel(
        model=providers.model(names, settings.model_attempts, _embedded),
        options=options,
        budget=budget_for(_ROLE, names, options, settings, book=book, tools=(), clock=clock),
    )


def _check_summariser(settings: Settings, names: tuple[str, ...], options: ModelOptions) -> None:
    """Refuse a model's options that conflict with the options of this role."""
    for name in names:
        own = settings.model_options.get(name)
        if own is not None:
            _check_own(name, own, options)


def _embedded() -> Model:
    raise AssertionError("the embedded model writes no summaries")
