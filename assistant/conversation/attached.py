"""A customer's files as the models read of them: each in a line of its own below the words that it came with."""

import json
import re
from collections.abc import Sequence

from assistant.conversation.documents import Attached

_NAME = r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u00[0-9a-f]{2}))*"'
_NOTE = re.compile(rf"^\[file from the customer: ({_NAME}), (document:[^\s\]]+)\]$", re.MULTILINE)


def with_files(text: str, attachments: Sequence[Attached]) -> str:
    r"""What a customer said, and which files came with it.

    A name is quoted as JSON quotes it: whatever a file is called, it can neither end its line nor begin another.

    >>> with_files("Is this right?", [Attached(ref="document:7", name="May.pdf")])
    'Is this right?\n[file from the customer: "May.pdf", document:7]'
    >>> with_files("", [Attached(ref="document:8", name='a"]\nb')])
    '[file from the customer: "a\\"]\\nb", document:8]'
    >>> with_files("Hello", [])
    'Hello'
    """
    return "\n".join(filter(None, (text, *map(_note, attachments))))


def files_in(text: str) -> tuple[str, tuple[Attached, ...]]:
    r"""The words alone, and the files: what ``with_files`` put together.

    >>> files_in('Is this right?\n[file from the customer: "May.pdf", document:7]')
    ('Is this right?', (Attached(ref='document:7', name='May.pdf'),))
    """
    files = tuple(Attached(ref=note[2], name=json.loads(note[1])) for note in _NOTE.finditer(text))
    return _NOTE.sub("", text).strip() if files else text, files


def _note(attached: Attached) -> str:
    return f"[file from the customer: {json.dumps(attached.name, ensure_ascii=False)}, {attached.ref}]"
