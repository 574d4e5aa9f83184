"""Where the prompts that come with the package lie."""

from functools import cache
from pathlib import Path

from assistant.prompts.book import PromptBook


def shipped_folder() -> Path:
    """The prompts' folder: beside the package in a checkout, inside it once installed from a wheel."""
    package = Path(__file__).parents[1]
    inside = package / "defaults" / "prompts"
    return inside if inside.is_dir() else package.parent / "prompts"


@cache
def shipped_book() -> PromptBook:
    """The prompts as they come with the package, loaded once."""
    return PromptBook.load(shipped_folder())
