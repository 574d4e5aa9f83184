"""The formatters, by name."""

from collections.abc import Callable

from assistant.errors import DeclarationError
from assistant.formats.formatter import Formatter


def register_formatter(name: str, formatter: Formatter) -> None:
    """Make a formatter known under a name; one of ours may be replaced."""
    _registered[name] = formatter


def formatter(name: str) -> Formatter:
    """The formatter of that name, always the same one. Raises ``DeclarationError`` naming the known ones."""
    known = _registered.get(name)
    if known is not None:
        return known
    make = _BUILT_IN.get(name)
    if make is None:
        names = ", ".join(sorted({*_BUILT_IN, *_registered}))
        raise DeclarationError(f"no formatter is named {name!r}; use one of: {names}")
    return _registered.setdefault(name, make())


# Made at first use: what nobody asks for is not imported.


def _openai() -> Formatter:
    from assistant.formats.openai.formatter import OpenAIFormatter

    return OpenAIFormatter()


def _anthropic() -> Formatter:
    from assistant.formats.anthropic.formatter import AnthropicFormatter

    return AnthropicFormatter()


def _grok() -> Formatter:
    from assistant.formats.grok.formatter import GrokFormatter

    return GrokFormatter()


_BUILT_IN: dict[str, Callable[[], Formatter]] = {
    "anthropic": _anthropic,
    "grok": _grok,
    "openai": _openai,
    "xai": lambda: formatter("grok"),
}
_registered: dict[str, Formatter] = {}
