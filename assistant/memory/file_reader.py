"""Converts a file to text: Markdown, plain text, HTML and PDF.

HTML and PDF are read in a separate process, because a thread cannot be stopped and shares our memory.
"""

import asyncio
import json
import os
import re
import subprocess
import sys
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from assistant.errors import DocumentRefused
from assistant.memory.file_reader_process import MAX_CHARACTERS, MAX_FILE_BYTES, READ_TIMEOUT_S
from assistant.ports import Clock

Mime: TypeAlias = Literal["text/plain", "text/markdown", "text/html", "application/pdf"]

READABLE: Final = "Markdown, plain text, HTML and PDF can be read"

_HTML = re.compile(rb"\s*(<!--.*?-->\s*)*<(!doctype\s+html|html|head|body)[\s>]", re.IGNORECASE | re.DOTALL)
_XHTML = re.compile(rb"\s*<\?xml[^>]*>\s*<(!doctype\s+html|html)[\s>]", re.IGNORECASE)
_HEAD_BYTES = 2_000
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_UTF_8 = b"\xef\xbb\xbf"
_UNREADABLE_SIGNATURES: Final[dict[bytes, str]] = {
    b"PK\x03\x04": "an archive or an Office file; save it as PDF",
    b"\xd0\xcf\x11\xe0": "an old Office file; save it as PDF",
    b"{\\rtf": "a rich text file; save it as PDF or as plain text",
    b"\x89PNG": "a picture; write down what it says",
    b"\xff\xd8\xff": "a picture; write down what it says",
    b"GIF8": "a picture; write down what it says",
    b"RIFF": "a picture, a sound or a film; write down what it says",
    b"\x1f\x8b": "a packed file; unpack it first",
}


_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")
_TOO_MANY = 0.01
_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+([^\n]*)", re.MULTILINE)
_LONGEST_TITLE = 200


