"""Sends requests for speech and embeddings to a provider's model, through litellm, and retries them."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar, assert_never

from assistant.errors import DeclarationError, ModelBroke, ModelBusy, ModelError, ModelRefused, ModelTimeout
from assistant.models.litellm_library import Library, load, model_error
from assistant.models.providers import DirectName, LitellmName, check_key, place_of, secrets_in
from assistant.ports import Clock
from assistant.resilience import CircuitBreaker, Jitter


@dataclass(frozen=True, slots=True, kw_only=True)
class HostedModel:
    """A provider's model for speech or embeddings, with its address.

    ``name`` is its name in the setting ``variable``, ``model`` is litellm's name. The address and the key are
    None if litellm finds them itself.
    """

    name: str
    variable: str
    model: str
    api_base: str | None = None
    api_key: str | None = None

    @property
    def setting(self) -> str:
        """The model that a setting names, with its address and key.

        ``such_as`` is an example of a valid name.
        """
        return f"{self.variable}={self.name!r}"


def hosted_model(
    name: str, meant: DirectName | LitellmName, environ: Mapping[str, str], *, variable: str, such_as: str
) -> HostedModel:
    """Returns the address and key of a provider's model. ``such_as`` is an example of a valid name.

    Raises:
        DeclarationError: the provider has no such models, or a key is missing.
    """
    match meant:
        case DirectName(provider="openai", model=model):
            place = place_of(meant, environ)
            return HostedModel(
                name=name,
                variable=variable,
                model=f"openai/{model}",
                api_base=place.base_url,
                # A server on this machine needs no key, but litellm requires one.
                api_key=place.api_key or "none",
            )
        case DirectName(provider=provider):
            raise DeclarationError(
                f"{variable}={name!r}: {provider} has no models for it that we can ask; use 'offline', or one such "
                f"as {such_as!r}"
            )
        case LitellmName(model=model):
            check_key(meant, environ)
            return HostedModel(name=name, variable=variable, model=model)
        case _:
            assert_never(meant)


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """The timeout of each attempt, the number of attempts, and the pauses between them, in seconds."""

    try_s: float
    tries: int
    pause_s: float
    longest_pause_s: float


T = TypeVar("T")


class HostedRequests:
    """Requests to one model. Each is retried unless the provider refuses it.

    A model that fails repeatedly is not asked for a while.

    Args:
        place: the model and its address.
        patience: the timeouts, attempts and pauses.
        clock: measures timeouts and pauses.
        jitter: randomises pauses.
        environ: the variables with keys and addresses for litellm.
        load: imports litellm.
    """

    def __init__(
        self,
        place: HostedModel,
        patience: Patience,
        *,
        clock: Clock,
        jitter: Jitter,
        environ: Mapping[str, str],
        load: Callable[[Mapping[str, str]], Awaitable[Library]] = load,
    ) -> None:
        self.place = place
        self._patience, self._clock, self._jitter = patience, clock, jitter
        self._environ, self._load = environ, load
        self._secrets = secrets_in(environ).union([place.api_key] if place.api_key else ())
        self._circuit = CircuitBreaker(place.name, clock)

    async def warm(self) -> None:
        """Import litellm. Raises ``DeclarationError`` if litellm does not know the model's provider."""
        litellm = await self._load(self._environ)
        if (problem := litellm.problem(self.place.model)) is not None:
            raise DeclarationError(f"{self.place.setting}: {problem}, or use 'offline'")

    async def ask(self, question: Callable[[Library], Awaitable[T]]) -> T:
        """Returns the result of a request.

        Raises:
            ModelRefused: the provider refuses the request; a repetition would be refused, too.
            ModelError: the provider did not answer, or is not asked at present because it failed repeatedly.
        """
        # Loading litellm does not count as waiting for the provider.
        litellm = await self._load(self._environ)
        setting, tries = self.place.setting, self._patience.tries
        for tried in range(1, tries + 1):
            if (shut := self._circuit.open()) is not None:
                raise ModelBroke(f"{setting} is not asked: {shut}")
            try:
                return await self._once(question, litellm)
            except ModelRefused as error:
                raise ModelRefused(
                    f"{setting}: {error}; check the model's name and its key, or use 'offline'"
                ) from error
            except ModelError as error:
                if tried == tries:
                    raise ModelBroke(f"{setting}: {error}; tried {tries} times") from error
                await self._clock.sleep(self._pause_s(error, tried))
        raise AssertionError("the last try returns or raises")

    async def _once(self, question: Callable[[Library], Awaitable[T]], litellm: Library) -> T:
        """Make one attempt. Raises ``ModelError``, and reports the result to the circuit breaker."""
        self._circuit.enter()
        try:
            async with self._clock.timeout(self._patience.try_s):
                answer = await question(litellm)
        except TimeoutError as error:
            self._circuit.failed()
            raise ModelTimeout(f"no answer within {self._patience.try_s:g} s") from error
        except Exception as error:
            # Catches the errors of all providers and of litellm; this is the only boundary to its code.
            told = model_error(error, self._clock.now(), self._secrets)
            if isinstance(told, ModelRefused):
                self._circuit.answered()
            else:
                self._circuit.failed()
            raise told from error
        except BaseException:
            self._circuit.left()
            raise
        self._circuit.answered()
        return answer

    def _pause_s(self, error: ModelError, tried: int) -> float:
        asked_s = error.retry_after_s if isinstance(error, ModelBusy) else None
        growing_s = self._patience.pause_s * 2 ** (tried - 1) * (0.5 + self._jitter())
        return min(growing_s if asked_s is None else asked_s, self._patience.longest_pause_s)
