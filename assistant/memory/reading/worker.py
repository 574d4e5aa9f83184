"""Reads one HTML page or PDF in a process of its own: ``python -m assistant.memory.reading.worker MIME``.

The file comes in, a JSON object goes out: ``title`` and ``text``, or ``refused`` and why.
"""

import json
import logging
import sys
from typing import TypeAlias

from assistant.errors import DocumentRefused
from assistant.memory.reading.html import read_html
from assistant.memory.reading.limits import CHARACTERS, MEMORY_BYTES, PROCESSOR_S
from assistant.memory.reading.pdf import read_pdf

Answer: TypeAlias = dict[str, str]


def main(mime: str) -> None:
    """Read what comes in, within bounds that the system keeps."""
    _bound()
    logging.disable()
    answer = read(mime, sys.stdin.buffer.read())
    sys.stdout.write(json.dumps(answer))


def read(mime: str, content: bytes) -> Answer:
    """The title and the text, or why there is none; a title of "" for a file that says none itself."""
    try:
        title, text = read_html(content) if mime == "text/html" else ("", read_pdf(content))
    except DocumentRefused as refused:
        return {"refused": str(refused)}
    except MemoryError:
        return {"refused": "takes more memory to read than there is for it; hand in a smaller one"}
    # Nobody wants more than a little above what is too much.
    return {"title": title, "text": text[: CHARACTERS + 1]}


def _bound() -> None:
    try:
        import resource
    except ImportError:  # pragma: no cover - there is no such thing on Windows; time is bounded from outside
        return
    resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR_S, PROCESSOR_S))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))


if __name__ == "__main__":
    main(sys.argv[1])
