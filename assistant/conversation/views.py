"""The view of a conversation that a model gets: neutral messages that are valid for each provider.

A call is always followed by its result, and parallel calls are in one message. Formatters turn a view into a
provider's request.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from assistant.conversation.calls import Call
from assistant.conversation.chunks import Opaque
from assistant.conversation.documents import Attached
from assistant.conversation.media import Media
from assistant.conversation.outcomes import CallStatus


@dataclass(frozen=True, slots=True)
class FromCustomer:
    """The customer's text with ``media``, or other text that a model gets as the customer's."""

    text: str
    media: tuple[Media, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class FromAssistant:
    """The assistant's ``text`` ("" for none) and requested ``calls`` (may be empty).

    After a message with calls, the next message is a :class:`FromTools` with one outcome for each call, in
    order. ``opaque`` is data that must be sent back with these calls, in the original order.
    """

    text: str
    calls: tuple[Call, ...] = ()
    opaque: tuple[Opaque, ...] = ()


@dataclass(frozen=True, slots=True)
class FromTools:
    """The status of each call of the previous message, in order. Most statuses are outcomes."""

    outcomes: tuple[CallStatus, ...]


ViewMessage: TypeAlias = FromCustomer | FromAssistant | FromTools


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class TurnView:
    """The messages of one turn.

    It is compared by identity, so that a formatter can cache its work on an ended turn.
    """

    messages: tuple[ViewMessage, ...]


@dataclass(frozen=True, slots=True)
class View:
    """The whole text of a request: first the instructions, then the turns, oldest first.

    ``late`` are instructions, too, and come last: they change between requests, and everything before them
    can be the cached beginning of the next request. They are the application's own text, with quoted parts
    marked. Nothing else is in them. Similar text at any other place was written by someone else.
    """

    system: str
    turns: tuple[TurnView, ...]
    late: str = ""

    @property
    def messages(self) -> tuple[ViewMessage, ...]:
        """All turns' messages in one sequence."""
        return tuple(message for turn in self.turns for message in turn.messages)

    @property
    def instructions(self) -> str:
        """All instructions as one text, ``late`` last, for providers with only one place for instructions."""
        return "\n\n".join(filter(None, (self.system, self.late)))


_NAME = r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u00[0-9a-f]{2}))*"'
_NOTE = re.compile(rf"^\[file from the customer: ({_NAME}), (document:[^\s\]]+)\]$", re.MULTILINE)


def with_files(text: str, attachments: Sequence[Attached]) -> str:
    r"""Returns a customer's text with the names of its files.

    A name is quoted as in JSON, so that it can neither end its line nor begin another one.

    >>> with_files("Is this right?", [Attached(ref="document:7", name="May.pdf")])
    'Is this right?\n[file from the customer: "May.pdf", document:7]'
    >>> with_files("", [Attached(ref="document:8", name='a"]\nb')])
    '[file from the customer: "a\\"]\\nb", document:8]'
    >>> with_files("Hello", [])
    'Hello'
    """
    return "\n".join(filter(None, (text, *map(_note, attachments))))


def parse_files(text: str) -> tuple[str, tuple[Attached, ...]]:
    r"""Returns the inverse of ``with_files``: the text without the notes, and the files.

    >>> parse_files('Is this right?\n[file from the customer: "May.pdf", document:7]')
    ('Is this right?', (Attached(ref='document:7', name='May.pdf'),))
    """
    files = tuple(Attached(ref=note[2], name=json.loads(note[1])) for note in _NOTE.finditer(text))
    return _NOTE.sub("", text).strip() if files else text, files


def _note(attached: Attached) -> str:
    return f"[file from the customer: {json.dumps(attached.name, ensure_ascii=False)}, {attached.ref}]"


@dataclass(frozen=True, slots=True, kw_only=True)
class HandoffMessage:
    """A message between customer and agent. ``name`` is the agent's name, "" for the customer, who may have
    sent files. ``for_assistant``: the agent wrote it for the assistant, and the customer did not see it.
    """

    message_id: str
    name: str
    text: str
    attachments: tuple[Attached, ...] = ()
    for_assistant: bool = False


def handoff_view(remarks: Sequence[HandoffMessage]) -> list[ViewMessage]:
    """Returns these messages for a model.

    The agent's messages become the assistant's, with the agent's name in front.

    >>> said = [("", "Hello?"), ("Sam", "Hello, this is Sam."), ("Sam", "How can I help?")]
    >>> handoff_view([HandoffMessage(message_id="", name=name, text=text) for name, text in said])
    ... # doctest: +NORMALIZE_WHITESPACE
    [FromCustomer(text='Hello?'),
     FromAssistant(text='Sam: Hello, this is Sam. How can I help?', calls=(), opaque=())]
    """
    return list(_merged(remarks))


def _merged(remarks: Sequence[HandoffMessage]) -> Iterator[ViewMessage]:
    place = 0
    while place < len(remarks):
        name = remarks[place].name
        said: list[HandoffMessage] = []
        while place < len(remarks) and remarks[place].name == name:
            said.append(remarks[place])
            place += 1
        text = " ".join(map(_remark, (one for one in said if one.text)))
        files = [file for one in said for file in one.attachments]
        yield FromAssistant(f"{name}: {text}") if name else FromCustomer(with_files(text, files))


def _remark(said: HandoffMessage) -> str:
    return f"[not shown to the customer: {said.text}]" if said.for_assistant else said.text
