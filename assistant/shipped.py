"""Where the tools, prompts and pages lie that come with the package."""

from pathlib import Path


def shipped(folder: str) -> Path:
    """A folder of defaults: inside the package once installed from a wheel, beside it in a checkout."""
    package = Path(__file__).parent
    inside = package / "defaults" / folder
    return inside if inside.is_dir() else package.parent / folder


def own_or_shipped(chosen: Path | None, folder: str) -> Path:
    """The folder that was chosen, else the one of this name where the program runs, else the shipped one."""
    if chosen is not None:
        return chosen
    own = Path(folder)
    return own if own.is_dir() else shipped(folder)
