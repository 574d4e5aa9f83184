"""The formatters by name, and their protocol. They turn a neutral request into a provider's request."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from assistant.errors import DeclarationError
from assistant.ports import ModelRequest


@dataclass(frozen=True, slots=True)
class WireRequest:
    """A request as it is sent.

    ``body`` is the JSON text. ``names`` maps a tool's name in the request to its own name, if the provider
    would refuse that one. ``provider`` is the name under which opaque fields of its reply are stored.
    """

    body: bytes
    names: Mapping[str, str]
    provider: str = ""

    def own_name(self, wire_name: str) -> str:
        """Returns the tool that a model means by a name.

        >>> WireRequest(b"", {"crm_find": "crm.find"}).own_name("crm_find")
        'crm.find'
        """
        return self.names.get(wire_name, wire_name)


class Formatter(Protocol):
    """Writes requests for one kind of provider."""

    def format(self, request: ModelRequest, model: str, provider: str = "") -> WireRequest:
        """Write the request. The same request gives the same bytes.

        Args:
            request: the neutral request.
            model: the provider's own name for the model.
            provider: the name under which opaque fields are stored. It means one model at one address, such
                as "gpt-6-luna@api.openai.com", because a model refuses reasoning that another one signed.
                Fields that are stored under another name are left out; "" leaves out all.

        Raises:
            DeclarationError: two offered tools would have the same name (see ``check_names``), or an operator
                may not set one of the extra fields (see ``check_extra``).
        """
        ...


def register_formatter(name: str, formatter: Formatter) -> None:
    """Register a formatter under a name; it may replace one of ours.

    Ours are "openai", "openai-responses", "anthropic", "grok" (also called "xai") and "generic", for litellm.
    A formatter serves the models that are made after it was registered; a model keeps its formatter.

    It has one method (see :class:`assistant.formats.registry.Formatter`), which returns the bytes of the
    request's body. Its input is always valid: each message with calls is followed by one with an outcome for
    each call, in the same order. These functions help: ``wire_name`` for the names of tools, ``ids_by_place``
    for those of calls, ``result_text`` for outcomes, ``text_with_captions`` for media. A formatter may also
    call ours and change the bytes.
    """
    _registered[_OTHERWISE.get(name, name)] = formatter


def formatter(name: str) -> Formatter:
    """Returns the formatter of that name, always the same one.

    Raises ``DeclarationError`` naming the known ones.
    """
    own_name = _OTHERWISE.get(name, name)
    known = _registered.get(own_name)
    if known is not None:
        return known
    made = _built_in(own_name)
    if made is None:
        names = ", ".join(sorted({*_BUILT_IN, *_OTHERWISE, *_registered}))
        raise DeclarationError(f"no formatter is named {name!r}; use one of: {names}")
    return _registered.setdefault(own_name, made)


def _built_in(name: str) -> Formatter | None:
    # A formatter that is not used is not imported.
    match name:
        case "anthropic":
            from assistant.formats.anthropic import AnthropicFormatter

            return AnthropicFormatter()
        case "generic":
            from assistant.formats.openai_variants import GenericFormatter

            return GenericFormatter()
        case "grok":
            from assistant.formats.openai_variants import GrokFormatter

            return GrokFormatter()
        case "openai":
            from assistant.formats.openai import OpenAIFormatter

            return OpenAIFormatter()
        case "openai-responses":
            from assistant.formats.openai_responses import ResponsesFormatter

            return ResponsesFormatter()
        case _:
            return None


_BUILT_IN = ("anthropic", "generic", "grok", "openai", "openai-responses")
_OTHERWISE = {"xai": "grok"}
_registered: dict[str, Formatter] = {}
