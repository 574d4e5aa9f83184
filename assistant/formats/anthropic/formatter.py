"""A request to Anthropic's messages."""

from collections.abc import Iterator

from assistant.conversation.values import Json
from assistant.conversation.views import FromCustomer, TurnView, View
from assistant.formats.anthropic.join import join, kept
from assistant.formats.anthropic.messages import Piece, thinking_of, write_turn
from assistant.formats.anthropic.tools import TO_HERE, write_former, write_tools
from assistant.formats.blank import is_blank
from assistant.formats.call_ids import PLAIN
from assistant.formats.extra import with_extra
from assistant.formats.formatter import WireRequest
from assistant.formats.json_text import json_bytes
from assistant.formats.offers import Offer, Offers
from assistant.formats.plain import plain_messages
from assistant.formats.reader import Reader
from assistant.formats.thinking import with_thinking
from assistant.formats.turns import Turns
from assistant.ports import ModelOptions, ModelRequest


class AnthropicFormatter:
    """Writes requests for messages; remembers its work on finished turns and on lists of tools.

    What stays the same comes first, and is marked so that the provider keeps it: the tools, and instructions,
    unless they are a narrator's that has all of them there and so never the same. Where something stands late, all
    that was said before it is marked, too.
    """

    def __init__(self) -> None:
        self._turns: Turns[Piece] = Turns(write_turn, PLAIN)
        self._offers = Offers(write_tools)

    def format(self, request: ModelRequest, model: str, provider: str = "") -> WireRequest:
        """Write the request, joined from finished pieces; see :class:`assistant.formats.formatter.Formatter`."""
        offer = self._offers.of(request.tools)
        reader = Reader(request.options.images, provider)
        options, reader = with_thinking(request.options, request.view, reader, thinking_of)
        said = self._said(request.view, reader, formatted=options.formatted)
        body = [json_bytes(_head(options, model))[:-1], *_tools(offer, said, options)]
        if system := _system(request):
            body += [b',"system":', json_bytes(system)]
        body += [b',"messages":[', said.text, b"]}"]
        return WireRequest(b"".join(body), offer.names, provider)

    def _said(self, view: View, reader: Reader, *, formatted: bool) -> Piece:
        """All messages as one piece."""
        if not formatted:
            plain = json_bytes(plain_messages(view, reader))[1:-1]
            return Piece(plain, "user", "user", frozenset())
        turns = list(self._turns.of(view, reader))
        late = list(_late(view))
        return join([*kept(turns), *late] if late else turns)


def _head(options: ModelOptions, model: str) -> dict[str, Json]:
    head: dict[str, Json] = {"model": model, "stream": True, "max_tokens": options.max_tokens}
    if options.temperature is not None:
        head["temperature"] = options.temperature
    return with_extra(head, options.extra) if options.extra else head


def _late(view: View) -> Iterator[Piece]:
    """What stands last of all: a block of the user's, for instructions of their own stand before everything."""
    if not is_blank(view.late):
        yield write_turn(TurnView((FromCustomer(view.late),)), {}, Reader())


def _tools(offer: Offer, said: Piece, options: ModelOptions) -> list[bytes]:
    """The tools on offer, or those that were called when none is; and how to choose, where not all is allowed."""
    choice: Json = None if options.parallel_calls else {"type": "auto", "disable_parallel_tool_use": True}
    tools = offer.tools
    if not tools and said.tools:
        tools, choice = write_former(said.tools), {"type": "none"}
    fields = [(b',"tools":', tools), (b',"tool_choice":', json_bytes(choice) if choice else b"")]
    return [part for name, value in fields if tools and value for part in (name, value)]


def _system(request: ModelRequest) -> Json:
    view = request.view
    text = view.system if request.options.formatted else view.instructions
    if is_blank(text):
        return None
    block: dict[str, Json] = {"type": "text", "text": text}
    if request.role == "decider" or not is_blank(view.late):
        block["cache_control"] = TO_HERE
    return [block]
