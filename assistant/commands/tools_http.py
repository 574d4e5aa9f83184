"""What ``assistant tools`` says of tools that are HTTP requests: which wait for review, and what is not set."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assistant.tooling.registry import Tools


def drafts_of(tools: "Tools") -> frozenset[str]:
    """The names of those that nobody has reviewed."""
    from assistant.tooling.http.review import drafts

    return frozenset(drafts(tools))


def to_be_done(tools: "Tools") -> Iterator[str]:
    """A line for each thing that keeps an HTTP tool from being offered, or from working."""
    from assistant.tooling.http.review import drafts, unset_secrets

    unreviewed = drafts(tools)
    if unreviewed:
        yield f"not offered before they are reviewed and 'draft = true' is taken out: {', '.join(unreviewed)}"
    for name, service in unset_secrets(tools):
        yield f"{name} is not set, and {service} needs it; put it into the environment or into .env"
