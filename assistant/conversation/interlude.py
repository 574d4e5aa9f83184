"""What a customer and a person of the company said to each other between two turns of the assistant's."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assistant.conversation.attached import with_files
from assistant.conversation.documents import Attached
from assistant.conversation.views import FromAssistant, FromCustomer, ViewMessage


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """One of their messages. ``name`` is the person's, "" for the customer, who may have sent files along."""

    message_id: str
    name: str
    text: str
    attachments: tuple[Attached, ...] = ()


def in_view(remarks: Sequence[Remark]) -> list[ViewMessage]:
    """The remarks as a model is given them: the person's stand with the assistant's, under their name.

    >>> said = [("", "Hello?"), ("Sam", "Hello, this is Sam."), ("Sam", "How can I help?")]
    >>> in_view([Remark(message_id="", name=name, text=text) for name, text in said])
    ... # doctest: +NORMALIZE_WHITESPACE
    [FromCustomer(text='Hello?'),
     FromAssistant(text='Sam: Hello, this is Sam. How can I help?', calls=(), opaque=())]
    """
    return list(_merged(remarks))


def _merged(remarks: Sequence[Remark]) -> Iterator[ViewMessage]:
    place = 0
    while place < len(remarks):
        name = remarks[place].name
        said: list[Remark] = []
        while place < len(remarks) and remarks[place].name == name:
            said.append(remarks[place])
            place += 1
        text = " ".join(one.text for one in said if one.text)
        files = [file for one in said for file in one.attachments]
        yield FromAssistant(f"{name}: {text}") if name else FromCustomer(with_files(text, files))
