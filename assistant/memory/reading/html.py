"""A page to Markdown: what a visitor would read of it."""

import re

from assistant.errors import DocumentRefused

_NOT_READ = (
    *(
        "script",
        "style",
        "nav",
        "template",
        "noscript",
        "iframe",
        "object",
        "svg",
        "canvas",
        "form",
        "dialog",
    ),
    *("[hidden]", "[aria-hidden=true]", "[role=navigation]", "[role=search]"),
)
_UNSEEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_EMPTY_LINES = re.compile(r"\n\s*\n\s*\n+")


def read_html(content: bytes) -> tuple[str, str]:
    """The page's title, "" for none, and its text. Takes time and memory as its author likes.

    Raises:
        DocumentRefused: it is nested too deeply.
    """
    from bs4 import BeautifulSoup
    from markdownify import MarkdownConverter

    page = BeautifulSoup(content, "html.parser")
    title = page.title.get_text(" ", strip=True) if page.title is not None else ""
    try:
        for part in page.select(", ".join(_NOT_READ)):
            part.decompose()
        for part in page.find_all(style=_UNSEEN):
            part.decompose()
        body = page.select_one("main, [role=main]") or page.body or page
        text = MarkdownConverter(heading_style="ATX", strip=["a", "img", "title"]).convert_soup(body)
    except RecursionError as error:
        raise DocumentRefused("is nested too deeply; save what can be read of it as text") from error
    return title, _EMPTY_LINES.sub("\n\n", text).strip()
