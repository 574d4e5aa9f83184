"""Tool names that every provider takes."""

import re
from collections.abc import Iterable

from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.views import FromAssistant, View
from assistant.errors import DeclarationError

_LONGEST = 64
_FORBIDDEN = re.compile(r"[^a-zA-Z0-9_-]")


def wire_name(name: str) -> str:
    """A tool's name with nothing in it but what providers allow: letters, digits, "_" and "-", at most 64.

    >>> wire_name("crm.find customer")
    'crm_find_customer'
    """
    return _FORBIDDEN.sub("_", name)[:_LONGEST]


def called(view: View) -> frozenset[str]:
    """The names, on the wire, of all tools whose calls stand in a view."""
    said = (message for message in view.messages if isinstance(message, FromAssistant))
    return frozenset(wire_name(call.tool) for message in said for call in message.calls)


def check_names(specs: Iterable[ToolSpec]) -> None:
    """Refuse tools that a provider could not tell apart. Raises ``DeclarationError``."""
    seen: dict[str, ToolSpec] = {}
    for spec in specs:
        other = seen.setdefault(wire_name(spec.name), spec)
        if other is not spec:
            raise DeclarationError(
                f"{_place(spec)}tool {spec.name!r}: to a model it has the same name as {other.name!r}"
                f"{f' ({other.where})' if other.where else ''}, {wire_name(spec.name)!r}; rename one of them"
            )


def _place(spec: ToolSpec) -> str:
    return f"{spec.where}: " if spec.where else ""
