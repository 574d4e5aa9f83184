"""What is known about providers for as long as the process lives: connections, circuits, prices."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from assistant.ids import SystemIds
from assistant.models.fallback import Candidate, FallbackModel, OwnOptions
from assistant.models.http_client import Connections
from assistant.models.names import DirectName, EmbeddedName, LitellmName, ModelName, read_name
from assistant.models.price_list import PricedAs, Prices
from assistant.models.providers import choose_model, place_of, priced_as
from assistant.ports import Clock, Model
from assistant.prompts.prompt import Prompt
from assistant.resilience import CircuitBreaker, Jitter, jitter_from
from assistant.settings import ModelSettings


class Providers:
    """Makes models that share what is to be shared: one pool of connections, one circuit per provider.

    A hosted model is made once for each name, whoever asks for it.

    Args:
        clock: measures time-outs, pauses and rests.
        environ: where keys and addresses are looked up.
        own: what is set for single models, by their names.
        secret: of which the codes are made that nobody can guess; a new one when left out.
        jitter: makes pauses uneven; from the machine's randomness when left out.
    """

    def __init__(
        self,
        clock: Clock,
        environ: Mapping[str, str],
        own: Mapping[str, ModelSettings] = MappingProxyType({}),
        secret: str | None = None,
        jitter: Jitter | None = None,
    ) -> None:
        self._clock = clock
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
        """The first of these that answers; the embedded one itself, when nothing else is named.

        Args:
            names: as in the settings, the one that is meant first.
            tries: how often each is asked for one request.
            offline: gives the embedded model.
            render: what prompts say, for models that are told in words how to call tools; without it, none is.

        Raises:
            DeclarationError: no such model, or a setting for it is wrong or missing; with the cure.
        """
        meant = [read_name(name) for name in names]
        if all(isinstance(one, EmbeddedName) for one in meant):
            return offline()
        candidates = [
            self._candidate(name, one, offline, render) for name, one in zip(names, meant, strict=True)
        ]
        return FallbackModel(
            candidates, tries=tries, prices=self._prices, clock=self._clock, jitter=self._jitter
        )

    async def close(self) -> None:
        """Give back the connections."""
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
                priced_as=self._priced(meant),
                own=self._options(name),
            )
        return known if render is None else self._told_in_words(name, known, render)

    def _told_in_words(self, name: str, candidate: Candidate, render: Callable[[Prompt], str]) -> Candidate:
        """The same, asked in text alone where that is set. Prompts are an edition's, and so the route is."""
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
        """What is set for this model. Raises ``DeclarationError`` for a field that is not the operator's to set."""
        own = self._own.get(name)
        if own is None:
            return None
        if own.extra:
            # What only a hosted model needs is imported only for one.
            from assistant.formats.options import check_extra

            check_extra(own.extra, f"ASSISTANT_MODEL_OPTIONS: {name}: extra")
        return OwnOptions(**own.model_dump(exclude={"calls", "sections", "context_tokens"}))

    def _circuit(self, provider: str) -> CircuitBreaker:
        if provider not in self._circuits:
            self._circuits[provider] = CircuitBreaker(provider, self._clock)
        return self._circuits[provider]

    def _provider(self, meant: DirectName | LitellmName) -> str:
        """Whose circuit it is: a host's, or what litellm calls the provider."""
        return place_of(meant, self._environ).host if isinstance(meant, DirectName) else meant.provider

    def _priced(self, meant: DirectName | LitellmName) -> PricedAs | None:
        """The model's name in the price list; litellm says itself what its replies cost."""
        priced = priced_as(meant, self._environ) if isinstance(meant, DirectName) else None
        if priced is not None:
            self._prices.want(priced)
        return priced
