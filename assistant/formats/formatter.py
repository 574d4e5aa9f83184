"""What a formatter is: a neutral request in, a provider's own request out."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from assistant.ports import ModelRequest


@dataclass(frozen=True, slots=True)
class WireRequest:
    """A request as it goes over the wire.

    ``body`` is the JSON text. ``names`` maps a tool's name on the wire to its own name, for those tools
    whose own name the provider would refuse.
    """

    body: bytes
    names: Mapping[str, str]

    def own_name(self, wire_name: str) -> str:
        """The tool that a model means by a name.

        >>> WireRequest(b"", {"crm_find": "crm.find"}).own_name("crm_find")
        'crm.find'
        """
        return self.names.get(wire_name, wire_name)


class Formatter(Protocol):
    """Writes requests for one kind of provider."""

    def format(self, request: ModelRequest, model: str) -> WireRequest:
        """Write the request for ``model``, the provider's own name for it. The same request, the same bytes.

        Raises ``DeclarationError`` when two tools on offer would have one name (see ``check_names``).
        """
        ...
