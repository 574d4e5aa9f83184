"""``assistant tools new``: a tool and its test, to begin with."""

import keyword
import re
from pathlib import Path
from typing import Annotated

import typer

_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_TAKEN = {
    "assistant",
    "asyncio",
    "calls",
    "customer",
    "found",
    "gives",
    "number",
    "one",
    "says",
    "tool",
    "tools",
    "turn",
}
"""Names that the tool's file and its test use themselves."""


def new_tool(
    name: Annotated[str, typer.Argument(help="what it finds, as a function is called: track_refund")],
) -> None:
    """Write a tool that works, on made-up data, and a test of it."""
    from assistant.commands.scaffold import filled, write_new
    from assistant.errors import DeclarationError
    from assistant.settings import load_settings
    from assistant.tooling.hints import infinitive, read_hints
    from assistant.tooling.options import Options

    if not _NAME.fullmatch(name) or keyword.iskeyword(name) or name in _TAKEN or len(name) > 64:
        cure = "write small letters, digits and underscores, as 'track_refund'"
        raise DeclarationError(f"{name!r} cannot be a tool's name; {cure}")
    words = name.replace("_", " ")
    doing = _doing(name)
    problems = read_hints(Options(waiting_hint=doing))[1]
    if problems:
        raise DeclarationError(f"{name!r} cannot be a tool's name, customers would hear it: {problems[0]}")
    values = {"name": name, "words": words, "doing": doing, "will": infinitive(doing)}
    texts = filled("tool", values)
    tools = load_settings().tools_dir or Path("tools")
    files = {
        tools / f"{name}.py": texts[Path("tool.py")],
        Path(f"tests/test_{name}.py"): texts[Path("test.py")],
    }
    write_new(files)
    typer.echo(f"Written: {', '.join(map(str, files))}.")
    typer.echo(f"Next: assistant tools call {name}, pytest tests/test_{name}.py")


def _doing(name: str) -> str:
    """A waiting hint made of the name.

    >>> _doing("track_refund"), _doing("opening_hours")
    ('tracking your refund', 'looking up your opening hours')
    """
    from assistant.tooling.openapi.hint import wording

    return wording([name], theirs=True).doing or f"looking up your {name.replace('_', ' ')}"
