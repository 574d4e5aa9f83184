"""A request to the chat completions of OpenAI, and of everything compatible with them."""

from assistant.conversation.values import Json
from assistant.conversation.views import View
from assistant.formats.formatter import WireRequest
from assistant.formats.json_text import json_bytes
from assistant.formats.openai.finished import Finished
from assistant.formats.openai.tools import Offer, Offers
from assistant.formats.openai.turn import FormattedTurn
from assistant.ports import ModelOptions, ModelRequest


class OpenAIFormatter:
    """Writes chat completion requests; remembers its work on finished turns and on lists of tools."""

    def __init__(self) -> None:
        self._finished = Finished()
        self._offers = Offers()

    def format(self, request: ModelRequest, model: str) -> WireRequest:
        """Write the request, joined from finished pieces: a long history costs next to nothing."""
        offer = self._offers.of(request.tools)
        head = json_bytes(_head(request.options, model, offer))
        body = [head[:-1], b',"messages":[', b",".join(self._messages(request.view)), b"]"]
        if offer.tools:
            body += [b',"tools":', offer.tools]
        body.append(b"}")
        return WireRequest(b"".join(body), offer.names)

    def _messages(self, view: View) -> list[bytes]:
        """Comma-joined messages: the instructions, then one piece for each turn."""
        pieces = [json_bytes({"role": "system", "content": view.system})] if view.system else []
        taken: set[str] = set()
        current = len(view.turns) - 1
        for place, turn in enumerate(view.turns):
            formatted = self._finished.get(turn)
            if formatted is None:
                formatted = FormattedTurn(turn)
                if place != current:  # The current turn still grows: next time it is another object.
                    self._finished.keep(turn, formatted)
            piece = formatted.piece(turn, place, taken)
            if piece:
                pieces.append(piece)
        return pieces


def _head(options: ModelOptions, model: str, offer: Offer) -> dict[str, Json]:
    head: dict[str, Json] = {
        "model": model,
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_tokens": options.max_tokens,
    }
    if options.temperature is not None:
        head["temperature"] = options.temperature
    if offer.tools and not options.parallel_calls:
        head["parallel_tool_calls"] = False
    return head
