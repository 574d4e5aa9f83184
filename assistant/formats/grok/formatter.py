"""A request to xAI's chat completions."""

from assistant.formats.formatter import WireRequest
from assistant.formats.grok.text_form import write_turn_as_text
from assistant.formats.openai.dialect import XAI
from assistant.formats.openai.formatter import OpenAIFormatter
from assistant.ports import ModelRequest


class GrokFormatter:
    """Writes requests as OpenAI's are, except that a message which only calls tools has an empty content.

    Args:
        calls_as_text: earlier calls and results stand in the conversation as text ("Please call ..."), for
            servers that do not take them otherwise. New calls come and go as ever.
    """

    def __init__(self, *, calls_as_text: bool = False) -> None:
        self._chat = OpenAIFormatter(lambda _: XAI, write_turn_as_text if calls_as_text else None)

    def format(self, request: ModelRequest, model: str, provider: str = "") -> WireRequest:
        """Write the request, joined from finished pieces; see :class:`assistant.formats.formatter.Formatter`."""
        return self._chat.format(request, model, provider)
