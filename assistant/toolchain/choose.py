"""The tool chains, by the name that stands in a setting."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from assistant.errors import DeclarationError
from assistant.sections.text_format import TextFormat
from assistant.toolchain.json_chain import JsonToolChain
from assistant.toolchain.tool_chain import ToolChain
from assistant.toolchain.yaml_chain import YamlToolChain

_MAKES: Final[Mapping[str, Callable[[TextFormat], ToolChain]]] = MappingProxyType(
    {"json": JsonToolChain, "yaml": YamlToolChain}
)


def tool_chain(name: str, text_format: TextFormat) -> ToolChain:
    """A new tool chain of that name. Raises ``DeclarationError`` naming the known ones."""
    make = _MAKES.get(name)
    if make is None:
        raise DeclarationError(f"no tool chain is named {name!r}; use one of: {', '.join(_MAKES)}")
    return make(text_format)
