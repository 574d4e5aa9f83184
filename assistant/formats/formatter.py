"""What a formatter is: a neutral request in, a provider's own request out."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from assistant.ports import ModelRequest


@dataclass(frozen=True, slots=True)
class WireRequest:
    """A request as it goes over the wire.

    ``body`` is the JSON text. ``names`` maps a tool's name on the wire to its own name, for those tools
    whose own name the provider would refuse. ``provider`` is the name under which opaque fields of its reply
    are kept.
    """

    body: bytes
    names: Mapping[str, str]
    provider: str = ""

    def own_name(self, wire_name: str) -> str:
        """The tool that a model means by a name.

        >>> WireRequest(b"", {"crm_find": "crm.find"}).own_name("crm_find")
        'crm.find'
        """
        return self.names.get(wire_name, wire_name)


class Formatter(Protocol):
    """Writes requests for one kind of provider."""

    def format(self, request: ModelRequest, model: str, provider: str = "") -> WireRequest:
        """Write the request. The same request gives the same bytes.

        Args:
            request: what is asked, in words that are no provider's.
            model: the provider's own name for the model.
            provider: the name under which opaque fields are kept: of this very model at this very address, such
                as "gpt-5@api.openai.com". Reasoning is signed, and who did not write it refuses it; what is
                kept under another name is left out, and "" leaves out all.

        Raises:
            DeclarationError: two tools on offer would have one name (see ``check_names``), or an extra field is
                not the operator's to set (see ``check_extra``).
        """
        ...
