"""How much a model takes at most, by the list that comes with litellm; litellm itself is not imported for it."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import orjson
import structlog

from assistant.models.names import DirectName, EmbeddedName, ModelName
from assistant.models.tokens.installed import installed_with_litellm

log = structlog.get_logger(__name__)

_FILE = "model_prices_and_context_window_backup.json"


def window_of(name: ModelName) -> int | None:
    """The most tokens that a request to this model may hold; None where nobody knows.

    A model is found under its own name, with its provider before it or without, as the list has it.
    """
    if isinstance(name, EmbeddedName):
        return None
    windows = _installed_windows()
    provider = f"{name.provider}/{name.model}" if isinstance(name, DirectName) else ""
    names = (provider, name.model, name.model.partition("/")[2])
    return next((windows[each] for each in names if each in windows), None)


def read_windows(path: Path) -> Mapping[str, int]:
    """The windows that a list names, by model. Raises ``OSError`` or ``ValueError`` when it cannot be read."""
    listed: Mapping[str, Mapping[str, object]] = orjson.loads(path.read_bytes())
    found = ((model, entry.get("max_input_tokens")) for model, entry in listed.items())
    return {model: tokens for model, tokens in found if isinstance(tokens, int) and tokens > 0}


@cache
def _installed_windows() -> Mapping[str, int]:
    try:
        return read_windows(installed_with_litellm(_FILE))
    except (OSError, ValueError) as error:
        log.warning("models' context windows are not known", why=str(error))
        return {}
