"""The chat alone on a page of its own, for sites that show it in an iframe."""

from collections.abc import Collection
from html import escape
from pathlib import Path

from starlette.responses import HTMLResponse

from assistant.server.pages import page_headers

_NOBODY = '<meta name="meanwhile-origins" content="">'


def frame_page(file: Path, host: str, origins: Collection[str]) -> HTMLResponse:
    """The page, which only listed sites may show and speak to.

    Args:
        file: the page as it was written; says that nobody may speak to it.
        host: under which name it is asked for.
        origins: the sites, in the form that browsers give them.
    """
    listed = sorted(origins)
    somebody = f'<meta name="meanwhile-origins" content="{escape(" ".join(listed))}">'
    html = file.read_text(encoding="utf-8").replace(_NOBODY, somebody)
    return HTMLResponse(html, headers=page_headers(host, ancestors=listed))
