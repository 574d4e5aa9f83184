"""What comes with the package: the folders of tools, prompts and pages, and the release."""

from pathlib import Path


def shipped(folder: str) -> Path:
    """Returns a folder of defaults: inside the installed package, or next to it in a checkout."""
    package = Path(__file__).parent
    inside = package / "defaults" / folder
    return inside if inside.is_dir() else package.parent / folder


def own_or_shipped(chosen: Path | None, folder: str) -> Path:
    """Returns the chosen folder, or the one with this name in the current folder, or the package's own."""
    if chosen is not None:
        return chosen
    own = Path(folder)
    return own if own.is_dir() else shipped(folder)


def release(name: str = "meanwhile-assistant") -> str:
    """Returns the version of the installed package, or the checkout's own version if it is not installed."""
    import tomllib
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(name)
    except PackageNotFoundError:
        project = Path(__file__).parents[1] / "pyproject.toml"
        return str(tomllib.loads(project.read_text(encoding="utf-8"))["project"]["version"])
