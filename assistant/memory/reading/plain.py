"""Bytes to text, whichever of the usual ways it was written in."""

import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE

from assistant.errors import DocumentRefused
from assistant.memory.reading.kind import READABLE

_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")
_TOO_MANY = 0.01
_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+([^\n]*)", re.MULTILINE)
_LONGEST_TITLE = 200


def decoded(name: str, content: bytes) -> str:
    """The text: UTF-8, UTF-16 with its mark, else Latin-1, in which any bytes are text.

    Raises:
        DocumentRefused: what comes out is none.
    """
    if content.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        text = content.decode("utf-16", errors="replace")
    else:
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = content.decode("latin-1")
    if len(_CONTROL.findall(text)) > _TOO_MANY * len(text):
        raise DocumentRefused(f"{name!r} is no text, whatever it is; {READABLE}")
    return tidy(text)


def tidy(text: str) -> str:
    r"""The text with one kind of line break, without characters that no store takes.

    >>> tidy("one\r\ntwo\rthree\x00")
    'one\ntwo\nthree'
    """
    text = _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    return text.encode(errors="replace").decode()


def title_of(name: str, text: str, *, headings: bool) -> str:
    """The first heading, or else the file's name without its ending.

    >>> title_of("docs/returns.md", "# Returns policy #", headings=True)
    'Returns policy'
    >>> title_of("a.b.txt", "# x", headings=False)
    'a.b'
    """
    found = _HEADING.search(text) if headings else None
    heading = found[1].strip().rstrip("#").strip() if found is not None else ""
    return heading[:_LONGEST_TITLE] or stem(name)


def stem(name: str) -> str:
    """A file's name without folders and ending.

    >>> stem("docs/Size chart.pdf"), stem(".profile")
    ('Size chart', '.profile')
    """
    last = name.replace("\\", "/").rpartition("/")[2]
    return (last.rpartition(".")[0] or last)[:_LONGEST_TITLE]
