"""How a document looks to whoever handed it in."""

from assistant.conversation.documents import EVERYBODY
from assistant.memory.library import Shelved
from assistant.server.wire import Wire


def shown(document: Shelved) -> Wire:
    """All that is known of a document but its text.

    ``state``: ``waiting``, it is being prepared for searching, and ``done`` of its ``passages`` are; ``kept``;
    ``failed``, and ``problem`` says why.
    """
    return {
        "ref": document.ref,
        "kind": document.kind,
        "customer": None if document.customer == EVERYBODY else document.customer,
        "title": document.title,
        "mime": document.mime,
        "characters": document.characters,
        "passages": document.passages,
        "done": document.done,
        "state": document.state,
        "problem": document.problem or None,
        "kept_at": document.kept_ms,
        "expires_at": document.expires_ms,
    }
