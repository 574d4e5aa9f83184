"""The page on the prompt files: ``prompts/README.md``."""

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from assistant.commands.project.prompts import purpose
from assistant.prompts.book import shipped_book
from assistant.prompts.compiler import PROMPTS
from assistant.prompts.prompt import inputs_of

_FOLDERS = {
    "models/": "models/",
    "customers/en/": "customers/<locale>/",
    "demo_model/en/": "demo_model/<locale>/",
}


def prompts_page() -> str:
    """The page, with a table for each folder."""
    environment = Environment(  # noqa: S701 - Markdown, and our own texts
        loader=FileSystemLoader(Path(__file__).parent),
        undefined=StrictUndefined,
        trim_blocks=True,
        keep_trailing_newline=True,
    )
    tables = [(shown, _rows(folder)) for folder, shown in _FOLDERS.items()]
    return environment.get_template("prompts.md.j2").render(tables=tables)


def _rows(folder: str) -> list[tuple[str, str, str]]:
    inputs = {
        prompt.template: ", ".join(f"`{name}`" for name in sorted(inputs_of(prompt))) for prompt in PROMPTS
    }
    return [
        (name.removeprefix(folder), purpose(text).rstrip("."), inputs.get(name, ""))
        for name, text in shipped_book().sources.items()
        if name.startswith(folder)
    ]
