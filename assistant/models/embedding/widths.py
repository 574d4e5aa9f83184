"""How many numbers a model's vectors have, by the list that comes with litellm; litellm itself is not imported."""

from importlib.util import find_spec
from pathlib import Path

import orjson

_FILE = "model_prices_and_context_window_backup.json"
_WIDTH = "output_vector_size"


def known_width(model: str, path: Path | None = None) -> int | None:
    """The width of a model's vectors; None where the list does not say, or is not there.

    Args:
        model: as litellm knows it, with or without its provider in front.
        path: the list; the installed one when left out.
    """
    try:
        listed = orjson.loads((path or _installed()).read_bytes())
    except (OSError, ValueError):
        return None
    for name in (model, model.partition("/")[2]):
        width = listed.get(name, {}).get(_WIDTH)
        if isinstance(width, int) and width > 0:
            return width
    return None


def _installed() -> Path:
    spec = find_spec("litellm")  # finds a package without running it
    if spec is None or not spec.submodule_search_locations:
        raise FileNotFoundError("litellm, whose list is used, is not installed")
    return Path(next(iter(spec.submodule_search_locations))) / _FILE
