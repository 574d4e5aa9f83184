"""Patience with a provider that hears or speaks: asked again when it fails, and not for ever."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol, TypeVar

from assistant.errors import DeclarationError, ModelBusy, ModelError, ModelRefused, ModelTimeout, SpeechError
from assistant.models.litellm_library import model_error
from assistant.models.providers import secrets_in
from assistant.models.speech.place import SpeechPlace
from assistant.ports import Clock
from assistant.steady.circuit import Circuit
from assistant.steady.jitter import Jitter

T = TypeVar("T")

_PATIENCE_S = 8.0
_TRIES = 2
_PAUSE_S = 0.25
_LONGEST_PAUSE_S = 1.0
"""Somebody is on the line: what comes later than this comes too late."""


class Refused(SpeechError):
    """The provider will not: the key, the model's name, or something in the request is wrong."""


class HearsAndSpeaks(Protocol):
    """What we need of litellm. All of it raises litellm's own errors."""

    async def written_down(
        self, model: str, wav: bytes, language: str, hint: str, api_base: str | None, api_key: str | None
    ) -> str:
        """What is said in a sound."""
        ...

    async def sound_of(
        self,
        model: str,
        text: str,
        voice: str,
        form: str,
        tempo: float,
        api_base: str | None,
        api_key: str | None,
    ) -> bytes:
        """A text, said; in the form that was asked for, or in another."""
        ...

    def problem(self, model: str) -> str | None:
        """What is wrong with a model's name; None when nothing is."""
        ...


async def _library(environ: Mapping[str, str]) -> HearsAndSpeaks:
    from assistant.models.litellm_library import load

    return await load(environ)


class Asking:
    """Requests to one model: each may take eight seconds and is sent twice, unless the provider refuses it.

    One that keeps failing is left alone for a while.

    Args:
        place: the model, and where it is.
        clock: measures time-outs and pauses.
        jitter: makes pauses uneven.
        environ: where litellm finds keys and addresses.
        load: brings litellm.
    """

    def __init__(
        self,
        place: SpeechPlace,
        *,
        clock: Clock,
        jitter: Jitter,
        environ: Mapping[str, str],
        load: Callable[[Mapping[str, str]], Awaitable[HearsAndSpeaks]] = _library,
    ) -> None:
        self._place, self._clock, self._jitter, self._environ, self._load = (
            place,
            clock,
            jitter,
            environ,
            load,
        )
        self._secrets = secrets_in(environ).union([place.api_key] if place.api_key else ())
        self._circuit = Circuit(place.name, clock)

    async def warm(self) -> None:
        """Import litellm. Raises ``DeclarationError`` when it knows no provider for the model."""
        litellm = await self._load(self._environ)
        if (problem := litellm.problem(self._place.model)) is not None:
            raise DeclarationError(f"{self._place.setting}: {problem}, or use 'offline'")

    async def ask(self, question: Callable[[HearsAndSpeaks], Awaitable[T]]) -> T:
        """The provider's answer to a question.

        Raises:
            Refused: the provider will not do it; asking again will not help.
            SpeechError: it did not answer, or is left alone.
        """
        # Loading it is nothing that the provider is waited for.
        litellm = await self._load(self._environ)
        for tried in range(1, _TRIES + 1):
            if (shut := self._circuit.shut()) is not None:
                raise SpeechError(f"{self._place.setting} is not asked: {shut}")
            try:
                return await self._once(question, litellm)
            except ModelRefused as error:
                raise Refused(
                    f"{self._place.setting}: {error}; check the model's name and its key, or use 'offline'"
                ) from error
            except ModelError as error:
                if tried == _TRIES:
                    raise SpeechError(f"{self._place.setting}: {error}; tried {_TRIES} times") from error
                await self._clock.sleep(self._pause_s(error))
        raise AssertionError("the last try returns or raises")

    async def _once(self, question: Callable[[HearsAndSpeaks], Awaitable[T]], litellm: HearsAndSpeaks) -> T:
        """Ask; raises ``ModelError``, and tells the circuit how it went."""
        self._circuit.enter()
        try:
            async with self._clock.timeout(_PATIENCE_S):
                answer = await question(litellm)
        except TimeoutError as error:
            self._circuit.failed()
            raise ModelTimeout(f"no answer within {_PATIENCE_S:g} s") from error
        except Exception as error:
            # All providers' errors, and litellm's own: the one wall to its code.
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

    def _pause_s(self, error: ModelError) -> float:
        asked_s = error.retry_after_s if isinstance(error, ModelBusy) else None
        return min(_PAUSE_S * (0.5 + self._jitter()) if asked_s is None else asked_s, _LONGEST_PAUSE_S)
