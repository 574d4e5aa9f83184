"""The folders of the tools, prompts and pages that come with the package."""

from pathlib import Path


def shipped(folder: str) -> Path:
    """A folder of defaults: inside the installed package, or next to it in a checkout."""
    package = Path(__file__).parent
    inside = package / "defaults" / folder
    return inside if inside.is_dir() else package.parent / folder


def own_or_shipped(chosen: Path | None, folder: str) -> Path:
    """The chosen folder, or the one with this name in the current folder, or the package's own."""
    if chosen is not None:
        return chosen
    own = Path(folder)
    return own if own.is_dir() else shipped(folder)
