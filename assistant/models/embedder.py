"""Chooses the embedding model by its name in the settings; a provider's is used through litellm."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

import orjson

from assistant.conversation.documents import Vector
from assistant.errors import DeclarationError, EmbeddingError, ModelError
from assistant.models.hosted_requests import HostedRequests, Patience, hosted_model
from assistant.models.litellm_library import Library
from assistant.models.price_list import installed_with_litellm
from assistant.models.providers import EmbeddedName, read_name
from assistant.ports import Clock, Embedder
from assistant.resilience import Jitter

PATIENCE = Patience(try_s=20.0, tries=3, pause_s=1.0, longest_pause_s=5.0)
"""The limits for a search, while a customer waits. Indexing documents is tried again later in any case."""

_AT_ONCE = 64
"""The number of texts in one request; providers accept at least 96."""


class MiniLm:
    """The embedded model, which runs in threads of this process. It needs no network and no key.

    The first call loads the weights, which takes about half a second. It reads only the first 700 to 1,000
    characters of each text.
    """

    @property
    def name(self) -> str:
        """The name in the settings."""
        return "offline"

    @property
    def width(self) -> int:
        """The length of a vector."""
        return 384

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Returns one vector for each text, in order.

        Raises ``EmbeddingError`` if the model cannot be loaded.
        """
        if not texts:
            return []
        try:
            return await asyncio.to_thread(_embedded, texts)
        except Exception as error:
            # Any exception of the model's code becomes an EmbeddingError, for example for a missing file or
            # too little memory.
            raise EmbeddingError(
                f"the embedded model 'offline' gave no vectors: {type(error).__name__}: {error}; "
                "is the installation complete, and memory free?"
            ) from error


def _embedded(texts: Sequence[str]) -> list[Vector]:
    # Imported here, because the model and its libraries take 200 MB, and many processes never search.
    from assistant.models.minilm import embed_passages

    return [row.astype("<f4").tobytes() for row in embed_passages(texts)]


class HostedEmbedder:
    """An embedding model of any provider that litellm supports. litellm is imported for the first text.

    Args:
        requests: sends the requests.
        width: the length of its vectors; None: the first answer shows it.
    """

    def __init__(self, requests: HostedRequests, width: int | None) -> None:
        self._requests, self._width = requests, width

    @property
    def name(self) -> str:
        """The name in the settings."""
        return self._requests.place.name

    @property
    def width(self) -> int:
        """The length of a vector; 0 until it is known."""
        return self._width or 0

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Returns one vector for each text, in order. Raises ``EmbeddingError``."""
        vectors: list[Vector] = []
        for start in range(0, len(texts), _AT_ONCE):
            some = texts[start : start + _AT_ONCE]
            vectors += self._checked(await self._asked(some), len(some))
        return vectors

    async def _asked(self, texts: Sequence[str]) -> list[list[float]]:
        place = self._requests.place

        async def ask(litellm: Library) -> list[list[float]]:
            return await litellm.vectors(place.model, texts, place.api_base, place.api_key)

        try:
            return await self._requests.ask(ask)
        except ModelError as error:
            raise EmbeddingError(str(error)) from error

    def _checked(self, vectors: list[list[float]], asked: int) -> list[Vector]:
        widths = {len(vector) for vector in vectors}
        if len(vectors) != asked or len(widths) != 1:
            raise EmbeddingError(
                f"embedding model {self.name!r} gave {len(vectors)} vectors of {sorted(widths)} numbers for "
                f"{asked} texts: is it an embedding model?"
            )
        [width] = widths
        if self._width not in (None, width):
            raise EmbeddingError(
                f"embedding model {self.name!r} gave vectors of {width} numbers, and {self._width} before: "
                "has the model behind this name changed? Start again, and documents are embedded anew"
            )
        self._width = width
        try:
            return [unit(vector) for vector in vectors]
        except ValueError as error:
            raise EmbeddingError(f"embedding model {self.name!r} gave {error}") from error


_FILE = "model_prices_and_context_window_backup.json"
_WIDTH = "output_vector_size"


def known_width(model: str, path: Path | None = None) -> int | None:
    """Returns the length of a model's vectors, or None if litellm's list does not contain it, or does not
    exist.

    Args:
        model: litellm's name of the model, with or without the provider.
        path: the list; the installed one by default.
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
    """Returns a vector of length 1 in the same direction, as float32.

    >>> import struct
    >>> struct.unpack("<2f", unit([3, 4]))
    (0.6000000238418579, 0.800000011920929)

    Raises:
        ValueError: the vector has no direction: it is empty, all zero, or contains something other than
            numbers.
    """
    import numpy as np

    vector = np.asarray(numbers, dtype=np.float64)
    length = float(np.linalg.norm(vector))
    if vector.ndim != 1 or not np.isfinite(length) or length == 0:
        raise ValueError(f"no vector: {vector.size} numbers of length {length:g}")
    return (vector / length).astype("<f4").tobytes()


_VARIABLE = "ASSISTANT_EMBEDDING_MODEL"


async def choose_embedder(name: str, *, clock: Clock, jitter: Jitter, environ: Mapping[str, str]) -> Embedder:
    """Make the embedding model with that name, and determine the length of its vectors.

    Nothing is sent and litellm is not imported, unless the length can only be learned from the model itself.

    Args:
        name: "" or "offline" for the embedded model, else a provider's, such as
            "openai/text-embedding-3-small".
        clock: measures time-outs.
        jitter: randomises pauses.
        environ: the variables with keys and addresses.

    Raises:
        DeclarationError: the model does not exist, a setting for it is missing, or it had to be asked and did
            not answer.
    """
    meant = read_name(name)
    if isinstance(meant, EmbeddedName):
        return MiniLm()
    place = hosted_model(
        name.strip(), meant, environ, variable=_VARIABLE, such_as="openai/text-embedding-3-small"
    )
    requests = HostedRequests(place, PATIENCE, clock=clock, jitter=jitter, environ=environ)
    embedder = HostedEmbedder(requests, known_width(place.model))
    if not embedder.width:
        try:
            await embedder.embed(["How wide are your vectors?"])
        except EmbeddingError as error:
            raise DeclarationError(
                f"{_VARIABLE}={name.strip()!r}: the width of its vectors is not known, so it was asked: {error}"
            ) from error
    return embedder
