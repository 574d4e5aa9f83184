"""From the name in the settings to the embedding model itself."""

from collections.abc import Mapping

from assistant.errors import DeclarationError, EmbeddingError
from assistant.models.names import EmbeddedName, read_name
from assistant.ports import Clock, Embedder
from assistant.resilience import Jitter

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
        from assistant.models.embedding.minilm import MiniLm

        return MiniLm()
    # What only a hosted model needs is imported only for one.
    from assistant.models.embedding.hosted import HostedEmbedder, hosted_embedding_model, known_width

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
