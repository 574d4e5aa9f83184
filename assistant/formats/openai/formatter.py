"""A request to the chat completions of OpenAI, and of everything compatible with them."""

from collections.abc import Callable

from assistant.conversation.values import Json
from assistant.conversation.views import TurnView
from assistant.formats.blank import is_blank
from assistant.formats.call_ids import CallIds, short_id
from assistant.formats.formatter import WireRequest
from assistant.formats.json_text import json_bytes
from assistant.formats.offers import Offers
from assistant.formats.openai.head import write_head
from assistant.formats.openai.messages import write_turn
from assistant.formats.openai.tools import write_tools
from assistant.formats.plain import plain_messages
from assistant.formats.reader import Reader
from assistant.formats.turns import Turns
from assistant.ports import ModelRequest


class OpenAIFormatter:
    """Writes chat completion requests; remembers its work on finished turns and on lists of tools.

    Args:
        write: writes one turn's messages.
    """

    def __init__(self, write: Callable[[TurnView, CallIds, Reader], bytes] = write_turn) -> None:
        self._turns = Turns(write, short_id)
        self._offers = Offers(write_tools)

    def format(self, request: ModelRequest, model: str) -> WireRequest:
        """Write the request, joined from finished pieces."""
        offer = self._offers.of(request.tools)
        head = json_bytes(write_head(request.options, model, tools=bool(offer.tools)))
        messages = self._messages(request)
        body = [head[:-1], b',"messages":[', b",".join(filter(None, messages)), b"]"]
        if offer.tools:
            body += [b',"tools":', offer.tools]
        body.append(b"}")
        return WireRequest(b"".join(body), offer.names)

    def _messages(self, request: ModelRequest) -> list[bytes]:
        """Messages joined by commas: the instructions, then the turns."""
        view, options = request.view, request.options
        system: Json = {"role": "system", "content": view.system}
        first = [] if is_blank(view.system) else [json_bytes(system)]
        reader = Reader(images=options.images)
        if not options.formatted:
            return [*first, json_bytes(plain_messages(view, reader))[1:-1]]
        return [*first, *self._turns.of(view, reader)]
