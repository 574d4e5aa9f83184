"""Chooses the embedding model by its name in the settings, and asks a provider's through litellm."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, assert_never

import orjson

from assistant.conversation.documents import Vector
from assistant.errors import (
    DeclarationError,
    EmbeddingError,
    ModelBusy,
    ModelError,
    ModelRefused,
    ModelTimeout,
)
from assistant.models.litellm_library import model_error
from assistant.models.price_list import installed_with_litellm
from assistant.models.providers import (
    DirectName,
    EmbeddedName,
    LitellmName,
    check_key,
    place_of,
    read_name,
    secrets_in,
)
from assistant.ports import Clock, Embedder
from assistant.resilience import CircuitBreaker, Jitter

_PATIENCE_S = 20.0
_TRIES = 3
_PAUSE_S = 0.5
_LONGEST_PAUSE_S = 5.0
"""A customer may wait for the answer; documents are tried again later anyway."""

_AT_ONCE = 64
"""Texts of one request; providers take from 96 on."""


class Embeds(Protocol):
    """What we need of litellm."""

    async def vectors(
        self, model: str, texts: Sequence[str], api_base: str | None, api_key: str | None
    ) -> list[list[float]]:
        """One vector per text, in order. Raises litellm's own errors."""
        ...


async def _library(environ: Mapping[str, str]) -> Embeds:
    from assistant.models.litellm_library import load

    return await load(environ)


class HostedEmbedder:
    """An embedding model of any provider that litellm knows; it is imported for the first text.

    A request may take twenty seconds and is sent three times, unless the provider refuses it; one that keeps
    failing is left alone for a while.

    Args:
        name: as the operator wrote it.
        model: as litellm knows it.
        width: how many numbers its vectors have; None: the first answer says so.
        clock: measures time-outs and pauses.
        jitter: makes pauses uneven.
        environ: where litellm finds keys and addresses.
        api_base: where the API is, instead of where litellm would look.
        api_key: instead of the one in the environment.
        load: brings litellm.
    """

    def __init__(
        self,
        name: str,
        *,
        model: str,
        width: int | None,
        clock: Clock,
        jitter: Jitter,
        environ: Mapping[str, str],
        api_base: str | None = None,
        api_key: str | None = None,
        load: Callable[[Mapping[str, str]], Awaitable[Embeds]] = _library,
    ) -> None:
        self._name, self._model, self._width = name, model, width
        self._clock, self._jitter = clock, jitter
        self._environ, self._api_base, self._api_key = environ, api_base, api_key
        self._secrets = secrets_in(environ).union([api_key] if api_key else ())
        self._load = load
        self._circuit = CircuitBreaker(name, clock)

    @property
    def name(self) -> str:
        """As the operator wrote it in the settings."""
        return self._name

    @property
    def width(self) -> int:
        """How many numbers a vector has; 0 as long as it is unknown."""
        return self._width or 0

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """One vector per text, in order. Raises ``EmbeddingError``."""
        vectors: list[Vector] = []
        for start in range(0, len(texts), _AT_ONCE):
            vectors += await self._steadily(texts[start : start + _AT_ONCE])
        return vectors

    async def _steadily(self, texts: Sequence[str]) -> list[Vector]:
        for tried in range(1, _TRIES + 1):
            if (shut := self._circuit.open()) is not None:
                raise EmbeddingError(f"embedding model {self._name!r} is not asked: {shut}")
            try:
                return self._checked(await self._asked(texts), len(texts))
            except ModelError as error:
                if isinstance(error, ModelRefused) or tried == _TRIES:
                    raise self._given_up(error) from error
                await self._clock.sleep(self._pause_s(error, tried))
        raise AssertionError("the last try returns or raises")

    async def _asked(self, texts: Sequence[str]) -> list[list[float]]:
        """The provider's answer; raises ``ModelError``, and tells the circuit how it went."""
        self._circuit.enter()
        try:
            async with self._clock.timeout(_PATIENCE_S):
                litellm = await self._load(self._environ)
                vectors = await litellm.vectors(self._model, texts, self._api_base, self._api_key)
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
        return vectors

    def _checked(self, vectors: list[list[float]], asked: int) -> list[Vector]:
        widths = {len(vector) for vector in vectors}
        if len(vectors) != asked or len(widths) != 1:
            raise EmbeddingError(
                f"embedding model {self._name!r} gave {len(vectors)} vectors of {sorted(widths)} numbers for "
                f"{asked} texts: is it an embedding model?"
            )
        [width] = widths
        if self._width not in (None, width):
            raise EmbeddingError(
                f"embedding model {self._name!r} gave vectors of {width} numbers, and {self._width} before: "
                "has the model behind this name changed? Start again, and documents are embedded anew"
            )
        self._width = width
        try:
            return [unit(vector) for vector in vectors]
        except ValueError as error:
            raise EmbeddingError(f"embedding model {self._name!r} gave {error}") from error

    def _pause_s(self, error: ModelError, tried: int) -> float:
        asked_s = error.retry_after_s if isinstance(error, ModelBusy) else None
        pause_s = asked_s if asked_s is not None else _PAUSE_S * 2**tried * (0.5 + self._jitter())
        return min(pause_s, _LONGEST_PAUSE_S)

    def _given_up(self, error: ModelError) -> EmbeddingError:
        cure = (
            "check ASSISTANT_EMBEDDING_MODEL and its key, or set it to 'offline'"
            if isinstance(error, ModelRefused)
            else "it is tried again later"
        )
        return EmbeddingError(f"embedding model {self._name!r}: {error}; {cure}")


