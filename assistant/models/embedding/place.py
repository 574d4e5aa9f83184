"""Where an embedding model is asked, by its name."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import assert_never

from assistant.errors import DeclarationError
from assistant.models.direct import place_of
from assistant.models.names import DirectName, LitellmName


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingPlace:
    """The model as litellm knows it; where it is and with which key, where litellm is not to look itself."""

    model: str
    api_base: str | None = None
    api_key: str | None = None


def embedding_place(meant: DirectName | LitellmName, environ: Mapping[str, str]) -> EmbeddingPlace:
    """Where a provider's embedding model is asked.

    Raises:
        DeclarationError: the provider has none, or a key is missing.
    """
    match meant:
        case DirectName(provider="openai", model=model):
            place = place_of(meant, environ)
            # A server on this machine needs no key, but litellm insists on one.
            return EmbeddingPlace(
                model=f"openai/{model}", api_base=place.base_url, api_key=place.api_key or "none"
            )
        case DirectName(provider=provider, model=model):
            raise DeclarationError(
                f"ASSISTANT_EMBEDDING_MODEL={f'{provider}/{model}'!r}: {provider} has no embedding models that "
                "we can ask; use 'offline', or one such as 'openai/text-embedding-3-small'"
            )
        case LitellmName(model=model):
            from assistant.models.litellm.keys import check_key

            check_key(meant, environ)
            return EmbeddingPlace(model=model)
        case _:
            assert_never(meant)
