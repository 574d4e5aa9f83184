"""The README and the docs as tests see them: their text, code blocks, links and headings."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)\s]+)\)|(?:src|href)=\"([^\"]+)\"")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Page:
    """A Markdown file. ``name`` is its path from the project's folder."""

    name: str
    text: str

    @property
    def folder(self) -> Path:
        """Where its links start from."""
        return (ROOT / self.name).parent

    def blocks(self, language: str) -> list[str]:
        """The code blocks marked with a language, "" for none, in order."""
        return [body for marked, body in _FENCE.findall(self.text) if marked == language]

    @property
    def prose(self) -> str:
        """The text without its code blocks."""
        return _FENCE.sub("", self.text)

    @property
    def links(self) -> list[str]:
        """Where its links and pictures lead."""
        return [markdown or html for markdown, html in _LINK.findall(self.prose)]

    @property
    def anchors(self) -> set[str]:
        """What a link to a part of this page may say after "#"."""
        return {
            re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-")
            for heading in _HEADING.findall(self.prose)
        }


@cache
def page(name: str) -> Page:
    """One page, by its path from the project's folder."""
    return Page(name, (ROOT / name).read_text(encoding="utf-8"))


def all_pages() -> list[Page]:
    """Every page that is written for readers."""
    files = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "prompts").glob("*.md")]
    return [page(file.relative_to(ROOT).as_posix()) for file in sorted(files)]
