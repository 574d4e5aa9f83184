"""The text formats, by the name that stands in a setting."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from assistant.errors import DeclarationError
from assistant.sections.markdown import MarkdownFormat
from assistant.sections.text_format import TextFormat
from assistant.sections.xml import XmlFormat

_MAKES: Final[Mapping[str, Callable[[], TextFormat]]] = MappingProxyType(
    {"markdown": MarkdownFormat, "xml": XmlFormat}
)


def text_format(name: str) -> TextFormat:
    """A new format of that name, with nothing registered. Raises ``DeclarationError`` naming the known ones."""
    make = _MAKES.get(name)
    if make is None:
        raise DeclarationError(f"no text format is named {name!r}; use one of: {', '.join(_MAKES)}")
    return make()
