"""The formatters, by name."""

from assistant.errors import DeclarationError
from assistant.formats.formatter import Formatter

_BUILT_IN = ("openai",)
_registered: dict[str, Formatter] = {}


def register_formatter(name: str, formatter: Formatter) -> None:
    """Make a formatter known under a name; one of ours may be replaced."""
    _registered[name] = formatter


def formatter(name: str) -> Formatter:
    """The formatter of that name, always the same one. Raises ``DeclarationError`` naming the known ones."""
    known = _registered.get(name)
    if known is not None:
        return known
    if name not in _BUILT_IN:
        names = ", ".join(sorted({*_BUILT_IN, *_registered}))
        raise DeclarationError(f"no formatter is named {name!r}; use one of: {names}")
    # Made at first use: what nobody asks for is not imported.
    from assistant.formats.openai.formatter import OpenAIFormatter

    return _registered.setdefault(name, OpenAIFormatter())
