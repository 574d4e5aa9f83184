"""From a file's bytes to its text."""

from dataclasses import dataclass

from assistant.errors import DocumentRefused
from assistant.memory.reading.apart import read_apart
from assistant.memory.reading.kind import Mime, kind_of
from assistant.memory.reading.limits import BYTES, CHARACTERS
from assistant.memory.reading.plain import decoded, stem, tidy, title_of
from assistant.ports import Clock


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """What stands in a file. Of HTML the text is Markdown, of a PDF it has a form feed between pages."""

    title: str
    text: str
    mime: Mime


async def read_file(name: str, content: bytes, clock: Clock) -> Read:
    """Read a file, whatever it is by its content; its name is its title where it has none itself.

    HTML and PDF are read in a process of their own, with bounds on time and memory.

    Args:
        name: with its ending; folders before it are left out.
        content: all of it.
        clock: measures how long that process takes.

    Raises:
        DocumentRefused: what is wrong with it, and what would do.
    """
    if len(content) > BYTES:
        raise DocumentRefused(f"{name!r} has {len(content):,} bytes; {BYTES:,} can be read")
    mime = kind_of(name, content)
    if mime in ("text/html", "application/pdf"):
        title, text = await read_apart(name, content, mime, clock)
        title, text = tidy(title) or stem(name), tidy(text)
    else:
        text = decoded(name, content)
        title = title_of(name, text, headings=mime == "text/markdown")
    if not text.strip():
        raise DocumentRefused(f"{name!r} has no text in it; hand in one that has")
    if len(text) > CHARACTERS:
        raise DocumentRefused(f"{name!r} is too long: more than {CHARACTERS:,} characters; cut it into parts")
    return Read(title=title, text=text, mime=mime)
