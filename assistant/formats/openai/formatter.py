"""A request to the chat completions of OpenAI, and of everything compatible with them."""

from collections.abc import Callable, Iterable
from functools import partial

from assistant.conversation.views import TurnView
from assistant.formats.call_ids import CallIds
from assistant.formats.formatter import WireRequest
from assistant.formats.json_text import json_bytes
from assistant.formats.names import called
from assistant.formats.offers import Offers
from assistant.formats.openai.dialect import Dialect, dialect_of
from assistant.formats.openai.head import write_head
from assistant.formats.openai.join import join
from assistant.formats.openai.messages import write_turn
from assistant.formats.openai.tools import write_former, write_tools
from assistant.formats.plain import plain_messages
from assistant.formats.reader import Reader
from assistant.formats.turns import Turns
from assistant.ports import ModelRequest


class OpenAIFormatter:
    """Writes chat completion requests; remembers its work on finished turns and on lists of tools.

    What stays the same comes first, so that one request's bytes begin the next one's: providers remember them.

    Args:
        dialect_of: how a model's server wants its messages, by the model's name.
        write: writes one turn's messages; as the dialect has them when left out.
    """

    def __init__(
        self,
        dialect_of: Callable[[str], Dialect] = dialect_of,
        write: Callable[[TurnView, CallIds, Reader], bytes] | None = None,
    ) -> None:
        self._dialect_of = dialect_of
        self._write = write
        self._turns: dict[Dialect, Turns[bytes]] = {}
        self._offers = Offers(write_tools)

    def format(self, request: ModelRequest, model: str, provider: str = "") -> WireRequest:
        """Write the request, joined from finished pieces; see :class:`assistant.formats.formatter.Formatter`."""
        return self.format_for(Reader(request.options.images, provider), request, model)

    def format_for(self, reader: Reader, request: ModelRequest, model: str) -> WireRequest:
        """Write the request for a reader that is given what it is said to be given."""
        dialect = self._dialect_of(model)
        offer = self._offers.of(request.tools)
        head = json_bytes(write_head(request.options, model, tools=bool(offer.tools)))
        body = [head[:-1]]
        if offer.tools:
            body += [b',"tools":', offer.tools]
        elif dialect.former and (former := called(request.view)):
            body += [b',"tools":', json_bytes(write_former(former)), b',"tool_choice":"none"']
        said = self._said(request, reader, dialect)
        body += [b',"messages":[', join(request.view, said, dialect), b"]}"]
        return WireRequest(b"".join(body), offer.names, reader.provider)

    def _said(self, request: ModelRequest, reader: Reader, dialect: Dialect) -> Iterable[bytes]:
        """Each turn's messages, joined by commas; empty where it has none."""
        if not request.options.formatted:
            return [json_bytes(plain_messages(request.view, reader))[1:-1]]
        turns = self._turns.get(dialect)
        if turns is None:
            write = self._write or partial(write_turn, dialect=dialect)
            turns = self._turns[dialect] = Turns(write, dialect.ids)
        return turns.of(request.view, reader)
