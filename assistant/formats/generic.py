"""A request in the one form that litellm takes for every provider: chat completions that none of them refuses."""

from dataclasses import replace
from functools import cache

from assistant.conversation.views import FromAssistant
from assistant.formats.openai import XAI, Dialect, OpenAIFormatter, dialect_of
from assistant.formats.options import with_thinking
from assistant.formats.registry import WireRequest
from assistant.formats.turns import Reader
from assistant.ports import ModelRequest

_CLAUDE = "claude"
_BEDROCK = "bedrock/"
_XAI = "xai/"


class GenericFormatter:
    """Writes requests as OpenAI's are, so that no provider behind litellm refuses what becomes of them.

    The customer speaks first and last. Claude gets its thinking back where it insists on it, and where calls stand
    although no tool is on offer, Claude and Amazon's models are told of those that were called.
    """

    def __init__(self) -> None:
        self._chat = OpenAIFormatter(generic_dialect)

    def format(self, request: ModelRequest, model: str, provider: str = "") -> WireRequest:
        """Write the request; see :class:`assistant.formats.registry.Formatter`."""
        reader = Reader(request.options.images, provider)
        if _is_claude(model):
            options, reader = with_thinking(request.options, request.view, reader, _thought)
            request = replace(request, options=options)
        return replace(self._chat.format_for(reader, request, model), provider=provider)


@cache
def generic_dialect(model: str) -> Dialect:
    """How litellm wants the messages for a model.

    >>> generic_dialect("xai/grok-4").silence
    ''
    >>> generic_dialect("gemini/gemini-3-pro").frames, generic_dialect("bedrock/amazon.nova-pro").former
    (True, True)
    """
    former = _is_claude(model) or model.startswith(_BEDROCK)
    # What servers insist on litellm adds itself, in the form that each of them has for it.
    spoken = XAI if model.startswith(_XAI) else dialect_of(model)
    return replace(spoken, frames=True, former=former, insists=None)


def _is_claude(model: str) -> bool:
    return _CLAUDE in model.lower()


def _thought(message: FromAssistant, reader: Reader) -> bool:
    return any(fields.get("thinking_blocks") for fields in reader.own(message.opaque))
