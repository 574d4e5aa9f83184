"""Meanwhile: a customer-service assistant that says what it is looking up while it looks it up."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assistant.conversation.customer import Customer
    from assistant.conversation.media import Media
    from assistant.errors import CredentialError, ToolError
    from assistant.language.sanitize import quoted
    from assistant.tools.decorator import tool
    from assistant.tools.media import LeftOut, transforms_media
    from assistant.tools.tool import ToolContext, ToolResult

__all__ = [
    "CredentialError",
    "Customer",
    "LeftOut",
    "Media",
    "ToolContext",
    "ToolError",
    "ToolResult",
    "quoted",
    "tool",
    "transforms_media",
]

_HOMES = {
    "CredentialError": "assistant.errors",
    "Customer": "assistant.conversation.customer",
    "LeftOut": "assistant.tools.media",
    "Media": "assistant.conversation.media",
    "ToolContext": "assistant.tools.tool",
    "ToolError": "assistant.errors",
    "ToolResult": "assistant.tools.tool",
    "quoted": "assistant.language.sanitize",
    "tool": "assistant.tools.decorator",
    "transforms_media": "assistant.tools.media",
}


def __getattr__(name: str) -> object:
    """Returns a name that a CRM team imports. Its module is imported only then, so that importing the package
    itself is fast.
    """
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
