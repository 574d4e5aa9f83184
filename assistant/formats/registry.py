"""The formatters, by name."""

from collections.abc import Callable

from assistant.errors import DeclarationError
from assistant.formats.formatter import Formatter


def register_formatter(name: str, formatter: Formatter) -> None:
    """Make a formatter known under a name; one of ours may be replaced.

    Ours are "openai", "anthropic", "grok" (also called "xai") and "generic", which is litellm's. One that is
    registered is asked from the next model on that is made; a model keeps the formatter that it began with.

    It has one method (see :class:`assistant.formats.formatter.Formatter`), and gives the bytes of the request's
    body. What it is given is valid by construction: each message with calls is followed by one with an outcome for
    each of them, in the same order. Help is at hand: ``wire_name`` for the names of tools, ``ids_by_place``
    for those of calls, ``result_text`` for outcomes, ``text_with_captions`` for what came beside them. One that
    builds on ours may also call it and change its bytes.
    """
    _registered[_OTHERWISE.get(name, name)] = formatter


def formatter(name: str) -> Formatter:
    """The formatter of that name, always the same one. Raises ``DeclarationError`` naming the known ones."""
    own_name = _OTHERWISE.get(name, name)
    known = _registered.get(own_name)
    if known is not None:
        return known
    make = _BUILT_IN.get(own_name)
    if make is None:
        names = ", ".join(sorted({*_BUILT_IN, *_OTHERWISE, *_registered}))
        raise DeclarationError(f"no formatter is named {name!r}; use one of: {names}")
    return _registered.setdefault(own_name, make())


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


def _generic() -> Formatter:
    from assistant.formats.generic.formatter import GenericFormatter

    return GenericFormatter()


_BUILT_IN: dict[str, Callable[[], Formatter]] = {
    "anthropic": _anthropic,
    "generic": _generic,
    "grok": _grok,
    "openai": _openai,
}
_OTHERWISE = {"xai": "grok"}
_registered: dict[str, Formatter] = {}
