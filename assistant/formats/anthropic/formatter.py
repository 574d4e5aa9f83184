"""A request to Anthropic's messages."""

from assistant.conversation.values import Json
from assistant.formats.anthropic.join import join
from assistant.formats.anthropic.messages import Piece, write_turn
from assistant.formats.anthropic.tools import TO_HERE, write_former, write_tools
from assistant.formats.blank import is_blank
from assistant.formats.call_ids import plain_id
from assistant.formats.formatter import WireRequest
from assistant.formats.json_text import json_bytes
from assistant.formats.offers import Offers
from assistant.formats.plain import plain_messages
from assistant.formats.reader import Reader
from assistant.formats.turns import Turns
from assistant.ports import ModelOptions, ModelRequest


class AnthropicFormatter:
    """Writes requests for messages; remembers its work on finished turns and on lists of tools.

    What stays the same comes first, and is marked so that the provider keeps it: the tools, and the decider's
    instructions. The narrator's are new in every turn.
    """

    def __init__(self) -> None:
        self._turns: Turns[Piece] = Turns(write_turn, plain_id)
        self._offers = Offers(write_tools)

    def format(self, request: ModelRequest, model: str) -> WireRequest:
        """Write the request, joined from finished pieces."""
        offer = self._offers.of(request.tools)
        options = request.options
        reader = Reader(images=options.images)
        if options.formatted:
            pieces = list(self._turns.of(request.view, reader))
            messages = join(pieces)
        else:
            pieces, messages = [], json_bytes(plain_messages(request.view, reader))[1:-1]
        tools, choice = offer.tools, _choice(options)
        if not tools and (former := frozenset[str]().union(*(piece.tools for piece in pieces))):
            tools, choice = write_former(former), {"type": "none"}
        body = [json_bytes(_head(options, model))[:-1]]
        if tools:
            body += [b',"tools":', tools]
            if choice:
                body += [b',"tool_choice":', json_bytes(choice)]
        if system := _system(request):
            body += [b',"system":', json_bytes(system)]
        body += [b',"messages":[', messages, b"]}"]
        return WireRequest(b"".join(body), offer.names)


def _head(options: ModelOptions, model: str) -> dict[str, Json]:
    head: dict[str, Json] = {"model": model, "stream": True, "max_tokens": options.max_tokens}
    if options.temperature is not None:
        head["temperature"] = options.temperature
    return head


def _choice(options: ModelOptions) -> Json:
    return None if options.parallel_calls else {"type": "auto", "disable_parallel_tool_use": True}


def _system(request: ModelRequest) -> Json:
    text = request.view.system
    if is_blank(text):
        return None
    block: dict[str, Json] = {"type": "text", "text": text}
    if request.role == "decider":
        block["cache_control"] = TO_HERE
    return [block]
