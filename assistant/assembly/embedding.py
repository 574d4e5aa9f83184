"""Chooses the embedding model, by the setting."""

from assistant.ids import SystemIds
from assistant.models.embedding.choose import choose_embedder
from assistant.ports import Clock, Embedder
from assistant.resilience import jitter_from
from assistant.settings import Settings, environment


async def embedder_of(settings: Settings, clock: Clock) -> Embedder:
    """The embedding model that the setting names. Raises ``DeclarationError``, with the cure."""
    return await choose_embedder(
        settings.embedding_model, clock=clock, jitter=jitter_from(SystemIds()), environ=environment()
    )
