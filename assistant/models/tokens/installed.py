"""Finds the files that were installed with litellm, without importing it: that takes seconds."""

from importlib.util import find_spec
from pathlib import Path


def installed_with_litellm(*parts: str) -> Path:
    """Where such a file is, if it is there. Raises ``FileNotFoundError``: litellm is not installed."""
    spec = find_spec("litellm")  # finds a package without running it
    if spec is None or not spec.submodule_search_locations:
        raise FileNotFoundError("litellm, whose files are used, is not installed")
    return Path(spec.submodule_search_locations[0], *parts)
