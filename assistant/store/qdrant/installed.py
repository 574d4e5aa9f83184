"""Whether the package that talks to Qdrant is there. Looks without importing: it is large."""

from importlib.util import find_spec

from assistant.errors import DeclarationError


def check_installed(package: str = "qdrant_client") -> None:
    """Before anything else of this room is imported. Raises ``DeclarationError`` with the cure."""
    if find_spec(package) is None:
        raise DeclarationError(
            "ASSISTANT_DOCUMENTS names a Qdrant server, which needs one more package:"
            " pip install 'meanwhile-assistant[qdrant]'"
        )