@dataclass(frozen=True, slots=True, kw_only=True)
class HostedEmbeddingModel:
    """The model as litellm knows it; where it is and with which key, where litellm is not to look itself."""

    model: str
    api_base: str | None = None
    api_key: str | None = None


def hosted_embedding_model(
    meant: DirectName | LitellmName, environ: Mapping[str, str]
) -> HostedEmbeddingModel:
    """Where a provider's embedding model is asked.

    Raises:
        DeclarationError: the provider has none, or a key is missing.
    """
    match meant:
        case DirectName(provider="openai", model=model):
            place = place_of(meant, environ)
            # A server on this machine needs no key, but litellm insists on one.
            return HostedEmbeddingModel(
                model=f"openai/{model}", api_base=place.base_url, api_key=place.api_key or "none"
            )
        case DirectName(provider=provider, model=model):
            raise DeclarationError(
                f"ASSISTANT_EMBEDDING_MODEL={f'{provider}/{model}'!r}: {provider} has no embedding models that "
                "we can ask; use 'offline', or one such as 'openai/text-embedding-3-small'"
            )
        case LitellmName(model=model):
            check_key(meant, environ)
            return HostedEmbeddingModel(model=model)
        case _:
            assert_never(meant)


_FILE = "model_prices_and_context_window_backup.json"
_WIDTH = "output_vector_size"


def known_width(model: str, path: Path | None = None) -> int | None:
    """The width of a model's vectors; None where the list does not say, or is not there.

    Args:
        model: as litellm knows it, with or without its provider in front.
        path: the list; the installed one when left out.
    """
    try:
        listed = orjson.loads((path or installed_with_litellm(_FILE)).read_bytes())
    except (OSError, ValueError):
        return None
    for name in (model, model.partition("/")[2]):
        width = listed.get(name, {}).get(_WIDTH)
        if isinstance(width, int) and width > 0:
            return width
    return None


def unit(numbers: Sequence[float]) -> Vector:
    """A vector of length 1 in the same direction, as float32.

    >>> import struct
    >>> struct.unpack("<2f", unit([3, 4]))
    (0.6000000238418579, 0.800000011920929)

    Raises:
        ValueError: it has no direction: it is empty, all zero, or not of numbers.
    """
    import numpy as np

    vector = np.asarray(numbers, dtype=np.float64)
    length = float(np.linalg.norm(vector))
    if vector.ndim != 1 or not np.isfinite(length) or length == 0:
        raise ValueError(f"no vector: {vector.size} numbers of length {length:g}")
    return (vector / length).astype("<f4").tobytes()


_VARIABLE = "ASSISTANT_EMBEDDING_MODEL"


async def choose_embedder(name: str, *, clock: Clock, jitter: Jitter, environ: Mapping[str, str]) -> Embedder:
    """Make the embedding model of that name, and know how wide its vectors are.

    Nothing is sent and litellm is not imported, unless the width can only be had from the model itself.

    Args:
        name: "" or "offline" for the embedded one, else a provider's, such as "openai/text-embedding-3-small".
        clock: measures time-outs.
        jitter: makes pauses uneven.
        environ: where keys and addresses are looked up.

    Raises:
        DeclarationError: no such model, a setting for it is missing, or it had to be asked and did not answer.
    """
    meant = read_name(name)
    if isinstance(meant, EmbeddedName):
        from assistant.models.minilm import MiniLm

        return MiniLm()
    place = hosted_embedding_model(meant, environ)
    embedder = HostedEmbedder(
        name.strip(),
        model=place.model,
        width=known_width(place.model),
        clock=clock,
        jitter=jitter,
        environ=environ,
        api_base=place.api_base,
        api_key=place.api_key,
    )
    if not embedder.width:
        try:
            await embedder.embed(["How wide are your vectors?"])
        except EmbeddingError as error:
            raise DeclarationError(
                f"{_VARIABLE}={name.strip()!r}: nobody knows how wide its vectors are, so it was asked: {error}"
            ) from error
    return embedder
