"""A request to the chat completions of OpenAI, and of everything compatible with them."""

from collections.abc import Callable
from functools import partial

from assistant.conversation.views import TurnView
from assistant.formats.call_ids import CallIds, short_id
from assistant.formats.formatter import WireRequest
from assistant.formats.json_text import json_bytes
from assistant.formats.offers import Offers
from assistant.formats.openai.dialect import OPENAI, Dialect
from assistant.formats.openai.head import write_head
from assistant.formats.openai.join import join
from assistant.formats.openai.messages import write_turn
from assistant.formats.openai.tools import write_tools
from assistant.formats.plain import plain_messages
from assistant.formats.reader import Reader
from assistant.formats.turns import Turns
from assistant.ports import ModelRequest


class OpenAIFormatter:
    """Writes chat completion requests; remembers its work on finished turns and on lists of tools.

    What stays the same comes first, so that one request's bytes begin the next one's: providers remember them.

    Args:
        dialect: how the server wants its messages.
        write: writes one turn's messages; as the dialect has them when left out.
    """

    def __init__(
        self, dialect: Dialect = OPENAI, write: Callable[[TurnView, CallIds, Reader], bytes] | None = None
    ) -> None:
        self._dialect = dialect
        self._turns = Turns(write or partial(write_turn, dialect=dialect), short_id)
        self._offers = Offers(write_tools)

    def format(self, request: ModelRequest, model: str, provider: str = "") -> WireRequest:
        """Write the request, joined from finished pieces; see :class:`assistant.formats.formatter.Formatter`."""
        offer = self._offers.of(request.tools)
        head = json_bytes(write_head(request.options, model, tools=bool(offer.tools)))
        body = [head[:-1]]
        if offer.tools:
            body += [b',"tools":', offer.tools]
        body += [b',"messages":[', join(request.view, self._said(request, provider), self._dialect), b"]}"]
        return WireRequest(b"".join(body), offer.names, provider)

    def _said(self, request: ModelRequest, provider: str) -> list[bytes]:
        """Each turn's messages, joined by commas; empty where it has none."""
        reader = Reader(request.options.images, provider)
        if not request.options.formatted:
            return [json_bytes(plain_messages(request.view, reader))[1:-1]]
        return list(self._turns.of(request.view, reader))
