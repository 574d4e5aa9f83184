"""Reads one HTML page or PDF in a separate process: ``python -m assistant.memory.file_reader_process MIME``.

Standard input is the file. Standard output is a JSON object: ``title`` and ``text``, or ``refused`` with the
reason.
Parsers are imported only when they are needed.
"""

import json
import logging
import re
import sys
from io import BytesIO
from typing import Final, TypeAlias

from assistant.errors import DocumentRefused

MAX_FILE_BYTES: Final = 50_000_000
"""The limit for any file. The limit for customers' files is lower."""

MAX_CHARACTERS: Final = 2_000_000
"""The limit for the text in a file: a book of a thousand pages."""

MAX_PAGES: Final = 2_000

READ_TIMEOUT_S: Final = 30.0
"""The time limit of the process that reads HTML and PDF. Its limit of CPU time is nearly as high."""

CPU_LIMIT_S: Final = 25

MEMORY_LIMIT_BYTES: Final = 1_500_000_000
"""The memory limit of that process, on systems that can enforce one."""


_SKIPPED_ELEMENTS = (
    "script, style, nav, template, noscript, iframe, object, svg, canvas, form, dialog, "
    "[hidden], [aria-hidden=true], [role=navigation], [role=search]"
)
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_EMPTY_LINES = re.compile(r"\n\s*\n\s*\n+")


def read_html(content: bytes) -> tuple[str, str]:
    """Returns the page's title ("" for none) and its text.

    Time and memory depend on the file and are not limited here.

    Raises:
        DocumentRefused: the page is nested too deeply.
    """
    from bs4 import BeautifulSoup
    from markdownify import MarkdownConverter

    page = BeautifulSoup(content, "html.parser")
    title = page.title.get_text(" ", strip=True) if page.title is not None else ""
    try:
        for part in page.select(_SKIPPED_ELEMENTS):
            part.decompose()
        for part in page.find_all(style=_HIDDEN_STYLE):
            part.decompose()
        body = page.select_one("main, [role=main]") or page.body or page
        text = MarkdownConverter(heading_style="ATX", strip=["a", "img", "title"]).convert_soup(body)
    except RecursionError as error:
        raise DocumentRefused("is nested too deeply; save what can be read of it as text") from error
    return title, _EMPTY_LINES.sub("\n\n", text).strip()


PAGE_BREAK = "\f"


def read_pdf(content: bytes) -> str:
    """Returns the text, with a form feed between pages.

    Time and memory depend on the file and are not limited here.

    Raises:
        DocumentRefused: the file is locked, contains only pictures, is too long, or is broken.
    """
    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    try:
        reader = PdfReader(BytesIO(content))
        if reader.is_encrypted and not reader.decrypt(""):
            raise DocumentRefused("is locked with a password; save it without one")
        if len(reader.pages) > MAX_PAGES:
            raise DocumentRefused(f"has {len(reader.pages)} pages; cut it into parts of at most {MAX_PAGES}")
        pages: list[str] = []
        characters = 0
        for page in reader.pages:
            pages.append(page.extract_text().replace(PAGE_BREAK, "\n"))
            characters += len(pages[-1])
            if characters > MAX_CHARACTERS:
                break  # too long; the caller refuses it
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError) as error:
        # For broken files, the library raises many kinds of exceptions.
        raise DocumentRefused(
            f"is broken, or no PDF ({type(error).__name__}); open it, and print or save it as a PDF again"
        ) from error
    if not characters or not any(page.strip() for page in pages):
        raise DocumentRefused("has no text, so its pages are pictures; let text be recognised in it first")
    return PAGE_BREAK.join(pages)


Answer: TypeAlias = dict[str, str]


def main(mime: str) -> None:
    """Convert standard input to text, within limits that the operating system enforces."""
    _limit_resources()
    logging.disable()
    answer = read(mime, sys.stdin.buffer.read())
    sys.stdout.write(json.dumps(answer))


def read(mime: str, content: bytes) -> Answer:
    """Returns the title and the text, or the reason why there are none; the title is "" if the file has none."""
    try:
        title, text = read_html(content) if mime == "text/html" else ("", read_pdf(content))
    except DocumentRefused as refused:
        return {"refused": str(refused)}
    except MemoryError:
        return {"refused": "takes more memory to read than there is for it; hand in a smaller one"}
    # One character more than the limit shows that the limit is exceeded.
    return {"title": title, "text": text[: MAX_CHARACTERS + 1]}


def _limit_resources() -> None:
    try:
        import resource
    except ImportError:  # pragma: no cover - not available on Windows; the parent process limits the time
        return
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_LIMIT_S, CPU_LIMIT_S))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT_BYTES, MEMORY_LIMIT_BYTES))


if __name__ == "__main__":
    main(sys.argv[1])