_WORKER = "assistant.memory.file_reader_process"
_NEEDED = ("PATH", "SYSTEMROOT", "TMPDIR", "TEMP", "LANG")
"""The environment variables of the process that reads untrusted files. It gets no others, so it gets no
secrets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadFile:
    """The content of a file. HTML becomes Markdown; the pages of a PDF are separated by form feeds."""

    title: str
    text: str
    mime: Mime


async def read_file(name: str, content: bytes, clock: Clock) -> ReadFile:
    """Convert a file to text. Its content decides the format. The default title is the file's name.

    HTML and PDF are read in a separate process, with limits on time and memory.

    Args:
        name: the file's name with its ending; folders are ignored.
        content: the complete file.
        clock: measures the time limit of the process.

    Raises:
        DocumentRefused: the file cannot be read. The error says why, and which files can be read.
    """
    if len(content) > MAX_FILE_BYTES:
        raise DocumentRefused(f"{name!r} has {len(content):,} bytes; {MAX_FILE_BYTES:,} can be read")
    mime = detect_mime(name, content)
    if mime in ("text/html", "application/pdf"):
        title, text = await read_in_process(name, content, mime, clock)
        title, text = normalize_text(title) or base_name(name), normalize_text(text)
    else:
        text = decode_text(name, content)
        title = title_of(name, text, headings=mime == "text/markdown")
    if not text.strip():
        raise DocumentRefused(f"{name!r} has no text in it; hand in one that has")
    if len(text) > MAX_CHARACTERS:
        raise DocumentRefused(
            f"{name!r} is too long: more than {MAX_CHARACTERS:,} characters; cut it into parts"
        )
    return ReadFile(title=title, text=text, mime=mime)


def detect_mime(name: str, content: bytes) -> Mime:
    """Returns the type of a file.

    Raises:
        DocumentRefused: files of this type cannot be read. The error says which can.
    """
    if b"%PDF-" in content[:1024]:
        return "application/pdf"
    for begins, what in _UNREADABLE_SIGNATURES.items():
        if content.startswith(begins):
            raise DocumentRefused(f"{name!r} is {what} ({READABLE})")
    if content.startswith(_UTF_16):
        return _mime_by_name(name)
    if b"\0" in content:
        raise DocumentRefused(f"{name!r} has bytes in it that no text has; {READABLE}")
    head = content.removeprefix(_UTF_8)[:_HEAD_BYTES]
    if _HTML.match(head) or _XHTML.match(head):
        return "text/html"
    return _mime_by_name(name)


def _mime_by_name(name: str) -> Mime:
    ending = name.rpartition(".")[2].lower()
    if ending in ("html", "htm", "xhtml"):
        return "text/html"
    return "text/markdown" if ending in ("md", "markdown") else "text/plain"


def decode_text(name: str, content: bytes) -> str:
    """Decode a text: UTF-8, UTF-16 with a byte order mark, or else Latin-1, in which all bytes are valid.

    Raises:
        DocumentRefused: the result is not a text.
    """
    if content.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        text = content.decode("utf-16", errors="replace")
    else:
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = content.decode("latin-1")
    if len(_CONTROL.findall(text)) > _TOO_MANY * len(text):
        raise DocumentRefused(f"{name!r}is not a text file; {READABLE}")
    return normalize_text(text)


def normalize_text(text: str) -> str:
    r"""Returns the text with uniform line breaks and without characters that stores do not accept.

    >>> normalize_text("one\r\ntwo\rthree\x00")
    'one\ntwo\nthree'
    """
    text = _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    return text.encode(errors="replace").decode()


def title_of(name: str, text: str, *, headings: bool) -> str:
    """Returns the first heading, or else the file's name without its ending.

    >>> title_of("docs/returns.md", "# Returns policy #", headings=True)
    'Returns policy'
    >>> title_of("a.b.txt", "# x", headings=False)
    'a.b'
    """
    found = _HEADING.search(text) if headings else None
    heading = found[1].strip().rstrip("#").strip() if found is not None else ""
    return heading[:_LONGEST_TITLE] or base_name(name)


def base_name(name: str) -> str:
    """Returns a file's name without folders and ending.

    >>> base_name("docs/Size chart.pdf"), base_name(".profile")
    ('Size chart', '.profile')
    """
    last = name.replace("\\", "/").rpartition("/")[2]
    return (last.rpartition(".")[0] or last)[:_LONGEST_TITLE]


async def read_in_process(name: str, content: bytes, mime: Mime, clock: Clock) -> tuple[str, str]:
    """Returns the title ("" for none) and the text, from a separate process.

    Raises:
        DocumentRefused: the reader refuses the file, crashes, or takes too long.
    """
    environ = {key: os.environ[key] for key in _NEEDED if key in os.environ}
    environ["PYTHONPATH"] = os.pathsep.join(sys.path)
    process = await asyncio.to_thread(_start_process, mime, environ)
    try:
        async with clock.timeout(READ_TIMEOUT_S):
            out, _ = await asyncio.to_thread(process.communicate, content)
    except TimeoutError as error:
        raise DocumentRefused(
            f"{name!r} takes longer than {READ_TIMEOUT_S:.0f} s to read; hand in a smaller or a simpler one"
        ) from error
    finally:
        process.kill()  # also ends the thread that waits for it; no effect after its end
    return parse_answer(name, out)


def _start_process(mime: Mime, environ: dict[str, str]) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(  # noqa: S603 - our own program; the untrusted file is only its input
        [sys.executable, "-m", _WORKER, mime],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environ,
        start_new_session=True,
    )


def parse_answer(name: str, out: bytes) -> tuple[str, str]:
    """Parse the answer of the process, if it wrote one. Raises ``DocumentRefused``."""
    try:
        answer: dict[str, str] = json.loads(out)
    except ValueError as error:
        # The process reached a limit, or the parser crashed.
        raise DocumentRefused(
            f"{name!r} is more than can be read; hand in a smaller or a simpler one, or plain text"
        ) from error
    if "refused" in answer:
        raise DocumentRefused(f"{name!r} {answer['refused']}")
    return answer["title"], answer["text"]
